"""Which embedder an ingest and a server use, and that they say why."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from blog_search_mcp.index.embedders import connection as client
from blog_search_mcp.index.embedders.packaged import E5, MINILM, PACKAGED
from blog_search_mcp.index.embedders.registry import (
    advise_other_model,
    choose_embedder,
    open_embedder,
)
from blog_search_mcp.index.errors import EmbedderMismatch, UsageError
from blog_search_mcp.index.types import EmbedderIdentity
from tests.support.ollama_standin import Fault, Model, OllamaStandIn, fails, hangs, running
from tests.support.ports import free_port

ENGLISH = {"en": 80, "en-gb": 11, "de": 9}
MIXED = {"en": 81, "en-gb": 9, "zh-tw": 6, "de": 4}
NOMIC = EmbedderIdentity("ollama", "nomic-embed-text", Model().digest, 64, "d: ", "q: ")
BOTH = ("nomic-embed-text:latest", "bge-m3:latest")
PULL_BGE = "ollama pull bge-m3"


@pytest.fixture
def ollama() -> Iterator[OllamaStandIn]:
    with running() as standin:
        yield standin


def uncounted() -> dict[str, int]:
    raise AssertionError("languages decide nothing here")


@pytest.mark.parametrize(
    ("kind", "posts", "installed", "name", "reason"),
    [
        ("auto", ENGLISH, BOTH, "ollama nomic-embed-text", ""),
        ("auto", ENGLISH, None, "embedded all-MiniLM-L6-v2", "ollama pull nomic-embed-text"),
        ("auto", ENGLISH, BOTH[1:], "embedded all-MiniLM-L6-v2", "ollama pull nomic-embed-text"),
        ("auto", MIXED, BOTH[:1], "embedded multilingual-e5-small", PULL_BGE),
        ("auto", {"zh": 10}, None, "embedded multilingual-e5-small", PULL_BGE),
        ("ollama", ENGLISH, BOTH, "ollama nomic-embed-text", ""),
        ("ollama", MIXED, BOTH, "ollama bge-m3", "10% of the posts"),
        ("embedded", ENGLISH, None, "embedded all-MiniLM-L6-v2", ""),
        ("embedded", MIXED, None, "embedded multilingual-e5-small", "10% of the posts"),
        ("embedded", {}, None, "embedded all-MiniLM-L6-v2", ""),
        ("embedded", {"en": 60, "": 31, "zh": 9}, None, "embedded all-MiniLM-L6-v2", ""),
        ("embedded", {"en": 60, "": 30, "und": 10}, None, "embedded multilingual-e5-small", ""),
    ],
)
def test_a_new_index_gets_the_embedder_for_its_languages_and_for_what_is_at_hand(
    kind: str,
    posts: Mapping[str, int],
    installed: tuple[str, ...] | None,
    name: str,
    reason: str,
    ollama: OllamaStandIn,
) -> None:
    ollama.models = [Model(each) for each in installed or ()]
    url = f"127.0.0.1:{free_port()}" if installed is None else ollama.host
    choice = choose_embedder(kind, None, url, None, lambda: posts)
    assert reason in choice.reason
    assert name.partition(" ")[2] in choice.reason
    assert choice.embedder.identity.name == name


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (fails(500, "llama-server process has terminated: insufficient memory"), "insufficient"),
        (fails(500, "invalid file magic"), "ollama pull"),
        (hangs, "in time"),
    ],
)
def test_an_ollama_that_has_the_model_and_does_not_embed_is_not_taken_unasked(
    fault: Fault, reason: str, ollama: OllamaStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "FOR_A_TRIAL", client.RetryPolicy(0.3))
    ollama.on_text[""] = fault
    choice = choose_embedder("auto", None, ollama.host, None, lambda: ENGLISH)
    assert choice.embedder.identity == MINILM.identity
    assert reason in choice.reason


@pytest.mark.parametrize(
    ("kind", "model", "existing", "title"),
    [
        *[(kind, model, None, model) for kind in ("auto", "embedded") for model in PACKAGED],
        ("auto", "bge-m3", None, "Ollama's bge-m3"),
        ("openai", "m", None, "the embedding server's m"),
        ("auto", None, MINILM.identity, "all-MiniLM-L6-v2"),
        ("auto", "Nomic-Embed-Text:latest", NOMIC, "Ollama's nomic-embed-text"),
    ],
)
def test_what_is_named_or_what_the_index_has_is_taken_without_a_look_at_anything(
    kind: str,
    model: str | None,
    existing: EmbedderIdentity | None,
    title: str,
    ollama: OllamaStandIn,
) -> None:
    choice = choose_embedder(kind, model, ollama.host, existing, uncounted)
    assert title in choice.reason
    assert choice.is_asked == (model is not None)
    assert existing is None or choice.embedder.identity == existing
    assert ollama.requests == []


@pytest.mark.parametrize(
    ("kind", "model", "existing", "error", "command"),
    [
        ("embedded", "bge-m3", None, UsageError, "--embedder ollama"),
        ("openai", None, None, UsageError, "--model"),
        ("ollama", None, MINILM.identity, EmbedderMismatch, "--rebuild --embedder ollama"),
        ("auto", "bge-m3", MINILM.identity, EmbedderMismatch, "ollama --model bge-m3"),
        ("embedded", None, NOMIC, EmbedderMismatch, "--rebuild --embedder embedded"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_mends_it(
    kind: str,
    model: str | None,
    existing: EmbedderIdentity | None,
    error: type[Exception],
    command: str,
) -> None:
    with pytest.raises(error) as raised:
        choose_embedder(kind, model, "", existing, lambda: ENGLISH)
    assert command in str(raised.value)


@pytest.mark.parametrize("change", [{"digest": "0" * 64}, {"model": "later", "kind": "later"}])
def test_an_index_of_another_version_of_the_package_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(EmbedderMismatch, match="--rebuild"):
        open_embedder(replace(MINILM.identity, **change), "")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("identity", "posts", "advised"),
    [
        (MINILM.identity, MIXED, E5.identity.model),
        (NOMIC, MIXED, E5.identity.model),
        (E5.identity, ENGLISH, MINILM.identity.model),
        (NOMIC, ENGLISH, ""),
        (replace(NOMIC, model="bge-m3"), MIXED, ""),
        (E5.identity, MIXED, ""),
    ],
)
def test_an_index_whose_blog_changed_its_languages_is_told_of_the_other_model(
    identity: EmbedderIdentity, posts: Mapping[str, int], advised: str
) -> None:
    advice = advise_other_model(identity, posts)
    assert advised in advice
    assert bool(advice) == bool(advised)
