"""Read an index: one opened generation, and an index that follows its newest generation.

The files of a generation are closed with the last reference to its reader, so a request that began
before a switch to a new generation finishes on the old one. The search libraries are imported when
a generation is opened: importing them takes longer than all other work before the first reply.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from blog_search_mcp.index.errors import IndexProblem, NotInIndex
from blog_search_mcp.index.invocation import join_sentences
from blog_search_mcp.index.store.manifest import Guard
from blog_search_mcp.index.store.statistics import describe_backlog, read_overview
from blog_search_mcp.index.stores import Location, open_store
from blog_search_mcp.index.types import Answer, Chunk, EmbedderIdentity, Filters, Passage

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.embedder import Embedder
    from blog_search_mcp.index.folder import FolderStore
    from blog_search_mcp.index.search.snapshot import Snapshot
    from blog_search_mcp.index.store.disk import Stamp
    from blog_search_mcp.index.text.query import Query


class IndexReader:
    """Reader of one generation: immutable, and safe for concurrent requests.

    Every request first checks that no file has changed, and raises as `Guard.check`.
    """

    def __init__(
        self, store: FolderStore, number: int, embedder_for: Callable[[EmbedderIdentity], Embedder]
    ) -> None:
        """Verify and open a generation. Raises IndexProblem, and as `embedder_for`."""
        files = store.layout.generation(number)
        self.manifest = store.read_manifest(number)
        self._check = Guard(files, self.manifest).check
        self._snapshot = store.open_snapshot(files, embedder_for(self.manifest.embedder))
        notice = describe_backlog(len(self.manifest.posts), self.manifest.waiting)
        self.overview = replace(read_overview(files), notice=notice)
        self.problem: IndexProblem | None = None
        """Error of the newest generation if this reader serves an earlier one instead."""
        self._age_notice: str | None = None

    def in_place_of_newest(self, problem: IndexProblem) -> IndexReader:
        """Return a copy whose hits, pages and overview report the newest generation's `problem`."""
        reader = copy(self)
        reader.problem = problem
        age = f"This is from the index of {self.manifest.created}, since the newest cannot be used."
        reader._age_notice = join_sentences(age, problem.for_clients)
        notice = join_sentences(reader._age_notice, self.overview.notice)
        reader.overview = replace(self.overview, notice=notice)
        return reader

    def search(self, query: str, filters: Filters, **page: Any) -> Answer:
        """Return a page of hits; `page` has `limit`, `offset`, `order` (`index.search.search`)."""
        from blog_search_mcp.index.search.search import search

        answer = search(self.snapshot, query, filters, **page)
        notice = join_sentences(answer.notice, self.overview.notice)
        return replace(answer, notice=notice or None)

    def understand(self, query: str) -> Query:
        """Analyze a query as `search` does, without filters and without retrieval."""
        from blog_search_mcp.index.search.search import understand

        return understand(self.snapshot, query, Filters()).query

    def read(self, source: str, chunk_index: int, neighbors: int | None) -> Passage:
        """Return the page around a chunk (`fill_page`) and up to `neighbors` more on each side.

        With `None` only the page is returned, with 0 only the chunk. Raises NotInIndex.
        """
        snapshot = self.snapshot
        post_id, post = snapshot.catalog.find_post(source)
        chunks = [*snapshot.catalog.chunks_of(post_id).values()]
        if not 0 <= chunk_index < len(chunks):
            raise NotInIndex(
                f"{source} has no chunk {chunk_index}: its chunk_index goes from 0 to "
                f"{len(chunks) - 1}."
            )
        page, more = range(chunk_index, chunk_index + 1), neighbors or 0
        if neighbors != 0:
            sizes = [len(chunk.text.encode()) for chunk in chunks]
            page = fill_page(sizes, chunk_index, find_section(chunks, chunk_index))
        return Passage(
            post=post,
            chunks=tuple(chunks[max(0, page.start - more) : page.stop + more]),
            asked=chunk_index,
            count=len(chunks),
            headings=tuple(list_headings(chunks)),
            translations=snapshot.translations_of(post_id),
            replacement=snapshot.replaced.get(post_id),
            linked_from=snapshot.catalog.list_posts(Filters(), "newest", 3, 0, post.source),
            notice=self._age_notice,
        )

    @property
    def snapshot(self) -> Snapshot:
        """The opened generation, after a check of its files. Raises as `Guard.check`."""
        self._check()
        return self._snapshot


