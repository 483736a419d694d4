"""The Ollama embedder against a server that speaks Ollama's contract."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest

from blog_search_mcp.index.embedders.base import DEFAULT_MODEL
from blog_search_mcp.index.embedders.fingerprint import TEXTS, pack_vectors
from blog_search_mcp.index.embedders.ollama.embedder import OllamaEmbedder
from blog_search_mcp.index.embedders.remote.batching import split_in_half
from blog_search_mcp.index.embedders.remote.requests import FOR_DOCUMENTS, RetryPolicy
from blog_search_mcp.index.errors import (
    EmbedderError,
    EmbedderRefused,
    EmbedderUnavailable,
    ModelMissing,
)
from blog_search_mcp.index.types import EmbedderIdentity, Fingerprint
from tests.support.ollama_standin import (
    Fault,
    Model,
    OllamaStandIn,
    alters,
    closes,
    embedding,
    fails,
    hangs,
    replies,
    running,
)
from tests.support.ports import free_port
from tests.support.python import output_of

if TYPE_CHECKING:
    from collections.abc import Iterator

AT_ONCE = RetryPolicy(
    timeout=5.0,
    pauses={kind: (0.0,) * len(pauses) for kind, pauses in FOR_DOCUMENTS.pauses.items()},
)
"""As often as for documents, without the pauses."""

BUSY = fails(503, "server busy, please try again.  maximum pending requests exceeded")
EOF = fails(400, 'do embedding request: Post "http://127.0.0.1:36715/v1/embeddings": EOF')


@pytest.fixture
def ollama() -> Iterator[OllamaStandIn]:
    with running() as standin:
        yield standin


def embedder(ollama: OllamaStandIn, model: str = "nomic-embed-text") -> OllamaEmbedder:
    return OllamaEmbedder(model, ollama.host, for_documents=AT_ONCE, for_a_query=AT_ONCE)


@pytest.mark.parametrize(
    ("model", "passage", "query"),
    [
        ("bge-m3", "夜", "夜"),
        ("embeddinggemma", "title: none | text: 夜", "task: search result | query: 夜"),
        ("jeffh/intfloat-multilingual-e5-large:q8_0", "passage: 夜", "query: 夜"),
        (
            "qwen3-embedding:0.6b",
            "夜",
            "Instruct: Given a web search query, retrieve relevant passages that answer the query"
            "\nQuery:夜",
        ),
    ],
)
def test_ollama_gets_each_text_after_the_prefix_of_its_model(
    ollama: OllamaStandIn, model: str, passage: str, query: str
) -> None:
    name = model if ":" in model else f"{model}:latest"
    ollama.models = [Model(name, architecture="gemma3", tokenizer="llama")]
    embedder(ollama, model).embed_documents(["夜"])
    embedder(ollama, model).embed_query("夜")
    sent = {text for body in ollama.embedded for text in body["input"]}
    assert sent == {passage, query}


def test_identity_holds_digest_dimension_prefixes_version_and_canaries(
    ollama: OllamaStandIn,
) -> None:
    canaries = [embedding(f"search_document: {text}", Model()) for text in TEXTS]
    assert embedder(ollama).identity == EmbedderIdentity(
        kind="ollama",
        model="nomic-embed-text",
        digest=Model().digest,
        dimension=768,
        document_prefix="search_document: ",
        query_prefix="search_query: ",
        fingerprint=Fingerprint("0.32.15", pack_vectors(np.stack(canaries))),
    )


def test_the_model_is_described_once_and_looked_at_after_every_answer(
    ollama: OllamaStandIn,
) -> None:
    nomic = embedder(ollama)
    nomic.embed_query("one")
    nomic.embed_documents(["two"])
    paths = [request.path for request in ollama.requests]
    look = ["/api/tags", "/api/version"]
    assert paths == [*look, "/api/show", "/api/embed", *look, "/api/embed", *look]


def test_documents_and_queries_go_out_with_the_prefix_of_their_role(ollama: OllamaStandIn) -> None:
    nomic = embedder(ollama)
    documents = nomic.embed_documents(["KV cache", "BM25"])
    query = nomic.embed_query("what is it?")
    nomic.embed_queries(["who is it?", "why is it?"])
    sent = [body.pop("input") for body in map(dict, ollama.embedded)]
    assert sent == [
        ["search_document: KV cache"],
        ["search_document: BM25"],
        ["search_query: what is it?"],
        ["search_query: who is it?"],
        ["search_query: why is it?"],
    ]
    for body in ollama.embedded:
        settings = {name: value for name, value in body.items() if name != "input"}
        assert settings == {
            "model": "nomic-embed-text",
            "truncate": False,
            "keep_alive": "30m",
        }
    expected = [embedding(f"search_document: {text}", Model()) for text in ("KV cache", "BM25")]
    np.testing.assert_array_equal(documents, np.stack(expected))
    np.testing.assert_array_equal(query, embedding("search_query: what is it?", Model()))
    assert documents.dtype == query.dtype == np.float32


def test_a_hundred_texts_go_out_in_batches_once_they_are_seen_to_be_right(
    ollama: OllamaStandIn,
) -> None:
    texts = [f"text number {i}" for i in range(100)]
    rows = embedder(ollama).embed_documents(texts)
    assert [len(body["input"]) for body in ollama.embedded] == [4, 1, 1, 1, 1, 32, 32, 32, 4]
    expected = [embedding(f"search_document: {text}", Model()) for text in texts]
    np.testing.assert_array_equal(rows, np.stack(expected))


def test_no_texts_make_no_rows_and_no_request(ollama: OllamaStandIn) -> None:
    assert embedder(ollama).embed_documents([]).shape == (0, 768)
    assert ollama.embedded == []


def test_blank_texts_are_not_sent_and_are_near_to_nothing(ollama: OllamaStandIn) -> None:
    rows = embedder(ollama).embed_documents(["", "word", " \n\t"])
    assert [body["input"] for body in ollama.embedded] == [["search_document: word"]]
    assert np.linalg.norm(rows, axis=1).round(3).tolist() == [0.0, 1.0, 0.0]


def test_a_lone_surrogate_is_sent_as_a_question_mark(ollama: OllamaStandIn) -> None:
    embedder(ollama).embed_query("half \ud83d pair")
    assert ollama.embedded[0]["input"] == ["search_query: half ? pair"]


def test_a_text_too_long_for_the_model_becomes_the_mean_of_its_halves(
    ollama: OllamaStandIn,
) -> None:
    ollama.models = [Model(context=14)]
    long = "one two three four five six seven eight nine ten eleven twelve"
    rows = embedder(ollama).embed_documents(["short", long, "brief"])
    left, right = (
        embedding(f"search_document: {half}", Model())
        for half in ("one two three four five six seven", "eight nine ten eleven twelve")
    )
    mean = (left + right) / np.linalg.norm(left + right)
    np.testing.assert_allclose(rows[1], mean, atol=1e-6)
    short, brief = (embedding(f"search_document: {text}", Model()) for text in ("short", "brief"))
    np.testing.assert_array_equal(rows[[0, 2]], np.stack([short, brief]))


def test_a_model_that_finds_everything_too_long_is_refused(ollama: OllamaStandIn) -> None:
    ollama.models = [Model(context=1)]
    with pytest.raises(EmbedderRefused, match="even a single character"):
        embedder(ollama).embed_documents(["three short words"])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("left right", ("left", " right")),
        ("  什麼是快取  ", ("什麼", "是快取")),
        ("a 快取快取快取快取快取", ("a 快取快取", "快取快取快取")),
        ("ab", ("a", "b")),
    ],
)
def test_halves_cut_at_white_space_near_the_middle_else_in_the_middle(
    text: str, parts: tuple[str, str]
) -> None:
    assert split_in_half(text) == parts


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param([BUSY] * 6, id="busy six times"),
        pytest.param([EOF, EOF, EOF], id="runner killed"),
        pytest.param([fails(500, "llama-server process has terminated")], id="runner ended"),
        pytest.param([replies(502, "<html>Bad Gateway</html>")], id="bad gateway"),
        pytest.param([closes, closes], id="connection closed"),
        pytest.param([alters(lambda rows: [[0.0] * 768 for _ in rows])], id="zero vector once"),
        pytest.param([BUSY, EOF, closes], id="one after the other"),
    ],
)
def test_what_may_pass_by_itself_is_tried_again(ollama: OllamaStandIn, faults: list[Fault]) -> None:
    ollama.faults = list(faults)
    row = embedder(ollama).embed_documents(["patience"])[0]
    np.testing.assert_array_equal(row, embedding("search_document: patience", Model()))
    assert len(ollama.embedded) == len(faults) + 1


@pytest.mark.parametrize(
    ("fault", "tries", "error", "sentence"),
    [
        (BUSY, 7, EmbedderUnavailable, "is busy. Try again in a moment."),
        (EOF, 6, EmbedderUnavailable, "failed while embedding: do embedding request"),
        (
            alters(lambda rows: [[0.0] * len(row) for row in rows]),
            4,
            EmbedderRefused,
            "answered with a vector of length 0 instead of 1.",
        ),
        (
            alters(lambda rows: [[2 * x for x in row] for row in rows]),
            4,
            EmbedderRefused,
            "answered with a vector of length 2 instead of 1.",
        ),
        (
            alters(lambda rows: [[float("nan"), *row[1:]] for row in rows]),
            4,
            EmbedderRefused,
            "answered with a vector with a number that is not finite.",
        ),
        (alters(lambda rows: rows[1:]), 4, EmbedderRefused, "answered with 0 vectors for 1 texts."),
        (
            alters(lambda rows: [row[:64] for row in rows]),
            4,
            EmbedderRefused,
            "answered with a vector of 64 numbers instead of 768.",
        ),
        (
            alters(lambda rows: [None for _ in rows]),
            4,
            EmbedderRefused,
            "answered with something that is not Ollama's answer.",
        ),
        (
            replies(200, "<html>Welcome</html>"),
            4,
            EmbedderRefused,
            "answered with something that is not Ollama's answer.",
        ),
        (
            replies(200, {"error": "unexpected"}),
            4,
            EmbedderRefused,
            "answered with something that is not Ollama's answer.",
        ),
        (replies(403, ""), 1, EmbedderRefused, "refused the request: no reason given (status 403)"),
        (fails(400, "invalid input type"), 1, EmbedderRefused, "invalid input type (status 400)."),
    ],
)
def test_what_does_not_pass_is_said_in_a_sentence_after_a_bounded_number_of_tries(
    ollama: OllamaStandIn, fault: Fault, tries: int, error: type[EmbedderError], sentence: str
) -> None:
    ollama.faults = [fault] * 20
    with pytest.raises(error) as raised:
        embedder(ollama).embed_documents(["one", "two"])
    assert type(raised.value) is error
    assert sentence in str(raised.value)
    assert len(ollama.embedded) == tries


def test_a_hanging_ollama_is_given_up_after_the_read_timeout(ollama: OllamaStandIn) -> None:
    nomic = OllamaEmbedder(
        DEFAULT_MODEL, ollama.host, for_a_query=RetryPolicy(timeout=0.2, pauses={})
    )
    ollama.faults = [hangs]
    with pytest.raises(EmbedderUnavailable, match="did not answer in time"):
        nomic.embed_query("anyone there?")
    assert len(ollama.embedded) == 1


def test_ollama_down_is_said_with_its_address_and_what_to_do() -> None:
    port = free_port()
    nomic = OllamaEmbedder(DEFAULT_MODEL, f":{port}", for_documents=AT_ONCE)
    with pytest.raises(EmbedderUnavailable) as raised:
        nomic.embed_documents(["anyone there?"])
    assert str(raised.value) == (
        f"Ollama at http://127.0.0.1:{port} cannot be reached. Start it (`ollama serve` or "
        "the app), or name its address with --embedder-url or OLLAMA_HOST."
    )


def test_an_ollama_that_comes_up_later_answers_the_same_embedder() -> None:
    port = free_port()
    nomic = OllamaEmbedder(DEFAULT_MODEL, f":{port}")
    with pytest.raises(EmbedderUnavailable):
        nomic.embed_query("anyone there?")
    with running(port=port):
        assert nomic.embed_query("anyone there?").shape == (768,)


def test_a_model_that_is_not_pulled_is_said_with_the_command_that_pulls_it(
    ollama: OllamaStandIn,
) -> None:
    with pytest.raises(ModelMissing, match="Run `ollama pull bge-m3`"):
        embedder(ollama, "bge-m3").embed_query("anything")


def test_a_model_deleted_since_is_said_in_the_same_way(ollama: OllamaStandIn) -> None:
    nomic = embedder(ollama)
    nomic.embed_query("before")
    ollama.models = []
    with pytest.raises(ModelMissing, match="Run `ollama pull nomic-embed-text`"):
        nomic.embed_query("after")


@pytest.mark.parametrize("capabilities", [("completion",), None])
def test_a_chat_model_is_refused_whether_ollama_tells_before_or_after(
    ollama: OllamaStandIn, capabilities: tuple[str, ...] | None
) -> None:
    ollama.models = [Model("llama3:latest", capabilities=capabilities)]
    ollama.faults = [fails(501, "this model does not support embeddings")]
    with pytest.raises(EmbedderRefused, match="llama3 gives no embeddings"):
        embedder(ollama, "llama3").embed_query("anything")


def test_the_dimension_is_read_from_any_architecture(ollama: OllamaStandIn) -> None:
    ollama.models = [Model("bge-m3:latest", architecture="bert", tokenizer="t5", dimension=1024)]
    assert embedder(ollama, "bge-m3").identity.dimension == 1024


def test_a_key_for_ollamas_cloud_never_travels_unencrypted(
    ollama: OllamaStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "secret")
    embedder(ollama).embed_query("anything")
    assert ["authorization" in request.headers for request in ollama.requests] == [False] * 6


def test_a_proxy_in_the_environment_is_not_used_for_this_machine(
    ollama: OllamaStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    assert embedder(ollama).embed_query("anything").shape == (768,)


def test_a_client_that_cannot_even_be_imported_is_said_in_a_sentence() -> None:
    program = (
        "from blog_search_mcp.index.embedders.ollama.embedder import OllamaEmbedder\n"
        "from blog_search_mcp.index.errors import EmbedderRefused\n"
        "try: OllamaEmbedder('all-minilm', '127.0.0.1').identity\n"
        "except EmbedderRefused as error: print(error)\n"
    )
    assert output_of(program, env=os.environ | {"OLLAMA_HOST": ":66000"}) == (
        "The Ollama client cannot start: Port out of range 0-65535. Correct OLLAMA_HOST, which it "
        "reads even beside --embedder-url, SSL_CERT_FILE or the proxy variables.\n"
    )
