"""The engine of a server: an index that is opened in the background after the first reply.

Opening imports NumPy, FAISS and tantivy, which takes longer than everything else before the first
reply.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from blog_search_mcp.index.errors import IndexMissing, IndexOutdated, IndexProblem
from blog_search_mcp.index.invocation import join_sentences
from blog_search_mcp.index.stores import Location, open_store
from blog_search_mcp.server.watch.staleness import StalenessCheck

if TYPE_CHECKING:
    from collections.abc import Callable

    from blog_search_mcp.index.reader import Index, IndexReader
    from blog_search_mcp.index.store.statistics import Overview
    from blog_search_mcp.index.types import Answer, Filters, Passage
    from blog_search_mcp.server.settings import Settings
    from blog_search_mcp.server.watch.watcher import Watcher

Noticed = TypeVar("Noticed", "Answer", "Passage", "Overview")


class Engine:
    """An index as a server uses it: opened once, by the first request of any thread.

    Methods answer from the newest generation that can be opened; each may raise BlogSearchError.
    """

    def __init__(
        self,
        open_index: Callable[[], Index],
        location: Location,
        staleness: StalenessCheck | Watcher | None = None,
    ) -> None:
        """Take a function that opens the index, its location, and a check for changed posts."""
        self.store = open_store(location)
        self._open_index = open_index
        self._staleness = staleness
        self._opening = threading.Lock()
        self._live: Index | None = None

    def search(self, query: str, filters: Filters, *, limit: int, offset: int) -> Answer:
        """Return hits of keyword and semantic search, with notices on the state of the index."""
        return self._ask(lambda reader: reader.search(query, filters, limit=limit, offset=offset))

    def read(self, source: str, chunk_index: int, neighbors: int) -> Passage:
        """Return a page around a chunk, with notices on the state of the index."""
        return self._ask(lambda reader: reader.read(source, chunk_index, neighbors))

    def newest_reader(self) -> IndexReader:
        """Return a reader of the newest generation, never an earlier one. Raises IndexProblem."""
        reader = self.reader()
        if reader.problem is not None:
            raise IndexProblem(reader.problem.message, for_clients=reader.problem.for_clients)
        return reader

    @property
    def overview(self) -> Overview:
        """Counts of what the index holds."""
        return self._ask(lambda reader: reader.overview)

    def warm_up(self) -> None:
        """Open the index in a thread; a call that comes meanwhile waits for it."""

        def work() -> None:
            with suppress(BaseException):  # each call meets the error again and reports it
                self.reader()

        threading.Thread(target=work, name="warm-up", daemon=True).start()

    def _ask(self, request: Callable[[IndexReader], Noticed]) -> Noticed:
        """Answer from the newest usable generation, with a notice if posts have changed."""
        answer = request(self.reader())
        stale = self._staleness.notice() if self._staleness is not None else None
        return replace(answer, notice=join_sentences(answer.notice, stale) or None)

    def reader(self) -> IndexReader:
        """Return a reader of the newest usable generation.

        If the first ingest of `--watch` is still running, raises IndexMissing that says so.
        """
        with self._opening:
            if self._live is None:
                self._live = self._open_index()
        if self._staleness is not None:
            self._staleness.check()
        try:
            return self._live.reader()
        except (IndexMissing, IndexOutdated) as error:
            if self._staleness is None or isinstance(self._staleness, StalenessCheck):
                raise  # no ingest of this process will make one
            raise IndexMissing(self._staleness.first_ingest()) from error


def engine_for(settings: Settings) -> Engine:
    """Make the engine of a server without opening the index.

    The engine checks whether posts have changed since the last ingest; with `--watch` it ingests
    them. The embedder loads while the index is opened, so the first query does not wait for it.
    """
    staleness: StalenessCheck | Watcher = StalenessCheck(settings.index)
    if settings.watch is not None:
        from blog_search_mcp.server.watch.watcher import Watcher, run_ingest

        ingest = partial(run_ingest, settings.watch, settings.index, settings.embedder_url)
        staleness = Watcher(settings.index, settings.watch, ingest, lambda: engine.warm_up())
    engine = Engine(partial(_open_index, settings, waits=settings.waits), settings.index, staleness)
    return engine


def engine_for_one(settings: Settings, *, embeds: bool = True) -> Engine:
    """Make the engine of one command, which waits for the check for changed posts.

    A server adds the notice to a later answer; a command has only one. Without `embeds` no
    embedder is loaded.
    """
    staleness = StalenessCheck(settings.index, run=lambda work: work())
    return Engine(partial(_open_index, settings, embeds=embeds), settings.index, staleness)


def _open_index(settings: Settings, *, waits: bool = True, embeds: bool = True) -> Index:
    """Import the search libraries and, if `embeds`, load the packaged model meanwhile.

    With `waits` a query waits until the model of an embedding server is loaded.
    """
    if embeds and (overview := open_store(settings.index).peek_overview()):
        from blog_search_mcp.index.embedders.registry import preload

        preload(overview.embedder)
    from blog_search_mcp.index.embedders.registry import open_embedder
    from blog_search_mcp.index.reader import Index

    make_embedder = partial(open_embedder, url=settings.embedder_url, waits=waits)
    return Index(settings.index, make_embedder)
