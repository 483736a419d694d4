"""A server over an index of Ollama's, while Ollama goes and comes: real processes and requests."""

from __future__ import annotations

import json
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
from tests.support.wire import MODERN, Wire, wire

WORDS = "Keyword matches only, without search by meaning: "
SOON = """
import sys
from blog_search_mcp.index.embedders import serving
from blog_search_mcp.server.__main__ import main
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

    def search(self, **more: str) -> dict[str, Any]:
        """The result for a query that nobody has asked yet."""
        self.asked += 1
        asked = {"query": f"onion soup {self.asked}", **more}
        result = self.server.call(self.asked, "search_blog", asked)
        assert not result.get("isError")
        return result

    def notice(self) -> str:
        """What the next answer says besides its hits; empty if it says nothing."""
        result = self.search()
        facts: dict[str, Any] = result["structuredContent"]
        assert facts == json.loads(result["content"][0]["text"])
        assert facts["results"][0]["source"] == "soup.md"
        return str(facts.get("notice", ""))

    def has_meaning(self) -> bool:
        """Whether the next answer comes from both legs."""
        return WORDS not in self.notice()

    def until_says(self, sentence: str) -> None:
        """Ask until an answer is by words alone, for this reason: a busy machine is late too."""
        until(lambda: self.notice().startswith(f"{WORDS}{sentence}"))


@contextmanager
def session(index: Path, host: str, *start: str) -> Iterator[Session]:
    with wire(
        index, *(start or ("-m", "blog_search_mcp.server")), "--embedder-url", host
    ) as server:
        yield Session(server)


@pytest.fixture
def held() -> Iterator[Held]:
    fault = Held()
    yield fault
    fault.released.set()


def test_ollama_goes_and_comes_within_one_session(index: Path) -> None:
    with running() as standin:
        host, port = standin.host, int(standin.host.rpartition(":")[2])
    down = (
        f"Ollama at http://{host} cannot be reached. Start it (`ollama serve` or the app), or name "
        "its address with --embedder-url or OLLAMA_HOST."
    )
    with session(index, host, "-c", SOON) as client:
        client.until_says(down)
        for _ in range(2):
            with running(port=port) as standin:
                until(client.has_meaning)
                assert standin.embedded[-1]["keep_alive"] == "30m"
            client.until_says(down)
        markdown = client.search(response_format="markdown")["content"][0]["text"]
        assert WORDS in markdown
        assert client.server.rest() == (b"", b"")


def test_a_host_that_never_answers_is_a_sentence(index: Path) -> None:
    with silence() as host, session(index, host, "-c", SOON) as client:
        client.until_says(f"Ollama at {host} does not answer. Ask again in a moment; if it stays ")
        assert client.server.rest() == (b"", b"")


def test_an_answer_is_out_and_the_server_ends_while_ollama_still_holds_the_question(
    index: Path, held: Held
) -> None:
    ollama = OllamaStandIn(faults=[held] * 99)
    with running(ollama), session(index, ollama.host, "-c", SOON) as client:
        client.until_says(
            f"Ollama at http://{ollama.host} is still loading nomic-embed-text, or is busy. "
            "Ask again in a moment; if it stays so, restart Ollama."
        )
        assert client.server.rest() == (b"", b"")
        assert client.server.process.returncode == 0
        assert not held.released.is_set()


def test_the_model_is_loaded_once_the_first_reply_is_out_and_nothing_was_asked(
    index: Path,
) -> None:
    with running() as ollama, session(index, ollama.host) as client:
        assert ollama.requests == []
        client.server.ask(1, "server/discover", MODERN)
        until(lambda: bool(ollama.embedded))
        assert [(body["input"], body["keep_alive"]) for body in ollama.embedded] == [([], "30m")]
