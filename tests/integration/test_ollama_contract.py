"""What is needed of Ollama and of `/v1/embeddings`, asked of the stand-ins and of real servers.

The stand-ins cannot drift from what is asserted here of both. A real Ollama is the one that
OLLAMA_TEST_HOST names, in a version since 0.30, with the model that OLLAMA_TEST_MODEL (default
nomic-embed-text) names; a real server of the other kind is named by EMBEDDER_TEST_URL and
EMBEDDER_TEST_MODEL.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import numpy as np
import pytest

from blog_search_mcp.index.embedders.remote import RemoteEmbedder
from tests.support import ollama_standin
from tests.support.ollama_standin import Model, OllamaStandIn
from tests.support.openai_standin import BGE, OpenAIStandIn

REAL = os.environ.get("OLLAMA_TEST_HOST", "")
MODEL = os.environ.get("OLLAMA_TEST_MODEL", "nomic-embed-text")
REAL_OTHER = os.environ.get("EMBEDDER_TEST_URL", "")
OTHER_MODEL = os.environ.get("EMBEDDER_TEST_MODEL", "all-MiniLM-L6-v2")

Post = Callable[..., httpx.Response]


@pytest.fixture(params=["stand-in", "real"])
def http(request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    if request.param == "real":
        if not REAL:
            pytest.skip("OLLAMA_TEST_HOST names no real Ollama")
        with httpx.Client(base_url=REAL, timeout=600, trust_env=False) as client:
            yield client
        return
    with (
        ollama_standin.running(OllamaStandIn([Model(f"{MODEL}:latest")])) as standin,
        httpx.Client(base_url=f"http://{standin.host}", trust_env=False) as client,
    ):
        yield client


@pytest.fixture
def embed(http: httpx.Client) -> Post:
    return lambda **body: http.post("/api/embed", json={"model": MODEL} | body)


def rows(response: httpx.Response) -> Any:
    assert response.status_code == 200, response.text
    return np.asarray(response.json()["embeddings"], dtype=np.float32)


def test_texts_get_unit_vectors_in_their_order(embed: Post) -> None:
    texts = ["a pear", "a clock", "a swarm of bees"]
    batch = rows(embed(input=texts, model=f"{MODEL.upper()}:LATEST"))
    np.testing.assert_allclose(np.linalg.norm(batch, axis=1), 1, atol=1e-3)
    alone = np.concatenate([rows(embed(input=text)) for text in texts])
    np.testing.assert_allclose(alone, batch, atol=1e-3)


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"input": [1]}, 400, "invalid input type"),
        ({"input": {"a": 1}}, 400, "invalid input type"),
        (
            {"input": "a", "model": "never-pulled"},
            404,
            'model "never-pulled" not found, try pulling it first',
        ),
        (
            {"input": ["short", "pear " * 9_000], "truncate": False},
            400,
            "the input length exceeds the context length",
        ),
    ],
)
def test_what_cannot_be_embedded_is_said(
    embed: Post, body: dict[str, Any], status: int, error: str
) -> None:
    response = embed(**body)
    assert (response.status_code, response.json()["error"]) == (status, error)


def test_it_tells_its_version_and_a_digest_of_each_model(http: httpx.Client) -> None:
    assert re.match(r"\d+\.\d+\.\d+", http.get("/api/version").json()["version"])
    entries = {entry["model"]: entry for entry in http.get("/api/tags").json()["models"]}
    entry = next(entries[name] for name in entries if name.startswith(MODEL))
    assert re.fullmatch("[0-9a-f]{64}", entry["digest"])
    missing = http.get("/api/nothing")
    assert (missing.status_code, missing.text) == (404, "404 page not found")


@pytest.fixture(params=["stand-in", "real"])
def embedder(request: pytest.FixtureRequest) -> Iterator[RemoteEmbedder]:
    if request.param == "stand-in":
        with ollama_standin.running(OpenAIStandIn()) as standin:
            assert isinstance(standin, OpenAIStandIn)
            yield RemoteEmbedder("openai", standin.url, BGE.name)
    elif REAL_OTHER:
        yield RemoteEmbedder("openai", REAL_OTHER, OTHER_MODEL)
    else:
        pytest.skip("EMBEDDER_TEST_URL names no real server")


def test_another_server_gives_each_text_its_own_unit_vector_however_long(
    embedder: RemoteEmbedder,
) -> None:
    texts = [f"Passage {number} is about {'wool ' * number}and rain." for number in range(40)]
    texts.append("A fleece is washed in warm rain water. " * 400)
    vectors = embedder.embed_documents(texts)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)
    alone = np.concatenate([embedder.embed_documents([text]) for text in texts[::13]])
    assert (vectors[::13] * alone).sum(axis=1).min() > 0.999
    [other] = embedder.embed_documents(["A key of brass is cut by hand and filed."])
    query = embedder.embed_query("How is a fleece washed?")
    assert vectors[-1] @ query > other @ query
