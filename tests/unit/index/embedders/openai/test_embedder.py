"""The embedder behind `/v1/embeddings`, against a strict stand-in and its faults."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from blog_search_mcp.index.embedders.openai.client import (
    classify_reply,
    resolve_url,
)
from blog_search_mcp.index.embedders.openai.embedder import OpenAIEmbedder, OpenAIHealthCheck
from blog_search_mcp.index.embedders.remote.failures import KEY_VARIABLE, FailureKind
from blog_search_mcp.index.embedders.remote.requests import FOR_DOCUMENTS, RetryPolicy
from blog_search_mcp.index.embedders.verified import VerifiedEmbedder
from blog_search_mcp.index.errors import (
    EmbedderError,
    EmbedderMismatch,
    EmbedderRefused,
    EmbedderUnavailable,
    ModelMissing,
    TextsRefused,
    UsageError,
)
from tests.support.ollama.faults import (
    breaks_off,
    closes,
    compressed,
    is_too_large,
    nested,
    redirects,
    replies,
)
from tests.support.ollama.model import Model, embedding
from tests.support.openai_standin import BGE, Data, OpenAIStandIn, alters_data, refuse, running

AT_ONCE = RetryPolicy(5.0, {kind: (0.0,) * len(p) for kind, p in FOR_DOCUMENTS.pauses.items()})
TEXTS = [f"Text {number} says something about wool and {number * 7}." for number in range(40)]
QUERY = "Represent this sentence for searching relevant passages: "


@pytest.fixture
def server() -> Iterator[OpenAIStandIn]:
    with running() as standin:
        yield standin


def embedder(server: OpenAIStandIn, model: str = BGE.name) -> OpenAIEmbedder:
    return OpenAIEmbedder(model, server.url, None, AT_ONCE, AT_ONCE)


def expected(texts: list[str], model: Model = BGE) -> Any:
    return np.stack([embedding(text, model) for text in texts])


def assert_embeds(live: OpenAIEmbedder, texts: list[str]) -> None:
    assert live.embed_documents(texts) == pytest.approx(expected(texts), abs=1e-6)


def test_documents_and_queries_get_the_prefixes_of_the_models_card(server: OpenAIStandIn) -> None:
    live = embedder(server)
    assert_embeds(live, TEXTS)
    assert live.embed_query("wool?") == pytest.approx(expected([f"{QUERY}wool?"])[0], abs=1e-6)
    assert server.embedded[-2] == {
        "model": BGE.name,
        "input": [f"{QUERY}wool?"],
        "encoding_format": "float",
    }


def test_vectors_are_normalised_and_read_in_base64_too(server: OpenAIStandIn) -> None:
    server.length = 17.5
    assert_embeds(embedder(server), TEXTS[:3])
    server.sends_base64 = True
    assert_embeds(embedder(server), TEXTS[:3])


def test_entries_are_put_in_the_order_of_their_numbers(server: OpenAIStandIn) -> None:
    live = embedder(server)
    assert live.dimension == 384
    server.faults = [alters_data(lambda data: data[::-1])]
    assert_embeds(live, TEXTS[:5])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data[:-1], "3 vectors for 4 texts"),
        (lambda data: [{**each, "index": 7} for each in data], "whose numbers are not those"),
        (
            lambda data: [{**each, "embedding": each["embedding"][:96]} for each in data],
            "a vector of 96 numbers instead of 384",
        ),
        (
            lambda data: [data[0] | {"embedding": [0.1]}, *data[1:]],
            "vectors of different lengths",
        ),
        (
            lambda data: [{**each, "embedding": [float("nan")] * 384} for each in data],
            "a number that is not finite",
        ),
        (lambda data: [{**each, "embedding": [0.0] * 384} for each in data], "a vector of zeros"),
        (lambda data: [{**each, "embedding": "?!"} for each in data], "text that is no vector"),
    ],
)
def test_what_is_no_vector_is_refused_and_never_kept(
    server: OpenAIStandIn, change: Any, reason: str
) -> None:
    live = embedder(server)
    assert live.dimension == 384
    server.faults = [alters_data(change)] * 100
    with pytest.raises(EmbedderError, match=reason):
        live.embed_documents(TEXTS[:5])


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (redirects(307, "http://elsewhere.example:81/v1"), "redirects to http://elsewhere.example"),
        (compressed, "a compressed body"),
        (is_too_large, "more than 8 MB"),
        (nested, "something that is no list of embeddings"),
        (replies(200, "<html>portal</html>"), "something that is no list of embeddings"),
        (refuse_all := (lambda _server, _answer: refuse(400, "no such field")), "no such field"),
        (closes, "failed while embedding"),
        (breaks_off, "failed while embedding"),
    ],
)
def test_a_broken_answer_is_a_sentence(server: OpenAIStandIn, fault: Any, reason: str) -> None:
    live = embedder(server)
    assert live.dimension == 384
    server.faults = [fault] * 100
    with pytest.raises(EmbedderError, match=reason):
        live.embed_documents(TEXTS[:2])


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again(server: OpenAIStandIn, status: int) -> None:
    live = embedder(server)
    assert live.dimension == 384
    server.faults = [lambda _server, _answer: refuse(status, "try later")] * 3
    assert_embeds(live, TEXTS)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "This model's maximum context length is {context} tokens."),
        (413, "Input validation error: `inputs` must have less than {context} tokens"),
        (500, "input is too large to process. increase the physical batch size"),
    ],
)
def test_a_text_that_is_too_long_gets_the_mean_of_its_parts(
    server: OpenAIStandIn, status: int, said: str
) -> None:
    server.says_too_long = (status, said)
    long = " ".join(f"word{number}" for number in range(900))
    rows = embedder(server).embed_documents([*TEXTS[:3], long])
    assert rows[:3] == pytest.approx(expected(TEXTS[:3]), abs=1e-6)
    assert float(np.linalg.norm(rows[3])) == pytest.approx(1.0)


def test_a_batch_that_is_too_large_is_halved(server: OpenAIStandIn) -> None:
    server.most_texts = 4
    assert_embeds(embedder(server), TEXTS)
    assert {len(body["input"]) for body in server.embedded} == {32, 16, 8, 4, 1}


def test_a_text_that_the_server_fails_on_costs_no_other(server: OpenAIStandIn) -> None:
    live = embedder(server)
    server.on_text = {"poison": lambda _server, _answer: refuse(500, "EOF")}
    with pytest.raises(TextsRefused) as refused:
        live.embed_documents([*TEXTS[:3], "poison"])
    assert refused.value.reasons == {3: "The embedding server failed on it: EOF (status 500)"}
    assert refused.value.rows[:3] == pytest.approx(expected(TEXTS[:3]), abs=1e-6)


def test_the_key_of_the_environment_is_sent_and_a_wrong_one_named(
    server: OpenAIStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.key = "secret"
    with pytest.raises(EmbedderRefused, match=KEY_VARIABLE) as refused:
        embedder(server).embed_documents(TEXTS[:2])
    assert "secret" not in str(refused.value)
    monkeypatch.setenv(KEY_VARIABLE, "secret")
    assert_embeds(embedder(server), TEXTS[:2])


def test_a_model_that_the_server_lacks_is_named(server: OpenAIStandIn) -> None:
    with pytest.raises(ModelMissing, match="does not have the model other"):
        embedder(server, model="other").embed_documents(TEXTS[:2])


def test_a_server_that_is_down_is_a_sentence(server: OpenAIStandIn) -> None:
    url = "http://127.0.0.1:9/v1"
    with pytest.raises(EmbedderUnavailable, match=f"embedding server at {url} cannot be reached"):
        OpenAIEmbedder("m", url, None, AT_ONCE, AT_ONCE).embed_query("wool")
    with pytest.raises(EmbedderUnavailable):
        OpenAIHealthCheck("m", url).check()
    OpenAIHealthCheck("m", server.url).check()


def test_other_weights_under_the_same_name_are_noticed(server: OpenAIStandIn) -> None:
    recorded = VerifiedEmbedder(embedder(server)).identity
    assert_embeds_again = VerifiedEmbedder(embedder(server), recorded)
    assert assert_embeds_again.embed_query("wool").shape == (384,)

    def other(data: Data) -> Data:
        return [{**each, "embedding": [*each["embedding"][1:], 0.5]} for each in data]

    server.faults = [alters_data(other)] * 100
    with pytest.raises(EmbedderMismatch, match="other vectors"):
        VerifiedEmbedder(embedder(server), recorded).embed_query("wool")


def test_the_rounding_of_another_machine_is_no_other_model(server: OpenAIStandIn) -> None:
    recorded = VerifiedEmbedder(embedder(server)).identity

    def round_up(row: list[float]) -> list[float]:
        first, second = np.argsort(np.abs(row))[[-1, -2]]
        row[second] = np.sign(row[second]) * (abs(row[first]) + 1e-4)
        return row

    server.faults = [
        alters_data(
            lambda data: [each | {"embedding": round_up(each["embedding"])} for each in data]
        )
    ] * 100
    VerifiedEmbedder(embedder(server), recorded).embed_query("wool")


def test_an_embedder_can_be_sent_to_another_process(server: OpenAIStandIn) -> None:
    again = pickle.loads(pickle.dumps(embedder(server)))
    assert_embeds(again, TEXTS[:2])


def test_an_address_that_is_missing_is_told_at_the_first_use() -> None:
    with pytest.raises(EmbedderRefused, match="add --embedder-url"):
        OpenAIEmbedder("m", "").embed_query("wool")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://gpu:8000/v1/", "http://gpu:8000/v1"),
        ("gpu:8000", "http://gpu:8000/v1"),
        ("https://example.org/api/openai", "https://example.org/api/openai"),
    ],
)
def test_an_address_is_completed(text: str, url: str) -> None:
    assert resolve_url(text) == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ftp://gpu/v1",
        "http://user:word@gpu/v1",
        "http://gpu:0x/v1",
        "http://gpu/?a=b",
        "http://one/v1,http://two/v1",
    ],
)
def test_an_address_that_cannot_be_used_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"--embedder-url") as refused:
        resolve_url(text)
    assert "word" not in str(refused.value).replace("password", "")


def test_replies_are_sorted_by_status_and_words() -> None:
    assert classify_reply(404, "404 page not found") is FailureKind.REFUSED
    assert classify_reply(500, "CUDA error") is FailureKind.CRASHED
    assert classify_reply(501, "") is FailureKind.NOT_EMBEDDING
