"""The read face of the index: one opened generation, and an index that follows its newest one.

A generation's files are closed with the last reference to its reader, so that a request which
began before a switch ends undisturbed, however many switches there are meanwhile.
"""

from __future__ import annotations

import difflib
import threading
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from blog_search_mcp.index.embedders.base import Embedder
from blog_search_mcp.index.errors import IndexBroken, IndexProblem, UnknownChunk, UnknownPost
from blog_search_mcp.index.search.ranking import Use
from blog_search_mcp.index.search.search import search
from blog_search_mcp.index.search.snapshot import Snapshot, open_snapshot
from blog_search_mcp.index.store.checksums import Guard
from blog_search_mcp.index.store.generations import (
    ReaderLock,
    current_number,
    lock_generation,
    read_manifest,
)
from blog_search_mcp.index.store.layout import GenerationFiles, Layout
from blog_search_mcp.index.store.listing import Listing
from blog_search_mcp.index.store.manifest import REBUILD, Manifest
from blog_search_mcp.index.store.statistics import read_overview
from blog_search_mcp.index.types import (
    Answer,
    Chunk,
    EmbedderIdentity,
    Filters,
    Outline,
    Passage,
    Post,
)

NEAREST = 3
"""Sources named when the one asked for is not there."""


class IndexReader:
    """Searches and reads one generation; immutable, and safe for concurrent requests."""

    def __init__(
        self, files: GenerationFiles, manifest: Manifest, embedder: Embedder, lock: ReaderLock
    ) -> None:
        """Verify and open the generation's files; `lock` is released when they are closed.

        Raises IndexBroken.
        """
        self.manifest = manifest
        self._guard = Guard(files, manifest)
        self._legs = open_snapshot(files, embedder)
        self._finalize = weakref.finalize(self, _close, self._legs, lock)
        if self._legs.vectors.dimension != manifest.embedder.dimension:
            self.close()
            raise IndexBroken(f"The index's vectors are not its embedder's. {REBUILD}")
        try:
            self.overview = read_overview(files)
        except (OSError, ValueError) as error:
            self.close()
            raise IndexBroken(f"The index cannot be opened. {REBUILD}") from error

    @property
    def replaced(self) -> bool:
        """Whether another generation now lies where this one was opened."""
        return self._guard.replaced

    def close(self) -> None:
        """Close the files at once; no other call may follow."""
        self._finalize()

    def search(
        self, query: str, filters: Filters, *, limit: int, offset: int, use: Use = Use.HYBRID
    ) -> Answer:
        """Find the hits from `offset` on, `limit` at most, best first. Raises IndexBroken."""
        self._guard.check()
        calibration = self.manifest.calibration
        return search(self._legs, query, filters, calibration, limit=limit, offset=offset, use=use)

    def read(self, source: str, chunk_index: int, neighbors: int) -> Passage:
        """Read a chunk with `neighbors` chunks on each side.

        Raises UnknownPost, UnknownChunk or IndexBroken.
        """
        self._guard.check()
        post_id, post = self._find_post(source)
        chunks = self._legs.catalog.chunks_of(post_id)
        if not 0 <= chunk_index < len(chunks):
            raise UnknownChunk(source, chunk_index, len(chunks))
        first = max(0, chunk_index - neighbors)
        shown = tuple(chunks[first : chunk_index + neighbors + 1])
        return Passage(
            post=post,
            chunks=shown,
            asked=chunk_index,
            count=len(chunks),
            heading_before=_other_heading(chunks[first::-1], shown[0]),
            heading_after=_other_heading(chunks[shown[-1].index :], shown[-1]),
            translations=self._legs.translations.others(post_id),
        )

    def outline(self, source: str) -> Outline:
        """List a post's chunks without their text. Raises UnknownPost or IndexBroken."""
        post_id, post = self._find_post(source)
        others = self._legs.translations.others(post_id)
        return Outline(post, self.listing().parts(post_id), others)

    def listing(self) -> Listing:
        """Return lists of what the generation holds. Raises IndexBroken."""
        self._guard.check()
        return Listing(self._legs.catalog, self)

    def _find_post(self, source: str) -> tuple[int, Post]:
        found = self._legs.catalog.find_post(source)
        if found is None:
            raise UnknownPost(source, self._nearest(source))
        return found

    def _nearest(self, source: str) -> tuple[str, ...]:
        sources = self._legs.catalog.sources()
        same_name = [known for known in sources if _name(known) == _name(source)]
        close = difflib.get_close_matches(source, sources, NEAREST, cutoff=0.5)
        return tuple(dict.fromkeys([*same_name, *close]))[:NEAREST]


