"""Ollamas that misread capitals: what is sent to them, and that others get the text as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from blog_search_mcp.index.embedders.base import DEFAULT_MODEL
from blog_search_mcp.index.embedders.ollama.embedder import OllamaEmbedder
from blog_search_mcp.index.embedders.packaged import OnnxEmbedder
from blog_search_mcp.index.embedders.registry import Choice, choose_embedder, open_embedder
from blog_search_mcp.index.errors import EmbedderUnavailable
from tests.support.ollama_standin import Model, OllamaStandIn, embedding, running

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOUTED, SPOKEN, OTHER = "REPLACE SUMP PUMP", "replace sump pump", "CREATE A SPREADSHEET"

WARNING = (
    "Ollama 0.24.0 misreads capitals and accents for nomic-embed-text, so texts go to it in "
    "lower case and without accents. Update Ollama to 0.30 or later."
)


@pytest.fixture
def broken() -> Iterator[OllamaStandIn]:
    with running(OllamaStandIn(version="0.24.0", reads_capitals=False)) as standin:
        yield standin


def test_a_broken_version_confuses_everything_in_capitals() -> None:
    """What the rest of this file is about; true of the stand-in as of 0.13.1 to 0.24."""
    shouted = embedding(SHOUTED, Model(), reads_capitals=False)
    np.testing.assert_array_equal(shouted, embedding(OTHER, Model(), reads_capitals=False))
    assert shouted @ embedding(SPOKEN, Model(), reads_capitals=False) < 0.9


def test_through_this_client_a_broken_version_reads_capitals_and_accents(
    broken: OllamaStandIn,
) -> None:
    texts = [SHOUTED, SPOKEN, OTHER, "Crème Brûlée", "creme brulee"]
    rows = OllamaEmbedder(DEFAULT_MODEL, broken.host).embed_documents(texts)
    assert broken.embedded[-1]["input"] == [
        "search_document: replace sump pump",
        "search_document: replace sump pump",
        "search_document: create a spreadsheet",
        "search_document: creme brulee",
        "search_document: creme brulee",
    ]
    expected = [embedding(f"search_document: {text}", Model()) for text in texts]
    np.testing.assert_array_equal(rows, np.stack(expected))


def test_queries_and_prefixes_are_folded_too(broken: OllamaStandIn) -> None:
    broken.models = [Model("mxbai-embed-large:latest", architecture="bert", dimension=1024)]
    OllamaEmbedder("mxbai-embed-large", broken.host).embed_query("Where is São Paulo?")
    assert broken.embedded[0]["input"] == [
        "represent this sentence for searching relevant passages: where is sao paulo?"
    ]


@pytest.mark.parametrize("version", ["0.13.0", "0.30.0", "0.32.15", "0.0.0", "", None])
def test_to_every_other_version_texts_go_as_they_are(version: str | None) -> None:
    with running(OllamaStandIn(version=version)) as right:
        nomic = OllamaEmbedder(DEFAULT_MODEL, right.host)
        rows = nomic.embed_documents([SHOUTED, SPOKEN, "Crème Brûlée"])
        assert [body["input"] for body in right.embedded] == [
            [f"search_document: {text}"] for text in (SHOUTED, SPOKEN, "Crème Brûlée")
        ]
        np.testing.assert_array_equal(rows[0], rows[1])
        assert nomic.warnings() == ()


@pytest.mark.parametrize(
    "model",
    [
        Model("bge-m3:latest", architecture="bert", tokenizer="t5"),
        Model("granite-embedding:latest", architecture="bert", tokenizer="gpt2"),
        Model("nomic-embed-text-v2-moe:latest", architecture="nomic-bert-moe", tokenizer="t5"),
        Model("jina-embeddings:latest", architecture="jina-bert-v2", tokenizer="bert"),
    ],
)
def test_models_that_tell_capitals_apart_get_them_from_every_version(
    broken: OllamaStandIn, model: Model
) -> None:
    broken.models = [model]
    embedder = OllamaEmbedder(model.name, broken.host, prefixes=("", ""))
    embedder.embed_query("São Paulo")
    assert broken.embedded[0]["input"] == ["São Paulo"]
    assert embedder.warnings() == ()


def test_an_index_stays_valid_when_its_ollama_is_updated(broken: OllamaStandIn) -> None:
    before = OllamaEmbedder(DEFAULT_MODEL, broken.host)
    built = before.embed_documents([SHOUTED])
    identity = before.identity
    assert identity.fingerprint is not None
    with running(OllamaStandIn(version="0.30.0")) as updated:
        now = open_embedder(identity, updated.host)
        np.testing.assert_array_equal(now.embed_documents([SHOUTED]), built)
    assert now.identity == replace(
        identity, fingerprint=replace(identity.fingerprint, version="0.30.0")
    )


def test_a_broken_version_is_named_with_what_to_do(broken: OllamaStandIn) -> None:
    new = choose_embedder("ollama", None, broken.host, None, dict)
    new.embedder.embed_documents([SHOUTED])
    assert new.warnings() == (WARNING,)


def test_an_existing_index_warns_once_it_has_embedded_and_asks_nothing_for_it(
    broken: OllamaStandIn,
) -> None:
    kept = choose_embedder(
        "auto", None, broken.host, OllamaEmbedder(DEFAULT_MODEL, broken.host).identity, dict
    )
    broken.requests.clear()
    assert kept.warnings() == ()
    assert {request.path for request in broken.requests} <= {"/api/tags"}
    kept.embedder.embed_query(SHOUTED)
    assert kept.warnings() == (WARNING,)


def test_the_embedder_in_the_package_has_nothing_to_warn_of() -> None:
    assert Choice(OnnxEmbedder(), "as asked").warnings() == ()


def test_an_ollama_that_goes_down_before_it_told_its_version_is_down() -> None:
    with running() as standin:
        nomic = OllamaEmbedder(DEFAULT_MODEL, standin.host)
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        nomic.warnings()
