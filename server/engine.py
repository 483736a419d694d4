"""The index behind the tools, opened in the background once the first reply is out.

Opening
imports numpy, FAISS and tantivy, which takes longer than all other work until the first
reply; a client that waits for that reply must not wait for them.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from index.errors import BlogSearchError

if TYPE_CHECKING:
    from collections.abc import Callable

    from index.listing import Listing
    from index.overview import Overview
    from index.types import Answer, Filters, Outline, Passage
    from server.folder import IndexFolder
    from server.searcher import Behind, Live
    from server.settings import Settings

log = logging.getLogger(__name__)


class Engine:
    """A Searcher that opens its index when first used, and once for all threads."""

    def __init__(
        self,
        open_index: Callable[[], Live],
        folder: IndexFolder,
        freshness: Behind | None = None,
    ) -> None:
        """Take how to open the index, its folder and what, if anything, watches its posts."""
        self._open_index = open_index
        self._folder = folder
        self._freshness = freshness
        self._opening = threading.Lock()
        self._live: Live | None = None

    @property
    def folder(self) -> IndexFolder:
        """What can be known of the index without opening it."""
        return self._folder

    def search(self, query: str, filters: Filters, *, limit: int, offset: int) -> Answer:
        """Ask the newest generation that can be used. Raises BlogSearchError."""
        live = self._opened()
        answer = live.reader().search(query, filters, limit=limit, offset=offset)
        return replace(answer, notice=_together(live.notice, answer.notice, self._behind()))

    def read(self, source: str, chunk_index: int, neighbors: int) -> Passage:
        """Read from the newest generation that can be used. Raises BlogSearchError."""
        live = self._opened()
        passage = live.reader().read(source, chunk_index, neighbors)
        return replace(passage, notice=_together(live.notice, self._behind()))

    def outline(self, source: str) -> Outline:
        """Outline a post of the newest generation. Raises BlogSearchError."""
        return self._opened().reader().outline(source)

    def listing(self) -> Listing:
        """List what the newest generation holds. Raises IndexProblem."""
        return self._opened().reader().listing()

    @property
    def overview(self) -> Overview:
        """Tell of the newest generation. Raises BlogSearchError."""
        return replace(self._opened().reader().overview, notice=self._behind())

    def warm_up(self, then: Callable[[], None] = lambda: None) -> None:
        """Open the index in the background, then do `then`, whether or not it could be opened.

        A call that comes meanwhile waits for it.
        """
        threading.Thread(target=self._warm, args=(then,), name="warm-up", daemon=True).start()

    def _warm(self, then: Callable[[], None]) -> None:
        try:
            self._opened().reader()
        except BlogSearchError as error:
            log.info("Not ready yet: %s", error)  # each call will say it to the client
        except Exception:
            log.exception("The index could not be opened.")
        then()

    def _behind(self) -> str | None:
        return self._freshness.notice() if self._freshness is not None else None

    def _opened(self) -> Live:
        with self._opening:
            if self._live is None:
                self._live = self._open_index()
        if self._freshness is not None:
            self._freshness.look()
        return self._live


def _together(*sentences: str | None) -> str | None:
    return " ".join(filter(None, sentences)) or None


def engine_for(settings: Settings) -> Engine:
    """Make the engine over the index folder that `settings` name; nothing is opened yet.

    The embedder warms up beside the index, so that the first query need not wait for it.
    """
    from server.folder import IndexFolder

    def open_index() -> Live:
        from index.embedder.serving import serving_embedder
        from index.live import LiveIndex

        return LiveIndex(
            settings.index, lambda identity: serving_embedder(identity, settings.ollama_host)
        )

    behind = behind_of(settings, lambda: engine.warm_up())
    engine = Engine(open_index, IndexFolder(settings.index), behind)
    return engine


def engine_for_one(settings: Settings) -> Engine:
    """Make the engine for one question: what a server does beside its answers is waited for.

    The embedder is given the time to load its model, and the posts are looked at before the
    answer, since there is no later one to tell.
    """
    from server.folder import IndexFolder
    from server.freshness import Freshness

    def open_index() -> Live:
        from index.embedder.choose import embedder_of
        from index.live import LiveIndex

        return LiveIndex(
            settings.index, lambda identity: embedder_of(identity, settings.ollama_host)
        )

    behind = Freshness(settings.index, settings.content, start=lambda look: look())
    return Engine(open_index, IndexFolder(settings.index), behind)


def behind_of(settings: Settings, on_switch: Callable[[], None]) -> Behind:
    """Make what only looks at the posts, or what also ingests them."""
    if settings.watch is None:
        from server.freshness import Freshness

        return Freshness(settings.index, settings.content)
    from server.reingest import Reingest
    from server.watch import Watch

    again = Reingest(settings.watch, settings.index, settings.ollama_host)
    return Watch(settings.index, settings.watch, again, on_switch)
