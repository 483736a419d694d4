from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from blog_search_mcp.index.errors import EmbedderUnavailable
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.server.format.results import for_clients
from blog_search_mcp.server.protocol.app import run_tool
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG
from tests.support.server_fixtures import FixedSearcher

FOREIGN = "Ollama at http://me:swordfish@127.0.0.1:11434 failed: open /home/me/.ollama/blob: EOF."
TOLD = "Ollama at http://127.0.0.1:11434 failed: open …/blob: EOF."


class Failing(FixedSearcher):
    """Its embedder does not answer: with an index of words alone it says so, else it fails."""

    def __init__(self, *, by_words: bool) -> None:
        super().__init__()
        self.by_words = by_words

    def search(self, query: str, filters: Filters, *, limit: int, offset: int) -> Answer:
        if not self.by_words:
            raise EmbedderUnavailable(FOREIGN)
        found = super().search(query, filters, limit=limit, offset=offset)
        return replace(found, notice=FOREIGN)


def test_a_failure_and_a_notice_quote_nothing_of_the_host() -> None:
    asked: dict[str, Any] = {"query": "cache"}
    failure = run_tool(SEARCH_BLOG, Failing(by_words=False), asked)
    assert (failure.texts, failure.is_error) == ((TOLD,), True)
    facts = run_tool(SEARCH_BLOG, Failing(by_words=True), asked).facts
    assert facts is not None
    assert facts["notice"] == TOLD


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("error loading /usr/lib/ollama/runner.so", "error loading …/runner.so"),
        (r"open C:\Users\me\.ollama\blob: denied", "open …/blob: denied"),
        ("in '~/.ollama/models/blob'", "in '…/blob'"),
        ("see file:///home/me/blob", "see …/blob"),
        ("https://user@host:1/a/b?c=1", "https://host:1/a/b?c=1"),
    ],
)
def test_a_path_keeps_its_last_name_alone(sentence: str, told: str) -> None:
    assert for_clients(sentence) == told


@pytest.mark.parametrize(
    "sentence",
    [
        "There is no index in .blog-index/ yet. Make one: `blog-ingest CONTENT --index INDEX`.",
        "Ollama at http://127.0.0.1:11434/a/b cannot be reached.",
        "inference/kv-cache.md has no chunk 9: its chunk_index goes from 0 to 1.",
        "It does and/or does not; 1/2/3 of them.",
    ],
)
def test_what_is_no_path_of_this_machine_is_left_alone(sentence: str) -> None:
    assert for_clients(sentence) == sentence