def _close(snapshot: Snapshot, lock: ReaderLock) -> None:
    snapshot.close()
    lock.release()


def _name(source: str) -> str:
    return source.rpartition("/")[2].casefold()


def _other_heading(chunks: list[Chunk], than: Chunk) -> str | None:
    """The innermost heading of the first chunk that stands under another one."""
    for chunk in chunks:
        if chunk.headings and chunk.headings != than.headings:
            return chunk.headings[-1]
    return None


class Index:
    """Follows the generations of one index folder; safe for concurrent use."""

    def __init__(self, folder: Path, embedder_for: Callable[[EmbedderIdentity], Embedder]) -> None:
        """Take the folder, which need not exist; `embedder_for` makes the embedder of an index."""
        self._layout = Layout(folder)
        self._embedder_for = embedder_for
        self._opening = threading.Lock()
        self._reader: IndexReader | None = None
        self._embedder: Embedder | None = None
        self.notice: str | None = None
        """Why `reader` returns an older generation than the current one, if it does."""

    def reader(self) -> IndexReader:
        """Return the current generation, opened; if it cannot be, the one that is open.

        Raises IndexMissing, IndexBroken or IndexFormatUnknown if none is.
        """
        try:
            reader = self._newest()
        except IndexProblem as error:
            earlier = self._reader
            if earlier is None:
                raise
            self.notice = (
                f"This is from the index of {earlier.manifest.created}, "
                f"since the newest cannot be used. {error}"
            )
            return earlier
        self.notice = None
        return reader

    def close(self) -> None:
        """Drop the open generation; a later call opens the current one."""
        with self._opening:
            self._reader = None

    def _newest(self) -> IndexReader:
        if (reader := self._opened(current_number(self._layout))) is not None:
            return reader
        with self._opening:
            self._reader = self._follow()
            return self._reader

    def _opened(self, number: int) -> IndexReader | None:
        reader = self._reader
        return reader if reader is not None and _is(reader, number) else None

    def _follow(self) -> IndexReader:
        """Open the generation that CURRENT names before and after it is opened.

        One that is no longer named afterwards may have been deleted before it was locked.
        """
        while True:
            number = current_number(self._layout)
            try:
                reader = self._opened(number) or self._open(number)
            except IndexProblem:
                if current_number(self._layout) == number:
                    raise
            else:
                if current_number(self._layout) == number:
                    return reader

    def _open(self, number: int) -> IndexReader:
        with ExitStack() as failed:
            lock = lock_generation(self._layout, number)
            failed.callback(lock.release)
            files = self._layout.generation(number)
            manifest = read_manifest(self._layout, number)
            reader = IndexReader(files, manifest, self._embedder_of(manifest.embedder), lock)
            failed.pop_all()
            return reader

    def _embedder_of(self, identity: EmbedderIdentity) -> Embedder:
        if self._embedder is None or self._embedder.identity != identity:
            self._embedder = self._embedder_for(identity)
        return self._embedder


def _is(reader: IndexReader, number: int) -> bool:
    """Whether `reader` has the generation that is called `number` now."""
    return reader.manifest.generation == number and not reader.replaced
