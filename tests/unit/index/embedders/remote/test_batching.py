"""What becomes of a text that Ollama fails on, and of those that were sent with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from blog_search_mcp.index.embedders.base import DEFAULT_MODEL
from blog_search_mcp.index.embedders.ollama.embedder import OllamaEmbedder
from blog_search_mcp.index.embedders.remote.failures import FailureKind
from blog_search_mcp.index.embedders.remote.requests import (
    FOR_A_QUERY,
    FOR_DOCUMENTS,
    RETRY_TIMEOUT,
    RetryPolicy,
)
from blog_search_mcp.index.errors import EmbedderRefused, EmbedderUnavailable, TextsRefused
from blog_search_mcp.ingest.embedding import MAX_REFUSED
from blog_search_mcp.ingest.report import WithoutVector
from tests.support.faults.ollama_scripts import MANY, goes_down, on
from tests.support.faults.ollama_stage import MODEL, POSTS, Stage, quick, search, stage
from tests.support.ollama.faults import Fault, crashes, hangs, reversed_rows, yields_nan
from tests.support.ollama_standin import OllamaStandIn, alters, embedding, fails, running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blog_search_mcp.index.types import Vectors

GOOD = [f"text number {number}" for number in range(10)]


@pytest.fixture
def ollama() -> Iterator[OllamaStandIn]:
    with running(OllamaStandIn([MODEL])) as standin:
        yield standin


@pytest.fixture
def blog(tmp_path: Path) -> Iterator[Stage]:
    with stage(tmp_path) as made:
        yield made


def embedder(ollama: OllamaStandIn) -> OllamaEmbedder:
    return OllamaEmbedder(
        DEFAULT_MODEL,
        ollama.host,
        for_documents=quick(FOR_DOCUMENTS),
        for_a_query=quick(FOR_A_QUERY),
    )


def expected(texts: list[str]) -> Vectors:
    return np.stack([embedding(f"search_document: {text}", MODEL) for text in texts])


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (crashes, "Ollama failed on it: do embedding request: Post "),
        (yields_nan, "Ollama answered with a vector of length 0 instead of 1"),
        (hangs, "Ollama did not answer in time for it"),
    ],
)
def test_a_bad_text_is_found_in_its_batch_and_the_others_are_kept(
    ollama: OllamaStandIn, fault: Fault, reason: str
) -> None:
    ollama.on_text["poison"] = fault
    with pytest.raises(TextsRefused) as raised:
        embedder(ollama).embed_documents([*GOOD[:4], "the poison itself", *GOOD[4:]])
    assert list(raised.value.reasons) == [4]
    assert raised.value.reasons[4].startswith(reason)
    assert str(raised.value).startswith(f"No vector for 1 of 11 texts: {reason}")
    np.testing.assert_array_equal(np.delete(raised.value.rows, 4, axis=0), expected(GOOD))


def test_a_query_is_not_asked_again_in_parts(ollama: OllamaStandIn) -> None:
    ollama.on_text["poison"] = crashes
    with pytest.raises(EmbedderUnavailable, match="failed while embedding"):
        embedder(ollama).embed_query("is poison a good word?")
    sent = {text for body in ollama.embedded for text in body["input"]}
    assert sent == {"search_query: is poison a good word?"}


def test_an_ollama_that_fails_on_harmless_words_too_is_at_fault_itself(
    ollama: OllamaStandIn,
) -> None:
    ollama.on_text["."] = fails(500, "model requires more system memory")
    with pytest.raises(EmbedderUnavailable, match="more system memory"):
        embedder(ollama).embed_documents(GOOD)
    batches = [body["input"] for body in ollama.embedded]
    assert {len(batch) for batch in batches} == {4, 1}
    assert {batch[0] for batch in batches if len(batch) == 1} == {
        "search_document: a short and simple text"
    }


def test_batches_in_another_order_are_asked_for_one_by_one_and_said(ollama: OllamaStandIn) -> None:
    ollama.faults = [alters(reversed_rows)] * 100
    shuffling = embedder(ollama)
    assert shuffling.warnings() == ()
    np.testing.assert_array_equal(shuffling.embed_documents(GOOD), expected(GOOD))
    assert [len(body["input"]) for body in ollama.embedded[-10:]] == [1] * 10
    assert shuffling.warnings() == (
        "Ollama 0.32.15 mixes up the vectors of a batch, so texts go to it one by one. Update it.",
    )


def test_a_second_try_is_shorter_but_waits_for_a_restart_as_long() -> None:
    pauses = {
        FailureKind.DOWN: (1.0, 2.0),
        FailureKind.BUSY: (1.0, 2.0),
        FailureKind.CRASHED: (1.0, 2.0),
    }
    assert RetryPolicy(300.0, pauses).shorten() == RetryPolicy(
        RETRY_TIMEOUT, {**pauses, FailureKind.CRASHED: (1.0,)}
    )
    assert RetryPolicy(5.0, pauses).shorten().timeout == 5.0


def test_a_passage_without_a_vector_is_named_and_found_by_its_words(blog: Stage) -> None:
    on("poison", yields_nan)(blog)
    report = blog.ingest()
    assert report.without_vector == (
        WithoutVector(
            source="clocks.md",
            first_line=1,
            last_line=7,
            heading="",
            reason="Ollama answered with a vector of length 0 instead of 1",
        ),
    )
    with blog.following() as live:
        [hit, *_] = search(live, "radium poison on old dials").hits
    assert (hit.post.source, hit.dense) == ("clocks.md", None)


def test_a_passage_without_a_vector_is_tried_again_when_ollama_is_another(blog: Stage) -> None:
    on("poison", yields_nan)(blog)
    blog.ingest()
    asked_before = len(blog.server.embedded)
    assert blog.ingest().changed == 0
    assert len(blog.server.embedded) == asked_before
    blog.server.on_text, blog.server.version = {}, "0.33.1"
    report = blog.ingest()
    assert (report.changed, report.embedded, report.without_vector) == (1, 1, ())
    assert blog.stored_vectors().lacking == 0
    assert blog.ingest().changed == 0


def test_a_passage_without_a_vector_waits_while_ollama_is_down(blog: Stage) -> None:
    on("poison", yields_nan)(blog)
    blog.ingest()
    blog.stop()
    assert blog.ingest().changed == 0


def test_too_many_texts_without_a_vector_are_ollamas_fault(blog: Stage) -> None:
    blog.write(MANY)
    on("Walk [123]", yields_nan)(blog)
    with pytest.raises(EmbedderRefused) as raised:
        blog.ingest()
    assert str(raised.value) == (
        "The embedder failed on 27 of 32 texts, at last because Ollama answered with a vector of "
        "length 0 instead of 1. Restart or update it and run again: the other embeddings are kept."
    )
    assert blog.cached == 5
    assert MAX_REFUSED < 26


def test_a_run_that_ollama_ended_goes_on_with_what_was_not_embedded_yet(blog: Stage) -> None:
    goes_down(blog)
    with pytest.raises(EmbedderUnavailable):
        blog.ingest()
    assert blog.cached == 32
    blog.heal()
    assert blog.ingest().embedded == len(MANY) + len(POSTS) - 32


def test_a_run_that_was_stopped_by_hand_goes_on_likewise(
    blog: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    blog.write(MANY)
    embed_documents, batches = OllamaEmbedder.embed_documents, []

    def stopped_in_the_second(self: OllamaEmbedder, texts: list[str]) -> Vectors:
        batches.append(texts)
        if len(batches) == 2:
            raise KeyboardInterrupt
        return embed_documents(self, texts)

    monkeypatch.setattr(OllamaEmbedder, "embed_documents", stopped_in_the_second)
    with pytest.raises(KeyboardInterrupt):
        blog.ingest()
    assert blog.cached == 32
    assert blog.ingest().embedded == len(MANY) + len(POSTS) - 32
