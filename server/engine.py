"""The index behind the tools, opened in the background once the first reply is out.

Opening imports numpy, FAISS and tantivy, which takes longer than all other work until the first
reply; a client that waits for that reply must not wait for them.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from blog_search_mcp.index.errors import IndexMissing, IndexOutdated, IndexProblem
from blog_search_mcp.index.invocation import complete_commands
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
    """An index as a server answers from it: opened when first used, and once for all threads.

    What is asked of the newest generation that can be used raises BlogSearchError.
    """

    def __init__(
        self,
        open_index: Callable[[], Index],
        location: Location,
        staleness: StalenessCheck | Watcher | None = None,
    ) -> None:
        """Take how to open the index, where it is and what, if anything, watches its posts."""
        self.store = open_store(location)
        self._open_index = open_index
        self._staleness = staleness
        self._opening = threading.Lock()
        self._live: Index | None = None

    def search(self, query: str, filters: Filters, *, limit: int, offset: int) -> Answer:
        """Search by words and by meaning."""
        return self._ask(lambda reader: reader.search(query, filters, limit=limit, offset=offset))

    def read(self, source: str, chunk_index: int, neighbors: int) -> Passage:
        """Read a chunk with what stands around it."""
        return self._ask(lambda reader: reader.read(source, chunk_index, neighbors))

    def newest_reader(self) -> IndexReader:
        """Return the newest generation, and no earlier one in its place. Raises IndexProblem."""
        reader = self.reader()
        if reader.problem is not None:
            raise IndexProblem(str(reader.problem), for_clients=reader.problem.for_clients)
        return reader

    @property
    def overview(self) -> Overview:
        """What the index holds, in numbers."""
        return self._ask(lambda reader: reader.overview)

    def warm_up(self) -> None:
        """Open the index in the background; a call that comes meanwhile waits for it."""

        def work() -> None:
            with suppress(BaseException):  # which each call meets again and tells
                self.reader()

        threading.Thread(target=work, name="warm-up", daemon=True).start()

    def _ask(self, request: Callable[[IndexReader], Noticed]) -> Noticed:
        """Put a request to the newest generation that can be used, and tell of changed posts."""
        answer = request(self.reader())
        stale = self._staleness.notice() if self._staleness is not None else None
        notice = " ".join(filter(None, (answer.notice, stale)))
        return replace(answer, notice=complete_commands(notice) or None)

    def reader(self) -> IndexReader:
        """Return the newest generation; what an ingest is about to make is told as that."""
        with self._opening:
            if self._live is None:
                self._live = self._open_index()
        if self._staleness is not None:
            self._staleness.check()
        try:
            return self._live.reader()
        except (IndexMissing, IndexOutdated) as error:
            if self._staleness is None or isinstance(self._staleness, StalenessCheck):
                raise  # nobody here makes an index
            raise IndexMissing(self._staleness.first_ingest()) from error


def engine_for(settings: Settings) -> Engine:
    """Make the engine of a server; nothing is opened yet.

    Posts are compared with the index, or for `--watch` ingested too. The embedder warms up beside
    the index, so that the first query need not wait for it.
    """
    staleness: StalenessCheck | Watcher = StalenessCheck(settings.index)
    if settings.watch is not None:
        from blog_search_mcp.server.watch.watcher import Watcher, run_ingest

        ingest = partial(run_ingest, settings.watch, settings.index, settings.embedder_url)
        staleness = Watcher(settings.index, settings.watch, ingest, lambda: engine.warm_up())
    engine = Engine(partial(_open_index, settings, waits=settings.waits), settings.index, staleness)
    return engine


def engine_for_one(settings: Settings, *, embeds: bool = True) -> Engine:
    """Make the engine of one command: what a server does beside its answers is waited for.

    The posts are compared before the answer, since there is no later one to carry the notice.
    """
    staleness = StalenessCheck(settings.index, run=lambda work: work())
    return Engine(partial(_open_index, settings, embeds=embeds), settings.index, staleness)


def _open_index(settings: Settings, *, waits: bool = True, embeds: bool = True) -> Index:
    """Import what searches, while a model of the package is loaded if anything `embeds`.

    An embedder that `waits` is given the time to load its model.
    """
    if embeds and (overview := open_store(settings.index).peek_overview()):
        from blog_search_mcp.index.embedders.registry import preload

        preload(overview.embedder)
    from blog_search_mcp.index.embedders.registry import open_embedder
    from blog_search_mcp.index.reader import Index

    make_embedder = partial(open_embedder, url=settings.embedder_url, waits=waits)
    return Index(settings.index, make_embedder)
