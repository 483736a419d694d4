"""The engine of a server: an index whose answers report changes of posts since the ingest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from blog_search_mcp.index.embedders.embedder import run_in_background
from blog_search_mcp.index.errors import IndexMissing, IndexOutdated
from blog_search_mcp.index.invocation import join_sentences
from blog_search_mcp.index.reader import Index, IndexReader
from blog_search_mcp.index.stores import Location
from blog_search_mcp.server.watch.staleness import StalenessCheck

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.embedder import Embedder
    from blog_search_mcp.index.store.statistics import Overview
    from blog_search_mcp.index.types import Answer, EmbedderIdentity, Filters, Passage
    from blog_search_mcp.server.settings import Settings
    from blog_search_mcp.server.watch.watcher import Watcher

Noticed = TypeVar("Noticed", "Answer", "Passage", "Overview")


class Engine(Index):
    """An index as a server uses it, with a check for changed posts; thread-safe.

    Answers are from the newest generation that can be opened. Each method may raise
    BlogSearchError, but not `warm_up`.
    """

    def __init__(
        self,
        location: Location,
        embedder_for: Callable[[EmbedderIdentity], Embedder],
        staleness: StalenessCheck | Watcher | None = None,
    ) -> None:
        super().__init__(location, embedder_for)
        self._staleness = staleness

    def search(self, query: str, filters: Filters, **page: Any) -> Answer:
        """Return the page of `IndexReader.search`, with notices on the state of the index."""
        return self._add_notice(self.reader().search(query, filters, **page))

    def read(self, source: str, chunk_index: int, neighbors: int | None) -> Passage:
        """Return the passage of `IndexReader.read`, with notices on the state of the index."""
        return self._add_notice(self.reader().read(source, chunk_index, neighbors))

    @property
    def overview(self) -> Overview:
        """Facts and counts of the index, with notices on its state."""
        return self._add_notice(self.reader().overview)

    def _add_notice(self, answer: Noticed) -> Noticed:
        stale = self._staleness.notice() if self._staleness is not None else None
        return replace(answer, notice=join_sentences(answer.notice, stale) or None)

    def warm_up(self) -> None:
        """Open the index in a thread. Calls made meanwhile wait until it is open."""
        run_in_background(self.reader)  # each call meets an error again and reports it

    def reader(self) -> IndexReader:
        """Return the reader of `Index.reader`, and start a check for changed posts.

        With `--watch`, a missing or outdated index raises IndexMissing, which describes the ingest.
        """
        try:
            return super().reader()
        except (IndexMissing, IndexOutdated) as error:
            if self._staleness is None or isinstance(self._staleness, StalenessCheck):
                raise  # this process runs no ingest
            raise IndexMissing(self._staleness.first_ingest()) from error
        finally:
            if self._staleness is not None:
                self._staleness.check()


def engine_for(settings: Settings) -> Engine:
    """Make the engine of a server, without opening the index.

    The engine checks for posts that changed since the last ingest, and ingests them if it watches.
    """
    staleness: StalenessCheck | Watcher = StalenessCheck(settings.index)
    if settings.watch is not None:
        from blog_search_mcp.server.watch.watcher import Watcher, run_ingest

        ingest = partial(run_ingest, settings.watch, settings)
        staleness = Watcher(settings.index, settings.watch, ingest, lambda: engine.warm_up())
    load = partial(_load_embedder, settings.embedder_url, waits=settings.waits)
    engine = Engine(settings.index, load, staleness)
    return engine


def engine_for_one(settings: Settings, *, embeds: bool = True) -> Engine:
    """Make the engine of a command. Opening the index waits for the check for changed posts.

    With `embeds`, a packaged model is preloaded when the index is opened.
    """
    staleness = StalenessCheck(settings.index, run=lambda work: work())
    load = partial(_load_embedder, settings.embedder_url, embeds=embeds)
    return Engine(settings.index, load, staleness)


def _load_embedder(
    url: str, identity: EmbedderIdentity, *, waits: bool = True, embeds: bool = True
) -> Embedder:
    """Open an embedder; with `embeds`, preload a packaged model in parallel with imports.

    With `waits`, a query waits until the embedding server has loaded its model.
    """
    from blog_search_mcp.index.embedders.registry import open_embedder, preload

    if embeds:
        preload(identity.name)
    return open_embedder(identity, url, waits=waits)
