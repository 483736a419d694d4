"""Searches of a server over an index of Ollama's vectors, while Ollama comes and goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from blog_search_mcp.api import BlogIndex, open_index
from blog_search_mcp.index.embedders import serving
from blog_search_mcp.index.embedders.remote import RemoteEmbedder
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
    monkeypatch.setattr(RemoteEmbedder, "look_interval", 0.0)
    monkeypatch.setattr(serving, "RETRY_PAUSE", 0.0)


@pytest.mark.parametrize(
    "fault",
    [
        fails(503, "server busy, please try again."),
        replies(502, "<html>Bad Gateway</html>"),
        fails(500, "llama-server process has terminated"),
        closes,
        replies(200, "[]"),
    ],
)
def test_an_ollama_that_fails_is_not_asked_again_for_a_while(
    fault: Fault, session: Session
) -> None:
    session.warm().ollama.on_text = {"": fault}
    assert WORDS in session.notice("warm rain water")
    assert WORDS in session.notice("brass key")
    assert [text for text in session.texts() if "rain" in text or "brass" in text] == [
        "search_query: warm rain water"
    ]


def test_an_ollama_that_hangs_costs_one_query_its_wait_and_its_vector_is_kept(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.warm()
    monkeypatch.setattr(serving, "LEAST_WAIT", 0.2)
    monkeypatch.setattr(serving, "MOST_WAIT", 0.2)
    session.ollama.faults = [held := Held()]
    assert WORDS in session.notice("warm rain water")
    asked = len(session.ollama.embedded)
    assert WORDS in session.notice("brass key")
    held.released.set()
    until(lambda: session.has_meaning("warm rain water"))
    assert len(session.ollama.embedded) == asked


@pytest.mark.usefixtures("at_once")
def test_meaning_is_back_once_ollama_is(session: Session) -> None:
    session.warm()
    session.ollama.elsewhere = {"/api/tags": closes}
    assert WORDS in session.notice("warm rain water")
    session.ollama.elsewhere = {}
    assert session.has_meaning("warm rain water")


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("models", "said"), [([], "ollama pull"), ([Model(digest="f" * 64)], "--rebuild")]
)
def test_a_model_that_was_deleted_or_replaced_is_named_and_the_old_one_welcome(
    models: list[Model], said: str, session: Session
) -> None:
    ours = session.warm().ollama.models
    session.ollama.models = models
    assert said in session.notice("warm rain water")
    assert session.ollama.embedded == []
    session.ollama.models = ours
    assert session.has_meaning("warm rain water")


@pytest.mark.usefixtures("at_once")
def test_a_new_version_that_embeds_the_same_is_looked_at_and_used(session: Session) -> None:
    session.warm().ollama.version = "0.33.1"
    assert session.has_meaning("brass key")
    assert len(session.ollama.embedded) > 1


def test_a_query_that_is_asked_again_asks_for_no_vector(session: Session) -> None:
    session.warm()
    assert all(session.has_meaning(query) for query in ("brass key", "brass key"))
    assert session.texts() == ["search_query: brass key"]


def test_the_model_is_loaded_before_anybody_asks(session: Session) -> None:
    session.index.posts()
    until(lambda: bool(session.ollama.embedded))
    assert session.texts() == ["search_document: warm up"]


def test_settings_that_the_client_cannot_start_with_are_a_sentence(
    blog: Blog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "nowhere.pem"))
    with open_index(blog.index, embedder_url="https://ollama.example") as index:
        notice = index.search("brass key").notice or ""
    assert "SSL_CERT_FILE" in notice
