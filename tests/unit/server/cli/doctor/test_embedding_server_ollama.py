"""What the doctor finds of an Ollama."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

import pytest

from blog_search_mcp.index.embedders.client import ServerState
from blog_search_mcp.index.embedders.packaged import E5, MINILM
from blog_search_mcp.index.types import EmbedderIdentity
from blog_search_mcp.server.cli.doctor.embedding_server import check_model, check_ollama
from blog_search_mcp.server.cli.doctor.results import CheckResult, State
from tests.support.ollama_standin import Model, running
from tests.support.ports import free_port

NOMIC = EmbedderIdentity("ollama", "nomic-embed-text", Model().digest, 768)
REBUILD = "blog-search-mcp ingest posts --rebuild"
URL = "http://127.0.0.1:11434"
HAS = ServerState("0.32.15", Model().digest)


@pytest.mark.parametrize(
    ("recorded", "server", "state", "text", "remedy"),
    [
        (NOMIC, HAS, "ok", "Ollama 0.32.15 at URL has nomic-embed-text (0a109f422b47).", None),
        (None, HAS, "ok", "Ollama 0.32.15 at URL has nomic-embed-text (0a109f422b47).", None),
        (
            NOMIC,
            ServerState("0.32.15"),
            "problem",
            "Ollama 0.32.15 at URL does not have the model nomic-embed-text.",
            "ollama pull nomic-embed-text",
        ),
        (
            MINILM.identity,
            ServerState("0.32.15"),
            "warning",
            "Ollama 0.32.15 at URL does not have the model nomic-embed-text.",
            "ollama pull nomic-embed-text",
        ),
        (
            E5.identity,
            ServerState("0.32.15"),
            "warning",
            "Ollama 0.32.15 at URL does not have the model bge-m3.",
            "ollama pull bge-m3",
        ),
        (
            NOMIC,
            replace(HAS, digest="f" * 64),
            "problem",
            "The index was built with other weights of nomic-embed-text (0a109f422b47), so search "
            "is by words alone.",
            REBUILD,
        ),
        (
            NOMIC,
            replace(HAS, version="0.20.1"),
            "warning",
            "Ollama 0.20.1 misreads capitals and accents for nomic-embed-text.",
            "Update Ollama to 0.30 or later: https://ollama.com/download",
        ),
    ],
)
def test_what_an_ollama_lacks_is_told_with_its_mending(
    recorded: EmbedderIdentity | None,
    server: ServerState,
    state: str,
    text: str,
    remedy: str | None,
) -> None:
    found = check_model(server, URL, recorded, REBUILD)
    worst = max(found, key=lambda each: ("ok", "warning", "problem").index(each.state))
    reported = (worst.state, worst.text.replace(URL, "URL"), worst.remedy)
    assert reported == (state, text, remedy)


def test_an_ollama_that_nobody_needs_gets_no_request() -> None:
    fine = CheckResult("Ollama", "ok", "No index here needs it.")
    assert check_ollama("", MINILM.identity, REBUILD) == [fine]


def test_a_running_ollama_is_asked_for_the_index_s_model() -> None:
    with running() as standin:
        [found] = check_ollama(standin.host, NOMIC, REBUILD)
    assert (
        found.text
        == f"Ollama 0.32.15 at http://{standin.host} has nomic-embed-text (0a109f422b47)."
    )


@pytest.mark.parametrize(
    ("recorded", "state", "lack"),
    [
        (NOMIC, "problem", "without it search is by words alone"),
        (MINILM.identity, "warning", "the index does not use it"),
        (None, "warning", "the index does not use it"),
    ],
)
def test_an_ollama_that_does_not_answer_is_a_problem_if_the_index_needs_it(
    recorded: EmbedderIdentity | None, state: State, lack: str
) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    text = f"Nothing answers at {url}; {lack}."
    assert check_ollama(url, recorded, REBUILD) == [
        CheckResult("Ollama", state, text, "ollama serve")
    ]


def test_an_address_that_cannot_be_meant_is_a_problem() -> None:
    [found] = check_ollama("ftp://box", NOMIC, REBUILD)
    assert found.state == "problem"
    assert "ftp://box" in found.text


def test_what_keeps_the_client_from_starting_is_not_taken_for_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("blog_search_mcp.index.embedders.client.is_loopback", _trip)
    assert check_ollama("http://127.0.0.1:11434", NOMIC, REBUILD) == [
        CheckResult(
            "Ollama",
            "problem",
            "Ollama's client cannot start: a bad proxy.",
            "Correct OLLAMA_HOST, which it reads even beside --embedder-url, SSL_CERT_FILE or the "
            "proxy variables.",
        )
    ]


def _trip(_url: str) -> NoReturn:
    raise ValueError("a bad proxy")
