"""Ollamas that misread capitals are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.embedders.base import DEFAULT_MODEL
from blog_search_mcp.index.embedders.ollama.embedder import OllamaEmbedder
from blog_search_mcp.index.embedders.packaged import OnnxEmbedder
from blog_search_mcp.index.embedders.registry import Choice, choose_embedder
from blog_search_mcp.index.errors import EmbedderUnavailable
from tests.support.ollama_standin import Model, OllamaStandIn, running

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOUTED = "REPLACE SUMP PUMP"

WARNING = (
    "Ollama 0.24.0 misreads capitals and accents for nomic-embed-text. "
    "Update Ollama to 0.30 or later."
)


@pytest.fixture
def broken() -> Iterator[OllamaStandIn]:
    with running(OllamaStandIn(version="0.24.0", reads_capitals=False)) as standin:
        yield standin


def test_a_model_that_tells_capitals_apart_is_read_right_by_every_version(
    broken: OllamaStandIn,
) -> None:
    broken.models = [Model("bge-m3:latest", architecture="bert", tokenizer="t5")]
    embedder = OllamaEmbedder("bge-m3", broken.host)
    embedder.embed_query("São Paulo")
    assert embedder.warnings() == ()


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
