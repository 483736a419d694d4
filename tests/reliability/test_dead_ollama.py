"""Searches while Ollama is dead: each is answered by words, and says why there is no meaning.

For each way of being dead: Ollama answers, dies, is asked a burst of queries, comes back, and is
asked until the answers have meaning again. A query that waited for what is dead would have no
answer within a client's patience.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from blog_search_mcp.index.embedders.registry import choose_embedder, serve_embedder
from blog_search_mcp.index.embedders.serving import HEALTH_CHECK_INTERVAL
from blog_search_mcp.index.reader import Index, IndexReader
from blog_search_mcp.index.types import Filters
from tests.reliability.conftest import RecordRuns
from tests.reliability.dead_ollamas import dead
from tests.support.blog import Blog
from tests.support.ollama_standin import running
from tests.support.served import POSTS

PATIENCE = 60.0
"""Seconds for a burst of queries, whose embeddings would be given 20 each."""

RETURN = 40.0
"""Seconds after which meaning must be back once Ollama is."""

NOTICE = "Keyword matches only, without search by meaning: "
STUCK = ("does not answer", "is still loading", "did not answer in time")
GONE = ("does not answer", "did not answer in time", "cannot be reached")

WAYS = {
    "refused": ("cannot be reached",),
    "silent": GONE,
    "blackhole": GONE,
    "hangs": STUCK,
    "half": STUCK,
    "busy": ("is busy", *STUCK),
    "gateway": ("failed while embedding", *STUCK),
    "502": ("failed while embedding", *STUCK),
    "deleted": ("`ollama pull ",),
    "changed": ("other weights",),
    "killed": (*STUCK, *GONE),
    "loading": ("", *STUCK),
}
"""By the way of being dead, phrases of which one is in every notice; with an empty one, an
answer may have no notice."""


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """An index made with Ollama, and the address at which that was."""
    folder = tmp_path_factory.mktemp("blog")
    made = Blog(folder / "content", folder / "index")
    made.write(POSTS)
    with running() as standin:
        made.embedder = choose_embedder("ollama", None, standin.host, None, dict).embedder  # type: ignore[assignment]
        made.ingest()
        return made.index, standin.host


@contextmanager
def served(index: Path, host: str) -> Iterator[IndexReader]:
    live = Index(index, lambda identity: serve_embedder(identity, host))
    try:
        yield live.reader()
    finally:
        live.close()


@pytest.mark.parametrize("way", WAYS)
def test_no_query_waits_for_a_dead_ollama_and_the_answer_names_it(
    way: str, indexed: tuple[Path, str], full: bool, record_runs: RecordRuns
) -> None:
    index, host = indexed
    port = int(host.rpartition(":")[2])
    queries = [f"how does a cache work {number}" for number in range(100 if full else 8)]
    wrong = []
    with served(index, host) as reader:
        with running(port=port):
            wait_for_meaning(reader)
        if way == "changed":
            time.sleep(
                HEALTH_CHECK_INTERVAL
            )  # an Ollama that was just looked at counts as unchanged
        with dead(way, port):
            end = time.perf_counter() + PATIENCE
            for query in queries:
                notice = why_no_meaning(reader, query)
                named = any(each in notice for each in WAYS[way]) if notice else "" in WAYS[way]
                if not named:
                    wrong.append((query, notice))
            assert time.perf_counter() < end
        with running(port=port):
            wait_for_meaning(reader)
    record_runs(len(queries), len(queries) - len(wrong))
    assert wrong == []


def why_no_meaning(reader: IndexReader, query: str) -> str:
    """Return why a search had no dense retriever; empty if it had."""
    notice = reader.search(query, Filters(), limit=5, offset=0).notice or ""
    return notice.partition(NOTICE)[2].partition(" Low confidence")[0]


def wait_for_meaning(reader: IndexReader) -> None:
    end = time.perf_counter() + RETURN
    while why_no_meaning(reader, f"is meaning back at {time.perf_counter()}"):
        assert time.perf_counter() < end, "search by meaning did not come back"
        time.sleep(0.1)
