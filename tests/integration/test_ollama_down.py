"""A server over an index of Ollama's, while Ollama does not answer: a real process."""

from __future__ import annotations

from pathlib import Path

from tests.support.faults.server_process import MODERN, Process
from tests.support.ollama_standin import OllamaStandIn, running
from tests.support.served import SOUP, indexed
from tests.support.waiting import Held, until

LOADING = "Keyword matches only"


def is_loading(server: Process) -> bool:
    """Whether an answer is by words alone, since the model is still loading."""
    reply = server.call("search_blog", {"query": "onion soup", "response_format": "json"})[
        "structuredContent"
    ]
    assert reply["results"][0]["source"] == "soup.md"
    notice = str(reply.get("notice", ""))
    return LOADING in notice and "still loading nomic-embed-text" in notice


def test_the_server_answers_and_ends_while_ollama_holds_the_question(tmp_path: Path) -> None:
    with running() as whole:
        options = ("--embedder", "ollama", "--embedder-url", whole.host)
        index, held = indexed(tmp_path, {"soup.md": SOUP}, *options), Held()
    with running(OllamaStandIn(faults=[held] * 99)) as ollama:
        start = ("-m", "blog_search_mcp", "serve", "--embedder-url", ollama.host)
        server = Process(index, MODERN, start)
        until(lambda: is_loading(server))
        assert server.rest() == (0, b"", b"")
        assert not held.released.is_set()
        held.released.set()
