"""Searches of a server over an index of Ollama's vectors, while Ollama comes and goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from blog_search_mcp.api import BlogIndex, open_index
from blog_search_mcp.index.embedders import guard as serving
from blog_search_mcp.index.embedders.embedder import run_in_background
from tests.support.front import Blog
from tests.support.ollama_standin import (
    Fault,
    Model,
    OllamaStandIn,
    closes,
    fails,
    replies,
    running,
)
from tests.support.waiting import Held, until

POSTS = {
    "wool.md": "# Wool\n\nA fleece is washed in warm rain water before it is carded and spun.",
    "keys.md": "# Keys\n\nA key of brass is cut by hand and filed until the lock turns.",
}
WORDS = "Keyword matches only"


@dataclass
class Session:
    """One long-lived reader of the index, and the Ollama it asks."""

    index: BlogIndex
    ollama: OllamaStandIn

    def notice(self, query: str) -> str:
        """What a search says besides its hits, of which there are some."""
        answer = self.index.search(query)
        assert answer.hits
        return answer.notice or ""

    def has_meaning(self, query: str) -> bool:
        return WORDS not in self.notice(query)

    def texts(self) -> list[str]:
        """Those that Ollama was sent."""
        return [text for body in self.ollama.embedded for text in body["input"]]

    def warm(self) -> Session:
        """Wait until the model is loaded and the first answer has meaning."""
        until(lambda: self.has_meaning("where is the water warm"))
        until(lambda: "search_document: warm up" in self.texts())
        self.ollama.requests.clear()
        return self


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    folder = tmp_path_factory.mktemp("blog")
    made = Blog(folder / "content", folder / "index")
    made.write(POSTS)
    with running() as ollama:
        named = ("--embedder", "ollama", "--model", "nomic-embed-text")
        assert made.ingest(*named, "--embedder-url", ollama.host).status == 0
    return made


@pytest.fixture
def session(blog: Blog, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """Waits for an embedding as long as a busy machine needs."""
    monkeypatch.setattr(serving, "LEAST_WAIT", 5.0)
    monkeypatch.setattr(serving, "MOST_WAIT", 5.0)
    with running() as ollama, open_index(blog.index, embedder_url=ollama.host) as index:
        yield Session(index, ollama)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each query looks at Ollama and asks it, whatever was before."""
    monkeypatch.setattr(serving, "RETRY_PAUSE", 0.0)


@pytest.mark.parametrize(
    "fault", [fails(503, "server busy, please try again."), closes, replies(200, "[]")]
)
def test_an_ollama_that_fails_is_not_asked_again_for_a_while(
    fault: Fault, session: Session
) -> None:
    session.warm().ollama.on_text = {"": fault}
    assert WORDS in session.notice("warm rain water")
    assert WORDS in session.notice("brass key")
    assert session.texts() == ["search_query: warm rain water"]


def test_an_answered_warm_up_shows_that_the_server_works(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = list[Future[Any]]()

    def run(work: Callable[[], object]) -> Future[Any]:
        begun.append(run_in_background(work))
        return begun[-1]

    monkeypatch.setattr(serving, "run_in_background", run)
    monkeypatch.setattr(serving, "LEAST_WAIT", 0.0)
    session.index.read("keys.md", 0)
    begun[0].result()
    assert session.has_meaning("brass key")


def test_an_ollama_that_hangs_costs_one_query_its_wait_and_its_vector_is_kept(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.warm()
    monkeypatch.setattr(serving, "LEAST_WAIT", 0.2)
    monkeypatch.setattr(serving, "MOST_WAIT", 0.2)
    session.ollama.faults = [held := Held()]
    assert WORDS in session.notice("warm rain water")
    assert WORDS in session.notice("brass key")
    held.released.set()
    until(lambda: session.has_meaning("warm rain water"))
    assert session.texts() == ["search_query: warm rain water"]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"elsewhere": {"/api/tags": closes}}, "Try again"),
        ({"models": []}, "ollama pull"),
        ({"models": [Model(digest="f" * 64)]}, "--rebuild"),
    ],
)
def test_an_ollama_that_is_gone_or_has_another_model_is_told_and_welcome_again(
    change: dict[str, Any], said: str, session: Session
) -> None:
    before = {name: getattr(session.warm().ollama, name) for name in change}
    vars(session.ollama).update(change)
    assert said in session.notice("warm rain water")
    vars(session.ollama).update(before)
    assert session.has_meaning("warm rain water")


def test_a_query_that_is_asked_again_asks_for_no_vector(session: Session) -> None:
    session.warm()
    assert all(session.has_meaning(query) for query in ("brass key", "brass key"))
    assert session.texts() == ["search_query: brass key"]


def test_settings_that_the_client_cannot_start_with_are_a_sentence(
    blog: Blog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "nowhere.pem"))
    with open_index(blog.index, embedder_url="https://ollama.example") as index:
        notice = index.search("brass key").notice or ""
    assert "SSL_CERT_FILE" in notice
