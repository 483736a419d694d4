"""What confidence means on this blog: its own headings asked, medians out.

A heading certainly has an answer, so what headings reach is the blog's measure.
The sample is taken by hash, so that a growing blog keeps most of it, and is
asked again only when the blog has changed much: the medians then stay what they
were while posts come in one by one.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.index.search.candidates import Findings
from blog_search_mcp.index.search.confidence import by_words, east_asian, with_meaning
from blog_search_mcp.index.search.search import find_by_both
from blog_search_mcp.index.search.snapshot import Legs, open_legs
from blog_search_mcp.index.store.disk import make_disk_error
from blog_search_mcp.index.types import Calibration

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.store.layout import GenerationFiles
    from blog_search_mcp.index.store.manifest import Manifest
    from blog_search_mcp.index.types import Vectors

SAMPLE = 200
"""Headings asked."""

FEWEST = 8
"""Headings below which titles are asked too, which reach more: the index counts them thrice."""

READ_SHARE = 0.2
"""Share of the headings that the embedder must read for its cosines to count on this blog: a blog
in two languages has a third or more, one in another language with English terms a twentieth."""

GROWTH = 0.1
"""Share of chunks that must have come or gone before the headings are asked again."""


def is_stale(calibration: Calibration, chunks: int) -> bool:
    """Whether a blog that now has `chunks` chunks should be calibrated anew."""
    return abs(chunks - calibration.chunks) > GROWTH * max(calibration.chunks, 1)


def sample(headings: Sequence[str], titles: Sequence[str]) -> list[str]:
    """The headings to ask: the same ones for the same blog, in any order of its posts."""
    asked = set(headings) if len(set(headings)) >= FEWEST else {*headings, *titles}
    return sorted(asked, key=lambda text: (zlib.crc32(text.encode("utf-8", "replace")), text))[
        :SAMPLE
    ]


def calibrate(
    asked: Sequence[str], find: Callable[[str], Findings], blog: str, chunks: int
) -> Calibration:
    """Ask every heading through `find`; `blog` is a sample of its text."""
    share = east_asian(blog)
    found = [(text, find(text)) for text in asked]
    meant = [with_meaning(each) for _, each in found if each.nearest is not None]
    spoken = [by_words(each, text, share) for text, each in found]
    return Calibration(
        with_meaning=median(meant) if len(meant) > READ_SHARE * len(found) else 0.0,
        by_words=median(spoken) if spoken else 0.0,
        east_asian=share,
        chunks=chunks,
    )


SAMPLE_CHARACTERS = 100_000
"""Of the blog's text, by which its script is told."""


def calibrated(
    files: GenerationFiles, embedder: Embedder, base: Manifest | None, chunks: int
) -> Calibration | None:
    """The base's calibration while the blog is much the same, else a new one.

    `chunks` are those of the generation. Raises IndexProblem if what was just written cannot be
    opened, or EmbedderError.
    """
    known = base.calibration if base else None
    if known is not None and not is_stale(known, chunks):
        return known
    try:
        legs = open_legs(files, embedder)
    except IndexBroken as error:  # just written, and not as it was meant
        raise make_disk_error(error) from error
    try:
        return _new(legs)
    finally:
        legs.close()


def _new(legs: Legs) -> Calibration:
    titles = [post.title for post in legs.catalog.every_post().values()]
    asked = sample(legs.catalog.headings(), titles)
    blog = legs.catalog.sample(SAMPLE_CHARACTERS)
    with _ahead(legs.embedder, asked if len(legs.vectors) else ()) as embedder:
        of_both = replace(legs, embedder=embedder)
        return calibrate(
            asked, lambda text: find_by_both(of_both, text), blog, legs.catalog.count()
        )


class _Ahead:
    """An embedder whose queries are known; use `_ahead`."""

    def __init__(self, embedder: Embedder, queries: Sequence[str], thread: ThreadPoolExecutor):
        self.identity = embedder.identity
        self.vocabulary_coverage = embedder.vocabulary_coverage
        self.embed_documents = embedder.embed_documents
        self._embedder = embedder
        self._vectors = {text: thread.submit(self._embedded, text) for text in queries}

    def embed_query(self, text: str) -> Vectors:
        """As Embedder."""
        coming: Future[Vectors | None] | None = self._vectors.pop(text, None)
        vector = coming.result() if coming else None
        return self._embedder.embed_query(text) if vector is None else vector

    def _embedded(self, text: str) -> Vectors | None:
        return self._embedder.embed_query(text) if self.vocabulary_coverage([text])[0] else None


@contextmanager
def _ahead(embedder: Embedder, queries: Sequence[str]) -> Iterator[_Ahead]:
    """The embedder with `queries` on their way; those that nobody waits for are given up."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="calibrate")
    try:
        yield _Ahead(embedder, queries, thread)
    finally:
        thread.shutdown(cancel_futures=True)