PAGE_BYTES = 4_900
"""Maximum bytes of UTF-8 in a page of two or more chunks, about 1,000 tokens. For 344 questions on
eight blogs, .66 of the best chunks hold the answer, and .84 of the pages around them do."""


def find_section(chunks: Sequence[Chunk], index: int) -> int:
    """Return the index of the first chunk of the section in which a chunk begins."""
    while index > 0 and chunks[index - 1].all_headings[-1:] == chunks[index].headings[-1:]:
        index -= 1
    return index


def fill_page(sizes: Sequence[int], asked: int, start: int) -> range:
    """Return the indexes of the page around `asked`; `sizes` are the bytes of a post's chunks.

    The page has `asked`, and the chunks from `start` to it if together they fit into PAGE_BYTES.
    Then chunks are added one by one on the side with fewer, or after `asked` if both have equally
    many. If the next chunk of that side does not fit, the one of the other side is added.
    """
    first = start if sum(sizes[start : asked + 1]) <= PAGE_BYTES else asked
    end, room = asked + 1, PAGE_BYTES - sum(sizes[first : asked + 1])
    while True:
        fits_behind = end < len(sizes) and sizes[end] <= room
        fits_before = first > 0 and sizes[first - 1] <= room
        if fits_behind and not (fits_before and end - 1 - asked > asked - first):
            room, end = room - sizes[end], end + 1
        elif fits_before:
            room, first = room - sizes[first - 1], first - 1
        else:
            return range(first, end)


def list_headings(chunks: Iterable[Chunk]) -> Iterator[tuple[int, str]]:
    """Yield the headings of a post in order, each with the index of its first chunk."""
    path: tuple[str, ...] = ()
    for chunk in chunks:
        for depth, heading in enumerate(chunk.headings, 1):
            if path[:depth] != chunk.headings[:depth]:
                yield chunk.index, heading
        yield from ((chunk.index, heading) for heading in chunk.inner_headings)
        path = chunk.headings


class Index:
    """An index that opens a new generation at the first request after the switch; thread-safe."""

    def __init__(
        self, location: Location, embedder_for: Callable[[EmbedderIdentity], Embedder]
    ) -> None:
        self.store = open_store(location)
        self._embedder_for = embedder_for
        self._opening = threading.Lock()
        self._opened: tuple[Stamp | None, IndexReader] | None = None
        self._embedder: Embedder | None = None

    def reader(self) -> IndexReader:
        """Return a reader of the current generation.

        If that cannot be opened, the reader has a `problem` and reads the generation opened before,
        else the newest earlier one that opens. Raises IndexProblem if no generation can be opened.
        """
        stamp = self.store.stamp()
        with self._opening:
            if self._opened and stamp and self._opened[0] == stamp:
                return self._opened[1]
            try:
                self._opened = stamp, self._open_newest()
            except IndexProblem as error:
                if self._opened is None:
                    self._open_earlier()
                if self._opened is None:
                    raise
                return self._opened[1].in_place_of_newest(error)
            return self._opened[1]

    def close(self) -> None:
        """Release the open generation; a later call of `reader` opens the current one again."""
        with self._opening:
            self._opened = None

    def _open_newest(self) -> IndexReader:
        """Open the current generation, again if another one became current in the meantime."""
        while True:
            number, reader = self.store.current_number(), None
            try:
                reader = IndexReader(self.store, number, self._embedder_of)
            except IndexProblem:  # an ingest may have deleted the generation by now
                if self.store.current_number() == number:
                    raise
            if reader is not None and self.store.current_number() == number:
                return reader

    def _open_earlier(self) -> None:
        with suppress(IndexProblem, OSError):
            current = self.store.current_number()
            for number in reversed(self.store.layout.numbers()):
                if number < current and self._opened is None:
                    with suppress(IndexProblem):
                        self._opened = None, IndexReader(self.store, number, self._embedder_of)

    def _embedder_of(self, identity: EmbedderIdentity) -> Embedder:
        """Return the embedder for an identity; the last one is kept for the next generation."""
        if self._embedder is None or self._embedder.identity != identity:
            self._embedder = self._embedder_for(identity)
        return self._embedder
