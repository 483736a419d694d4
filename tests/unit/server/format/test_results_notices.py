from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blog_search_mcp.index.embedders.client import FailureKind
from blog_search_mcp.index.embedders.ollama.wire import OllamaWire
from blog_search_mcp.index.errors import EmbedderUnavailable, IngestFailed
from blog_search_mcp.index.posts.last_ingest import IngestOptions
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.server.protocol.app import run_tool
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG
from blog_search_mcp.server.watch.reingest import run_ingest
from tests.support.server_fixtures import FixedSearcher

FOREIGN = r"open C:\My Documents\blob, \\server\my share\blob, http://me:sword@fish@host: EOF"
TOLD = "Ollama failed. Restart it."


class Failing(FixedSearcher):
    """Its embedder does not answer: with an index of words alone it says so, else it fails."""

    def __init__(self, *, by_words: bool) -> None:
        super().__init__()
        self.by_words = by_words

    def search(self, query: str, filters: Filters, *, limit: int, offset: int) -> Answer:
        if not self.by_words:
            raise EmbedderUnavailable(FOREIGN, for_clients=TOLD)
        found = super().search(query, filters, limit=limit, offset=offset)
        return replace(found, notice=TOLD)


def test_a_failure_and_a_notice_quote_nothing_of_the_host() -> None:
    asked: dict[str, Any] = {"query": "cache"}
    failure = run_tool(SEARCH_BLOG, Failing(by_words=False), asked)
    assert (failure.texts, failure.is_error) == ((TOLD,), True)
    facts = run_tool(SEARCH_BLOG, Failing(by_words=True), asked).facts
    assert facts is not None
    assert facts["notice"] == TOLD


def test_a_failure_of_ollama_is_told_without_its_own_words() -> None:
    failure = OllamaWire("http://127.0.0.1:1", "m").fail(FailureKind.FAILED, FOREIGN)
    assert FOREIGN in str(failure)
    assert "sword" not in failure.for_clients


@pytest.mark.parametrize(("name", "is_file"), [("my posts", False), ("a@b", True)])
def test_no_folder_of_posts_is_named_to_clients(name: str, is_file: bool, tmp_path: Path) -> None:
    folder = tmp_path / name
    if is_file:
        folder.touch()
    with pytest.raises(IngestFailed) as raised:
        run_ingest(folder, tmp_path / "index", "", IngestOptions())
    assert name in str(raised.value)
    assert str(tmp_path) not in raised.value.for_clients
    assert name not in raised.value.for_clients
