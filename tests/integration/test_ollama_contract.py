"""Ollama's contract, asked of the stand-in and, if OLLAMA_TEST_HOST names one, of a real Ollama.

The stand-in cannot drift from what is asserted here of both. A real one needs the model that
OLLAMA_TEST_MODEL names (default nomic-embed-text), in a version since 0.30, and for chats one that
can call tools, named by OLLAMA_TEST_CHAT_MODEL.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import httpx
import numpy as np
import pytest

from tests.support.ollama.model import Model
from tests.support.ollama_standin import Body, OllamaStandIn, running

REAL = os.environ.get("OLLAMA_TEST_HOST", "")
MODEL = os.environ.get("OLLAMA_TEST_MODEL", "nomic-embed-text")
CHAT = "some-chat-model"
CHATS = os.environ.get("OLLAMA_TEST_CHAT_MODEL", "")

Post = Callable[..., httpx.Response]


@pytest.fixture(params=["stand-in", "real"])
def http(request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    if request.param == "real":
        if not REAL:
            pytest.skip("OLLAMA_TEST_HOST names no real Ollama")
        with httpx.Client(base_url=REAL, timeout=300, trust_env=False) as client:
            yield client
        return
    with (
        running(OllamaStandIn([Model(f"{MODEL}:latest")])) as standin,
        httpx.Client(base_url=f"http://{standin.host}", trust_env=False) as client,
    ):
        yield client


@pytest.fixture
def embed(http: httpx.Client) -> Post:
    return lambda **body: http.post("/api/embed", json={"model": MODEL} | body)


@pytest.fixture
def standin() -> Iterator[OllamaStandIn]:
    with running() as running_standin:
        yield running_standin


def rows(response: httpx.Response) -> Any:
    assert response.status_code == 200, response.text
    return np.asarray(response.json()["embeddings"], dtype=np.float32)


def said(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]


def context(http: httpx.Client) -> int:
    info = http.post("/api/show", json={"model": MODEL}).json()["model_info"]
    return int(info[f"{info['general.architecture']}.context_length"])


def test_texts_get_unit_vectors_in_their_order_with_numbers_of_what_it_took(embed: Post) -> None:
    texts = ["a pear", "a clock", "a swarm of bees"]
    response = embed(input=texts)
    assert response.headers["content-type"] == "application/json; charset=utf-8"
    body = response.json()
    assert body["model"] == MODEL
    assert all(body[name] > 0 for name in ("total_duration", "load_duration", "prompt_eval_count"))
    batch = rows(response)
    np.testing.assert_allclose(np.linalg.norm(batch, axis=1), 1, atol=1e-3)
    alone = np.concatenate([rows(embed(input=text)) for text in texts])
    np.testing.assert_allclose(alone, batch, atol=1e-3)


@pytest.mark.parametrize(
    "body", [{"input": ""}, {"input": []}, {"input": None}, {}, {"prompt": "x"}]
)
def test_no_text_gets_no_vector_and_no_error(embed: Post, body: dict[str, Any]) -> None:
    response = embed(**body)
    assert (response.status_code, response.json()) == (200, {"model": MODEL, "embeddings": []})


def test_the_models_name_comes_back_as_it_was_sent(embed: Post) -> None:
    shouted = f"{MODEL.upper()}:LATEST"
    assert embed(model=shouted, input="a pear").json()["model"] == shouted


@pytest.mark.parametrize("texts", [[1], [None], [["a"]], {"a": 1}, 5])
def test_what_is_no_text_is_refused(embed: Post, texts: object) -> None:
    assert said(embed(input=texts)) == (400, "invalid input type")


@pytest.mark.parametrize(
    ("model", "status", "error"),
    [
        ("never-pulled", 404, 'model "never-pulled" not found, try pulling it first'),
    ],
)
def test_a_model_that_is_not_there_is_said(
    embed: Post, model: str, status: int, error: str
) -> None:
    assert said(embed(model=model, input="a")) == (status, error)


def test_a_long_text_is_cut_unless_that_is_forbidden(http: httpx.Client, embed: Post) -> None:
    most = context(http)
    long = "pear " * (most + 10)
    cut = embed(input=long)
    assert (cut.status_code, cut.json()["prompt_eval_count"]) == (200, most)
    status, error = said(embed(input=["short", long], truncate=False))
    assert (status, error) == (400, "the input length exceeds the context length")


@pytest.mark.parametrize("path", ["/api/embed", "/api/show"])
def test_a_route_has_its_method(http: httpx.Client, path: str) -> None:
    response = http.get(path)
    assert (response.status_code, response.text) == (405, "405 method not allowed")
    assert response.headers["content-type"].startswith("text/plain")


def test_an_unknown_route_is_said_in_plain_text(http: httpx.Client) -> None:
    response = http.get("/api/nothing")
    assert (response.status_code, response.text) == (404, "404 page not found")


def test_the_version_is_three_numbers(http: httpx.Client) -> None:
    body = http.get("/api/version").json()
    assert list(body) == ["version"]
    assert re.match(r"\d+\.\d+\.\d+", body["version"])


def test_tags_tell_a_digest_of_64_hex_digits(http: httpx.Client) -> None:
    entries = {entry["model"]: entry for entry in http.get("/api/tags").json()["models"]}
    entry = next(entries[name] for name in entries if name.startswith(MODEL))
    assert entry["name"] == entry["model"]
    assert re.fullmatch("[0-9a-f]{64}", entry["digest"])
    assert {"modified_at", "size", "details", "capabilities"} <= entry.keys()


def test_tags_tell_lengths_unless_a_bert_model_was_imported(standin: OllamaStandIn) -> None:
    standin.models = [Model(), Model("imported:latest", tells_lengths=False)]
    own, imported = httpx.get(f"http://{standin.host}/api/tags").json()["models"]
    assert {"context_length", "embedding_length"} <= own["details"].keys()
    assert not {"context_length", "embedding_length"} & imported["details"].keys()


def test_show_tells_architecture_dimension_and_capabilities(
    http: httpx.Client, embed: Post
) -> None:
    shown = http.post("/api/show", json={"model": MODEL}).json()
    info = shown["model_info"]
    dimension = info[f"{info['general.architecture']}.embedding_length"]
    assert dimension == rows(embed(input="a")).shape[1]
    assert "embedding" in shown["capabilities"]


def test_show_has_words_of_its_own_for_what_is_not_there(http: httpx.Client) -> None:
    unknown = http.post("/api/show", json={"model": "never-pulled"})
    assert said(unknown) == (404, "model 'never-pulled:latest' not found")
    assert said(http.post("/api/show", json={})) == (400, "model is required")


@pytest.mark.parametrize(
    ("version", "error"),
    [
        ("0.12.0", "input length exceeds maximum context length"),
        ("0.13.2", "input exceeds maximum context length"),
        ("0.24.0", "the input length exceeds the context length"),
        ("0.32.15", "the input length exceeds the context length"),
    ],
)
def test_each_era_has_its_words_for_too_long(
    standin: OllamaStandIn, version: str, error: str
) -> None:
    standin.version, standin.models = version, [Model(context=8)]
    body = {"model": "nomic-embed-text", "input": ["one " * 9], "truncate": False}
    assert said(httpx.post(f"http://{standin.host}/api/embed", json=body)) == (400, error)


@pytest.mark.parametrize(
    ("version", "status", "error"),
    [
        ("0.13.2", 500, "this model does not support embeddings"),
        ("0.24.0", 501, "this model does not support embeddings"),
        (
            "0.32.15",
            501,
            "This server does not support embeddings. Start it with `--embeddings`",
        ),
    ],
)
def test_each_era_has_its_words_for_a_chat_model(
    standin: OllamaStandIn, version: str, status: int, error: str
) -> None:
    standin.version = version
    standin.models = [replace(Model(), name=f"{CHAT}:latest", capabilities=("completion",))]
    body = {"model": CHAT, "input": "a"}
    assert said(httpx.post(f"http://{standin.host}/api/embed", json=body)) == (status, error)


def test_before_0_30_tags_tell_neither_lengths_nor_capabilities(standin: OllamaStandIn) -> None:
    standin.version = "0.24.0"
    [entry] = httpx.get(f"http://{standin.host}/api/tags").json()["models"]
    assert "capabilities" not in entry
    assert "embedding_length" not in entry["details"]


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"model": "never-pulled", "messages": []}, 404, "model 'never-pulled' not found"),
        (
            {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}]},
            400,
            f'"{MODEL}" does not support chat',
        ),
    ],
)
def test_a_chat_needs_a_chat_model_that_is_there(
    http: httpx.Client, body: dict[str, Any], status: int, error: str
) -> None:
    assert said(http.post("/api/chat", json=body)) == (status, error)


@pytest.fixture(params=["stand-in", "real"])
def chat(request: pytest.FixtureRequest) -> Iterator[Post]:
    """Chats with a model that can call tools; that of the stand-in always calls the first."""
    if request.param == "real":
        if not (REAL and CHATS):
            pytest.skip("OLLAMA_TEST_HOST and OLLAMA_TEST_CHAT_MODEL name no real chat model")
        with httpx.Client(base_url=REAL, timeout=600, trust_env=False) as client:
            yield lambda **body: client.post("/api/chat", json={"model": CHATS} | body)
        return
    model = Model("some-chat-model:latest", capabilities=("completion", "tools"))
    with running(OllamaStandIn([model], says=calling_the_first)) as standin:
        url = f"http://{standin.host}/api/chat"
        yield lambda **body: httpx.post(url, json={"model": "some-chat-model"} | body)


def calling_the_first(messages: Sequence[Body], tools: Sequence[Body]) -> Body:
    if not tools or messages[-1]["role"] == "tool":
        return {"content": "It is 20 degrees."}
    return {"tool_calls": [{"name": tools[0]["function"]["name"], "arguments": {"city": "Bonn"}}]}


WEATHER = {
    "type": "function",
    "function": {
        "name": "weather_in",
        "description": "The weather in a city. Call this for every question about weather.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}
ASKED = {"role": "user", "content": "What is the weather in Bonn? Use the tool."}


def test_a_model_that_can_calls_a_tool_with_an_object_of_arguments(chat: Post) -> None:
    answer = chat(messages=[ASKED], tools=[WEATHER], stream=False, options={"temperature": 0})
    assert answer.status_code == 200
    body = answer.json()
    [call] = body["message"]["tool_calls"]
    assert (body["message"]["role"], body["done"], body["done_reason"]) == (
        "assistant",
        True,
        "stop",
    )
    assert call["function"]["name"] == "weather_in"
    assert call["function"]["arguments"] == {"city": "Bonn"}


def test_a_tools_result_goes_back_by_its_name_and_the_model_answers(chat: Post) -> None:
    call = {"function": {"name": "weather_in", "arguments": {"city": "Bonn"}}}
    called = {"role": "assistant", "content": "", "tool_calls": [call]}
    result = {"role": "tool", "tool_name": "weather_in", "content": "20 degrees"}
    answer = chat(messages=[ASKED, called, result], tools=[WEATHER], stream=False).json()
    assert "20" in answer["message"]["content"]
    assert not answer["message"].get("tool_calls")


def test_a_model_without_tools_says_so(standin: OllamaStandIn) -> None:
    standin.models = [Model(f"{CHAT}:latest", capabilities=("completion",))]
    body = {"model": CHAT, "messages": [ASKED], "tools": [WEATHER], "stream": False}
    answer = httpx.post(f"http://{standin.host}/api/chat", json=body)
    error = f"registry.ollama.ai/library/{CHAT}:latest does not support tools"
    assert said(answer) == (400, error)
