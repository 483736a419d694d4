"""A server over an index of Ollama's, while Ollama goes and comes: real processes and requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.ollama_standin import OllamaStandIn, running
from tests.support.python import run_python
from tests.support.served import KV, SOUP, write
from tests.support.waiting import Held, silence, until
from tests.support.wire import Wire, wire

WORDS = "Keyword matches only"
SOON = """
import sys
from blog_search_mcp.index.embedders import serving
from blog_search_mcp.__main__ import main
serving.RETRY_PAUSE = 0.05
main()
"""
"""A server that asks again sooner after a failure than readers need it."""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blog")
    content = write(folder / "content", {"inference/kv.md": KV, "soup.md": SOUP})
    with running() as standin:
        options = ("--embedder", "ollama", "--embedder-url", standin.host)
        ran = run_python(
            "-m", "blog_search_mcp.ingest", content, "--index", folder / "index", *options
        )
        assert ran.returncode == 0, ran.stderr
    return folder / "index"


@dataclass
class Session:
    """One client of one server."""

    server: Wire
    asked: int = field(default=0)

    def notice(self) -> str:
        """What the answer to a query that nobody asked yet says besides its hits."""
        self.asked += 1
        asked = {"query": f"onion soup {self.asked}"}
        facts: dict[str, Any] = self.server.call(self.asked, "search_blog", asked)[
            "structuredContent"
        ]
        assert facts["results"][0]["source"] == "soup.md"
        return str(facts.get("notice", ""))

    def until_says(self, words: str) -> None:
        """Ask until an answer is by words alone, for this reason: a busy machine is late too."""
        until(lambda: WORDS in (notice := self.notice()) and words in notice)


@contextmanager
def session(index: Path, host: str) -> Iterator[Session]:
    with wire(index, "-c", SOON, "--embedder-url", host) as server:
        yield Session(server)


def test_ollama_goes_and_comes_within_one_session(index: Path) -> None:
    with running() as standin:
        host, port = standin.host, int(standin.host.rpartition(":")[2])
    with session(index, host) as client:
        client.until_says("ollama serve")
        for _ in range(2):
            with running(port=port):
                until(lambda: WORDS not in client.notice())
            client.until_says("ollama serve")
        assert client.server.rest() == (b"", b"")


def test_a_host_that_never_answers_is_a_sentence(index: Path) -> None:
    with silence() as host, session(index, host) as client:
        client.until_says("does not answer")
        assert client.server.rest() == (b"", b"")


def test_the_server_ends_while_ollama_still_holds_the_question(index: Path) -> None:
    held = Held()
    with (
        running(OllamaStandIn(faults=[held] * 99)) as ollama,
        session(index, ollama.host) as client,
    ):
        client.until_says("still loading nomic-embed-text")
        assert client.server.rest() == (b"", b"")
        assert client.server.process.returncode == 0
        assert not held.released.is_set()
        held.released.set()
