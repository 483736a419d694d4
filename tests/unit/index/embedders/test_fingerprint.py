"""An embedder that must stay what it was: what counts as the same, and what is said if not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from blog_search_mcp.index.embedders.base import DEFAULT_MODEL, count_tokens
from blog_search_mcp.index.embedders.cache import open_cache
from blog_search_mcp.index.embedders.fingerprint import SAME, TEXTS, least_cosine, pack_vectors
from blog_search_mcp.index.embedders.ollama.embedder import OllamaEmbedder
from blog_search_mcp.index.embedders.registry import connect_embedder
from blog_search_mcp.index.embedders.verified import VerifiedEmbedder
from blog_search_mcp.index.errors import EmbedderMismatch, EmbedderUnavailable
from blog_search_mcp.index.store.manifest import Manifest, dumps, loads
from blog_search_mcp.index.types import EmbedderIdentity, Fingerprint
from tests.support.faults.ollama_stage import MODEL
from tests.support.ollama.faults import becomes
from tests.support.ollama_standin import OllamaStandIn, replies, running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blog_search_mcp.index.types import Vectors

UNIT = np.eye(4, 8, dtype=np.float32)


@pytest.fixture
def ollama() -> Iterator[OllamaStandIn]:
    with running(OllamaStandIn([MODEL])) as standin:
        yield standin


@pytest.fixture
def recorded(ollama: OllamaStandIn) -> EmbedderIdentity:
    identity = OllamaEmbedder(DEFAULT_MODEL, ollama.host).identity
    ollama.requests.clear()
    return identity


def verified(ollama: OllamaStandIn, recorded: EmbedderIdentity | None = None) -> VerifiedEmbedder:
    if recorded is not None:
        return connect_embedder(recorded, ollama.host)
    return VerifiedEmbedder(OllamaEmbedder(DEFAULT_MODEL, ollama.host))


def turned(rows: Vectors, cosine: float) -> Vectors:
    """The rows with the last one turned so far away."""
    other = rows.copy()
    other[-1, -2:] += np.float32(np.sqrt(1 / cosine**2 - 1)) * np.array([0, 1], dtype=np.float32)
    other /= np.linalg.norm(other, axis=1, keepdims=True)
    return other


def test_the_texts_have_what_versions_were_seen_to_lose_and_fit_every_model() -> None:
    mixed, accented, code, long = TEXTS
    assert mixed.lower() != mixed
    assert not accented.isascii()
    assert sum(not c.isalnum() and not c.isspace() for c in code) > 20
    assert all(count_tokens(text) < 200 for text in TEXTS)
    assert count_tokens(long) > 100


@pytest.mark.parametrize("cosine", [1.0, 0.9995, 0.99, 0.5])
def test_the_text_that_changed_most_counts(cosine: float) -> None:
    assert least_cosine(pack_vectors(UNIT), pack_vectors(turned(UNIT, cosine)), 8) == pytest.approx(
        cosine, abs=1e-5
    )


@pytest.mark.parametrize("damaged", [pack_vectors(UNIT[:, :4]), pack_vectors(UNIT[:1]), "&", ""])
def test_a_damaged_record_is_unlike(damaged: str) -> None:
    assert least_cosine(damaged, pack_vectors(UNIT), 8) == -1.0


def test_with_the_same_digest_and_version_no_text_is_embedded_again(
    ollama: OllamaStandIn, recorded: EmbedderIdentity
) -> None:
    verified(ollama, recorded).embed_query("a pear")
    assert [body["input"] for body in ollama.embedded] == [["search_query: a pear"]]


def test_another_version_with_the_same_vectors_is_the_same_and_remembered(
    ollama: OllamaStandIn, recorded: EmbedderIdentity
) -> None:
    assert recorded.fingerprint is not None
    ollama.version = "0.33.1"
    embedder = verified(ollama, recorded)
    embedder.embed_query("a pear")
    assert len(ollama.embedded) == len(TEXTS) + 1
    newer = replace(recorded, fingerprint=replace(recorded.fingerprint, version="0.33.1"))
    assert embedder.identity == newer
    embedder.embed_query("a pear")
    assert len(ollama.embedded) == len(TEXTS) + 2


def test_another_version_with_other_vectors_is_refused_with_the_command_that_mends_it(
    ollama: OllamaStandIn, recorded: EmbedderIdentity
) -> None:
    assert recorded.fingerprint is not None
    near = turned(OllamaEmbedder(DEFAULT_MODEL, ollama.host).embed_fingerprint(), 0.998)
    elsewhere = replace(recorded, fingerprint=Fingerprint("0.31.0", pack_vectors(near)))
    with pytest.raises(EmbedderMismatch) as raised:
        verified(ollama, elsewhere).embed_documents(["a pear"])
    said = str(raised.value)
    assert said.startswith(
        "The index was built with Ollama 0.31.0, and Ollama 0.32.15 gives other vectors for "
        "nomic-embed-text (cosine 0.99"
    )
    assert said.endswith(
        f"instead of {SAME}). Go back to that version, or build the index anew: "
        "`blog-search-mcp ingest CONTENT --index INDEX --rebuild --embedder ollama`."
    )


def test_a_refused_model_is_looked_at_again_for_the_next_query(
    ollama: OllamaStandIn, recorded: EmbedderIdentity
) -> None:
    embedder = verified(ollama, recorded)
    ollama.models = [replace(MODEL, digest="f" * 64)]
    with pytest.raises(EmbedderMismatch):
        embedder.embed_query("a pear")
    ollama.models = [MODEL]
    assert embedder.embed_query("a pear").shape == (MODEL.dimension,)


def test_a_model_replaced_between_two_queries_is_refused_at_the_second(
    ollama: OllamaStandIn, recorded: EmbedderIdentity
) -> None:
    embedder = verified(ollama, recorded)
    embedder.embed_query("a pear")
    ollama.models = [replace(MODEL, digest="f" * 64)]
    with pytest.raises(EmbedderMismatch, match="other weights"):
        embedder.embed_query("a pear")


def test_what_was_embedded_across_an_update_is_embedded_again(ollama: OllamaStandIn) -> None:
    embedder = verified(ollama)
    before = embedder.embed_documents(["a pear"])
    asked = len(ollama.embedded)
    ollama.faults = [becomes(version="0.33.1")]
    np.testing.assert_array_equal(embedder.embed_documents(["a pear"]), before)
    assert len(ollama.embedded) == asked + 1 + len(TEXTS) + 1


def test_an_index_is_known_while_ollama_is_down(recorded: EmbedderIdentity) -> None:
    absent = VerifiedEmbedder(OllamaEmbedder(DEFAULT_MODEL, "127.0.0.1:9"), recorded)
    assert absent.identity == recorded
    assert absent.server_version() is None
    assert absent.warnings() == ()
    with pytest.raises(EmbedderUnavailable):
        absent.embed_query("a pear")


@pytest.mark.parametrize("answer", ["<html>", {"models": 1}, {"models": [{"name": "x"}]}, []])
def test_what_is_no_ollama_says_nothing_of_a_model(
    ollama: OllamaStandIn, recorded: EmbedderIdentity, answer: object
) -> None:
    ollama.elsewhere = {"/api/tags": replies(200, answer)}
    assert verified(ollama, recorded).warnings() == ()


def test_the_manifest_keeps_the_fingerprint(recorded: EmbedderIdentity) -> None:
    manifest = Manifest(
        generation=1,
        created="2026-01-15T08:00:00+00:00",
        embedder=recorded,
        build={},
        posts={},
        superseded=0,
        files={},
    )
    assert loads(dumps(manifest)).embedder == recorded


def cached(path: Path, identity: EmbedderIdentity, vectors: Vectors, version: str) -> bool:
    """Whether this embedder finds a text there; it puts it in if not."""
    seen = replace(identity, dimension=8, fingerprint=Fingerprint(version, pack_vectors(vectors)))
    with open_cache(path, seen) as cache:
        if cache.get(["a pear"]):
            return True
        cache.put(["a pear"], UNIT[:1])
        return False


def test_embeddings_outlive_an_update_that_changes_no_vector_and_no_other(
    tmp_path: Path, recorded: EmbedderIdentity
) -> None:
    path = tmp_path / "embeddings.db"
    near, far = turned(UNIT, 0.9995), turned(UNIT, 0.9)
    assert not cached(path, recorded, UNIT, "0.32.15")
    assert cached(path, recorded, near, "0.33.1")
    assert not cached(path, recorded, far, "0.34.0")
    assert cached(path, recorded, far, "0.34.1")
    assert cached(path, recorded, UNIT, "0.32.15")
