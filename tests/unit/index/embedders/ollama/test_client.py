"""What is said of an Ollama that is waited for."""

from __future__ import annotations

import time
from typing import NoReturn

import pytest

from blog_search_mcp.index.embedders.ollama.client import OllamaClient
from blog_search_mcp.index.embedders.remote.failures import FailureKind, RequestFailed
from blog_search_mcp.index.embedders.remote.requests import RetryPolicy

URL = "http://127.0.0.1:9"


def fail(_client: object) -> NoReturn:
    raise ConnectionError


@pytest.mark.parametrize(
    ("pauses", "said"),
    [
        (
            (0.5, 1.0, 2.0),
            [f"Waiting for Ollama, 3 s at most. Ollama at {URL} cannot be reached."],
        ),
        ((0.25, 0.5), []),
    ],
)
def test_a_long_wait_is_said_once_and_a_short_one_is_not(
    pauses: tuple[float, ...],
    said: list[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    with pytest.raises(RequestFailed):
        OllamaClient(URL).request(fail, RetryPolicy(1.0, {FailureKind.DOWN: pauses}))
    assert tuple(slept) == pauses
    assert caplog.messages == said
