"""What an embedder needs of `/v1/embeddings`, of the stand-in and, if EMBEDDER_TEST_URL names one,
of a real server, which has the model that EMBEDDER_TEST_MODEL names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from blog_search_mcp.index.embedders.openai import OpenAIWire
from blog_search_mcp.index.embedders.remote import RemoteEmbedder
from tests.support.openai_standin import BGE, OpenAIStandIn, running

REAL = os.environ.get("EMBEDDER_TEST_URL", "")
MODEL = os.environ.get("EMBEDDER_TEST_MODEL", "all-MiniLM-L6-v2")

TEXTS = [f"Passage {number} is about {'wool ' * number}and rain." for number in range(40)]


@pytest.fixture(params=["stand-in", "real"])
def embedder(request: pytest.FixtureRequest) -> Iterator[RemoteEmbedder]:
    if request.param == "stand-in":
        with running(OpenAIStandIn()) as standin:
            yield RemoteEmbedder(OpenAIWire(standin.url), BGE.name)
    elif REAL:
        yield RemoteEmbedder(OpenAIWire(REAL), MODEL)
    else:
        pytest.skip("EMBEDDER_TEST_URL names no real server")


def test_each_text_has_its_own_unit_vector_whatever_stands_beside_it(
    embedder: RemoteEmbedder,
) -> None:
    rows = embedder.embed_documents(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.identity.dimension)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-4)
    alone = np.concatenate([embedder.embed_documents([text]) for text in TEXTS[::13]])
    assert (rows[::13] * alone).sum(axis=1).min() > 0.999


def test_a_text_that_the_model_refuses_as_too_long_has_a_vector_of_its_beginning(
    embedder: RemoteEmbedder,
) -> None:
    long = "A fleece is washed in warm rain water. " * 400
    [row] = embedder.embed_documents([long])
    [other] = embedder.embed_documents(["A key of brass is cut by hand and filed."])
    query = embedder.embed_query("How is a fleece washed?")
    assert row @ query > other @ query


def test_a_second_connection_to_the_same_model_has_the_same_identity(
    embedder: RemoteEmbedder,
) -> None:
    again = RemoteEmbedder(OpenAIWire(embedder.wire.url), embedder.model)
    assert again.identity.digest == embedder.identity.digest
