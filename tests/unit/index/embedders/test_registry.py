"""Which embedder an ingest and the server use, and in which words they say so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from blog_search_mcp.index.embedders.base import DEFAULT_MODEL
from blog_search_mcp.index.embedders.ollama.embedder import OllamaEmbedder
from blog_search_mcp.index.embedders.packaged import E5, MINILM, PACKAGED, OnnxEmbedder
from blog_search_mcp.index.embedders.registry import (
    Choice,
    advise_other_model,
    choose_embedder,
    open_embedder,
)
from blog_search_mcp.index.embedders.verified import VerifiedEmbedder
from blog_search_mcp.index.errors import (
    EmbedderMismatch,
    EmbedderUnavailable,
    ModelMissing,
    UsageError,
)
from tests.support.ollama_standin import Model, OllamaStandIn, embedding, running
from tests.support.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from blog_search_mcp.index.types import EmbedderIdentity


ENGLISH = {"en": 80, "en-gb": 11, "de": 9}
MIXED = {"en": 81, "en-gb": 9, "zh-tw": 6, "de": 4}


def choose(
    kind: str,
    model: str | None,
    url: str,
    existing: EmbedderIdentity | None,
    posts: Mapping[str, int] = ENGLISH,
) -> Choice:
    return choose_embedder(kind, model, url, existing, lambda: posts)


def uncounted() -> dict[str, int]:
    raise AssertionError("languages decide nothing here")


@pytest.fixture
def ollama() -> Iterator[OllamaStandIn]:
    with running() as standin:
        yield standin


@pytest.fixture
def nomic(ollama: OllamaStandIn) -> EmbedderIdentity:
    return OllamaEmbedder(DEFAULT_MODEL, ollama.host).identity


@pytest.fixture
def nobody() -> str:
    return f"http://127.0.0.1:{free_port()}"


def test_auto_takes_ollama_where_it_has_the_model(ollama: OllamaStandIn) -> None:
    choice = choose("auto", None, ollama.host, None)
    assert choice.embedder.identity.name == "ollama nomic-embed-text"
    assert choice.reason == (
        f"Embedder: Ollama's nomic-embed-text, since Ollama at http://{ollama.host} has it."
    )


def test_auto_takes_the_embedded_one_where_ollama_is_down_and_says_how_to_get_nomic(
    nobody: str,
) -> None:
    choice = choose("auto", None, nobody, None)
    assert isinstance(choice.embedder, OnnxEmbedder)
    assert choice.reason == (
        f"Embedder: the packaged model all-MiniLM-L6-v2, since Ollama at {nobody} does not answer. "
        "To use Ollama's nomic-embed-text instead: `ollama pull nomic-embed-text`, then "
        "`blog-search-mcp ingest CONTENT --index INDEX --rebuild --embedder ollama`."
    )


def test_auto_takes_the_embedded_one_where_ollama_lacks_the_model(ollama: OllamaStandIn) -> None:
    ollama.models = [Model("bge-m3:latest")]
    choice = choose("auto", None, ollama.host, None)
    assert isinstance(choice.embedder, OnnxEmbedder)
    assert choice.reason.startswith(
        f"Embedder: the packaged model all-MiniLM-L6-v2, since Ollama at http://{ollama.host} does "
        "not have nomic-embed-text. To use Ollama's nomic-embed-text instead: `ollama pull "
        "nomic-embed-text`, then"
    )


def test_auto_takes_the_multilingual_one_for_other_languages_although_ollama_is_up(
    ollama: OllamaStandIn,
) -> None:
    choice = choose("auto", None, ollama.host, None, MIXED)
    assert choice.embedder.identity == E5.identity
    assert choice.reason == (
        "Embedder: the packaged model multilingual-e5-small. 10% of the posts are not in English. "
        "To use Ollama's bge-m3 instead: `ollama pull bge-m3`, then "
        "`blog-search-mcp ingest CONTENT --index INDEX --rebuild --embedder ollama --model bge-m3`."
    )
    assert ollama.requests == []


@pytest.mark.parametrize(
    ("installed", "model"),
    [
        (
            ["nomic-embed-text:latest", "embeddinggemma:300m", "llama3:latest"],
            "embeddinggemma:300m",
        ),
        (["nomic-embed-text:latest", "embeddinggemma:300m", "bge-m3:latest"], "bge-m3"),
    ],
)
def test_ollama_without_a_model_takes_for_other_languages_one_that_knows_them(
    ollama: OllamaStandIn, installed: list[str], model: str
) -> None:
    ollama.models = [Model(name) for name in installed]
    choice = choose("ollama", None, ollama.host, None, MIXED)
    assert choice.reason == f"Embedder: Ollama's {model}. 10% of the posts are not in English."
    assert choice.embedder.identity.name == f"ollama {model}"


def test_ollama_that_has_no_model_for_the_posts_is_told_to_pull_one(ollama: OllamaStandIn) -> None:
    ollama.models = [Model("all-minilm:latest")]
    choice = choose("ollama", None, ollama.host, None, MIXED)
    with pytest.raises(ModelMissing, match="ollama pull bge-m3"):
        _ = choice.embedder.identity


def test_ollama_with_an_english_model_alone_takes_it_and_names_one_that_knows_more(
    ollama: OllamaStandIn,
) -> None:
    choice = choose("ollama", None, ollama.host, None, {"zh-tw": 9, "en": 1})
    assert choice.embedder.identity.name == "ollama nomic-embed-text"
    assert choice.reason == (
        "Embedder: Ollama's nomic-embed-text, as asked. 90% of the posts are not in English, and "
        "it reads English alone. To use Ollama's bge-m3 instead: `ollama pull bge-m3`, then "
        "`blog-search-mcp ingest CONTENT --index INDEX --rebuild --embedder ollama --model bge-m3`."
    )


def test_ollama_without_a_model_is_not_asked_for_a_list_where_the_posts_are_in_english(
    ollama: OllamaStandIn,
) -> None:
    choice = choose("ollama", None, ollama.host, None, ENGLISH)
    assert choice.reason == "Embedder: Ollama's nomic-embed-text, as asked."
    assert ollama.requests == []


def test_nothing_said_of_a_blog_in_other_languages_tells_to_pull_an_english_model(
    nobody: str,
) -> None:
    for kind in ("auto", "ollama", "embedded"):
        choice = choose(kind, None, nobody, None, {"zh": 10})
        assert "nomic" not in choice.reason
    with pytest.raises(EmbedderUnavailable):
        _ = choose("ollama", None, nobody, None, {"zh": 10}).embedder.identity


def test_the_embedded_model_goes_by_the_posts_languages(nobody: str) -> None:
    chosen = {
        choice.embedder.identity.model: choice.reason
        for posts in (ENGLISH, MIXED, {"ja": 3})
        for choice in [choose("embedded", None, nobody, None, posts)]
    }
    assert chosen == {
        "all-MiniLM-L6-v2": (
            "Embedder: the packaged model all-MiniLM-L6-v2. The posts are in English."
        ),
        "multilingual-e5-small": (
            "Embedder: the packaged model multilingual-e5-small. The posts are not in English."
        ),
    }
    nothing_known = [choose("embedded", None, nobody, None, posts) for posts in ({}, {"": 3})]
    assert [choice.embedder.identity for choice in nothing_known] == [MINILM.identity] * 2
    assert {choice.reason for choice in nothing_known} == {
        "Embedder: the packaged model all-MiniLM-L6-v2. The posts show no language."
    }


def test_posts_that_show_no_language_are_none_in_another_one(nobody: str) -> None:
    stubs = {"en": 60, "": 31, "zh": 9}
    assert choose("embedded", None, nobody, None, stubs).embedder.identity == MINILM.identity
    polish = {"en": 60, "": 30, "und": 10}
    assert choose("embedded", None, nobody, None, polish).embedder.identity == E5.identity


@pytest.mark.parametrize("model", PACKAGED)
def test_a_model_that_is_named_is_taken_whatever_the_languages(model: str, nobody: str) -> None:
    for kind in ("auto", "embedded"):
        choice = choose_embedder(kind, model, nobody, None, uncounted)
        assert (choice.embedder.identity.model, choice.is_asked) == (model, True)
    identity = PACKAGED[model].identity
    assert choose_embedder("auto", None, nobody, identity, uncounted).is_asked is False
    assert choose_embedder("auto", model, nobody, identity, uncounted).is_asked is True


OTHER_ADVICE = (
    "10% of the posts are not in English, so a new index would get multilingual-e5-small: "
    "`blog-search-mcp ingest CONTENT --index INDEX --rebuild --embedder embedded`."
)


def test_an_index_whose_blog_changed_its_languages_is_told_of_the_other_model(
    nomic: EmbedderIdentity,
) -> None:
    bge = replace(nomic, model="bge-m3")
    assert advise_other_model(MINILM.identity, MIXED) == OTHER_ADVICE
    assert advise_other_model(nomic, MIXED) == OTHER_ADVICE
    assert advise_other_model(E5.identity, ENGLISH) == (
        "The posts are in English, so a new index would get all-MiniLM-L6-v2: "
        "`blog-search-mcp ingest CONTENT --index INDEX --rebuild --embedder embedded`."
    )
    fitting = [(MINILM.identity, ENGLISH), (nomic, ENGLISH), (bge, ENGLISH), (bge, MIXED)]
    fitting += [(E5.identity, MIXED), (replace(nomic, model="somebodys-own"), MIXED)]
    assert [advise_other_model(*pair) for pair in fitting] == [""] * len(fitting)


@pytest.mark.parametrize(
    ("model", "name"),
    [("bge-m3", "Ollama's bge-m3"), *((m, f"the packaged model {m}") for m in PACKAGED)],
)
def test_auto_takes_the_embedder_whose_model_is_named(model: str, name: str, nobody: str) -> None:
    assert choose("auto", model, nobody, None).reason == f"Embedder: {name}, as asked."


def test_auto_keeps_an_embedded_index_although_ollama_is_up(ollama: OllamaStandIn) -> None:
    choice = choose("auto", None, ollama.host, MINILM.identity)
    assert isinstance(choice.embedder, OnnxEmbedder)
    assert choice.reason == "The index keeps its embedder, the packaged model all-MiniLM-L6-v2."
    assert ollama.requests == []


def test_auto_keeps_an_ollama_index_although_ollama_is_down(
    nomic: EmbedderIdentity, nobody: str
) -> None:
    choice = choose("auto", None, nobody, nomic)
    assert choice.embedder.identity == nomic
    assert choice.reason == "The index keeps its embedder, Ollama's nomic-embed-text."
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        choice.embedder.embed_query("anyone there?")


def test_what_is_asked_for_is_taken_without_a_look_at_ollama(ollama: OllamaStandIn) -> None:
    assert isinstance(choose("embedded", None, ollama.host, None).embedder, OnnxEmbedder)
    asked = choose("ollama", "bge-m3", ollama.host, None)
    assert isinstance(asked.embedder, VerifiedEmbedder)
    assert asked.reason == "Embedder: Ollama's bge-m3, as asked."
    assert ollama.requests == []


def test_the_embedded_embedder_has_no_other_model(nobody: str) -> None:
    with pytest.raises(UsageError, match="only all-MiniLM-L6-v2 and multiling"):
        choose("embedded", "bge-m3", nobody, None)


@pytest.mark.parametrize(
    ("asked", "model", "command"),
    [
        ("ollama", None, "--embedder ollama"),
        ("ollama", "bge-m3", "--embedder ollama --model bge-m3"),
        ("auto", "nomic-embed-text", "--embedder ollama"),
    ],
)
def test_an_embedded_index_refuses_ollama_with_the_command_that_mends_it(
    asked: str, model: str | None, command: str, nobody: str
) -> None:
    with pytest.raises(EmbedderMismatch) as raised:
        choose(asked, model, nobody, MINILM.identity)
    assert str(raised.value) == (
        "This index was built with the packaged model all-MiniLM-L6-v2, and vectors of two "
        "embedders cannot be compared. Leave --embedder and --model out to keep it, or build it "
        f"anew: `blog-search-mcp ingest CONTENT --index INDEX --rebuild {command}`."
    )


@pytest.mark.parametrize("asked", ["auto", "embedded"])
def test_an_index_of_one_model_of_the_package_refuses_the_other(asked: str, nobody: str) -> None:
    with pytest.raises(EmbedderMismatch) as raised:
        choose(asked, "multilingual-e5-small", nobody, MINILM.identity)
    assert str(raised.value) == (
        "This index was built with the packaged model all-MiniLM-L6-v2, and vectors of two "
        "embedders cannot be compared. Leave --embedder and --model out to keep it, or build it "
        "anew: `blog-search-mcp ingest CONTENT --index INDEX --rebuild --embedder embedded --model "
        "multilingual-e5-small`."
    )


def test_an_ollama_index_refuses_the_embedded_one_and_another_model(
    nomic: EmbedderIdentity, nobody: str
) -> None:
    with pytest.raises(EmbedderMismatch, match=r"--rebuild --embedder embedded`\.$"):
        choose("embedded", None, nobody, nomic)
    with pytest.raises(EmbedderMismatch, match=r"--rebuild --embedder ollama --model bge-m3`\.$"):
        choose("ollama", "bge-m3", nobody, nomic)


@pytest.mark.parametrize(
    ("asked", "model"),
    [("ollama", None), ("ollama", "nomic-embed-text"), ("auto", "Nomic-Embed-Text:latest")],
)
def test_asking_for_what_the_index_has_keeps_it(
    asked: str, model: str | None, nomic: EmbedderIdentity, nobody: str
) -> None:
    assert choose(asked, model, nobody, nomic).embedder.identity == nomic


def test_the_server_gets_the_embedder_of_the_index(
    ollama: OllamaStandIn, nomic: EmbedderIdentity
) -> None:
    for model in PACKAGED.values():
        opened = open_embedder(model.identity, ollama.host)
        assert isinstance(opened, OnnxEmbedder)
        assert opened.model == model
    row = open_embedder(nomic, ollama.host).embed_query("a query")
    np.testing.assert_array_equal(row, embedding("search_query: a query", Model()))


def test_the_prefixes_are_those_the_index_was_built_with(
    ollama: OllamaStandIn, nomic: EmbedderIdentity
) -> None:
    odd = replace(nomic, document_prefix="d: ", query_prefix="q: ")
    ollama.requests.clear()
    open_embedder(odd, ollama.host).embed_query("a query")
    open_embedder(odd, ollama.host).embed_documents(["a text"])
    assert [body["input"] for body in ollama.embedded] == [["q: a query"], ["d: a text"]]


def test_a_model_with_other_weights_is_refused_before_its_first_vector(
    ollama: OllamaStandIn, nomic: EmbedderIdentity
) -> None:
    ollama.models = [Model(digest="f" * 64)]
    ollama.requests.clear()
    with pytest.raises(EmbedderMismatch) as raised:
        open_embedder(nomic, ollama.host).embed_query("a query")
    assert str(raised.value) == (
        "The index was built with other weights of Ollama's nomic-embed-text (digest 0a109f422b47, "
        "now ffffffffffff). Build it anew: "
        "`blog-search-mcp ingest CONTENT --index INDEX --rebuild --embedder ollama`."
    )
    assert ollama.embedded == []


def test_a_model_with_another_dimension_is_refused(
    ollama: OllamaStandIn, nomic: EmbedderIdentity
) -> None:
    ollama.models = [Model(dimension=256)]
    with pytest.raises(EmbedderMismatch, match="other weights of Ollama's nomic-embed-text"):
        open_embedder(nomic, ollama.host).embed_documents(["a text"])


def test_an_embedded_index_of_another_version_of_the_package_is_refused() -> None:
    older = replace(MINILM.identity, digest="0" * 64)
    with pytest.raises(EmbedderMismatch, match="--rebuild --embedder embedded"):
        open_embedder(older, "")


def test_an_index_of_an_embedder_that_is_not_here_is_refused_with_what_to_do() -> None:
    unknown = replace(MINILM.identity, model="a-later-model")
    for identity in (unknown, replace(unknown, kind="a-later-kind")):
        with pytest.raises(EmbedderMismatch, match="which this version does not have"):
            open_embedder(identity, "")
