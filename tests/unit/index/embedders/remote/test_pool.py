"""Several servers as one: batches go to whichever is free, and none spoils the index."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from blog_search_mcp.index.errors import EmbedderChanged, EmbedderRefused, EmbedderUnavailable
from tests.support.ollama.faults import closes
from tests.support.openai_standin import OpenAIStandIn, alters_data, running
from tests.unit.index.embedders.openai.test_embedder import TEXTS, assert_embeds, embedder

MANY = [f"{text} Again {number}." for number in range(5) for text in TEXTS]


@pytest.fixture
def pair() -> Iterator[tuple[OpenAIStandIn, OpenAIStandIn]]:
    with running() as one, running() as other:
        yield one, other


def counts(pair: tuple[OpenAIStandIn, OpenAIStandIn]) -> list[int]:
    """Texts that each was sent in batches."""
    return [sum(len(b["input"]) for b in each.embedded if len(b["input"]) > 4) for each in pair]


def test_batches_are_shared(pair: tuple[OpenAIStandIn, OpenAIStandIn]) -> None:
    for each in pair:
        each.pace = 0.002
    live = embedder(*pair)
    assert live.concurrency == 2
    assert_embeds(live, MANY)
    assert min(counts(pair)) >= 64
    assert sum(counts(pair)) == len(MANY)


def test_a_server_that_is_down_costs_no_text(pair: tuple[OpenAIStandIn, OpenAIStandIn]) -> None:
    live = embedder(*pair)
    assert live.dimension == 384
    pair[1].faults = [closes] * 1000
    assert_embeds(live, MANY)
    assert counts(pair)[0] == len(MANY)


def test_the_first_server_need_not_be_up(pair: tuple[OpenAIStandIn, OpenAIStandIn]) -> None:
    pair[0].faults = [closes] * 1000
    pair[0].elsewhere = {"/v1/models": closes}
    assert_embeds(embedder(*pair), MANY[:8])


def test_without_any_server_there_is_a_sentence(
    pair: tuple[OpenAIStandIn, OpenAIStandIn],
) -> None:
    live = embedder(*pair)
    assert live.dimension == 384
    for each in pair:
        each.faults = [closes] * 1000
        each.elsewhere = {"/v1/models": closes}
    with pytest.raises(EmbedderUnavailable, match="failed while embedding"):
        live.embed_documents(TEXTS[:4])


def test_a_server_with_another_model_gets_no_batch(
    pair: tuple[OpenAIStandIn, OpenAIStandIn], caplog: pytest.LogCaptureFixture
) -> None:
    pair[1].faults = [
        alters_data(lambda data: [{**d, "embedding": d["embedding"][::-1]} for d in data])
    ] * 1000
    live = embedder(*pair)
    assert live.dimension == 384
    assert_embeds(live, MANY)
    assert "its vectors for BAAI/bge-small-en-v1.5 are not those of the other servers" in (
        caplog.text
    )


def test_a_server_whose_model_is_exchanged_is_noticed_beside_one_that_is_not(
    pair: tuple[OpenAIStandIn, OpenAIStandIn],
) -> None:
    for each in pair:
        each.pace = 0.002
    live = embedder(*pair)
    live.embed_documents(MANY)
    assert min(counts(pair)) > 0
    pair[1].faults = [
        alters_data(lambda data: [{**d, "embedding": d["embedding"][::-1]} for d in data])
    ] * 1000
    with pytest.raises(EmbedderChanged, match="was updated"):
        live.embed_documents(MANY)


def test_a_refusal_of_a_single_server_is_its_own() -> None:
    with running(OpenAIStandIn(key="k")) as server, pytest.raises(EmbedderRefused):
        embedder(server).embed_documents(TEXTS[:2])
