"""The calibration of a generation that was just written: its files in, its medians out.

The headings are embedded in a thread of their own while the ones before them are searched for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from index.calibration import calibrate, is_stale, sample
from index.errors import IndexBroken
from index.find import find_by_both
from index.legs import Legs, open_legs
from index.unwritable import unwritable

if TYPE_CHECKING:
    from index.confidence import Calibration
    from index.embedder.base import Embedder, Vectors
    from index.layout import GenerationFiles
    from index.manifest import Manifest

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
        raise unwritable(error) from error
    try:
        return _new(legs)
    finally:
        legs.close()


def _new(legs: Legs) -> Calibration:
    titles = [post.title for post in legs.catalog.every_post().values()]
    asked = sample(legs.catalog.headings(), titles)
    blog = legs.catalog.sample(SAMPLE_CHARACTERS)
    with _ahead(legs.embedder, asked if len(legs.vectors.ids) else ()) as embedder:
        of_both = replace(legs, embedder=embedder)
        return calibrate(
            asked, lambda text: find_by_both(of_both, text), blog, legs.catalog.count()
        )


class _Ahead:
    """An embedder whose queries are known; use `_ahead`."""

    def __init__(self, embedder: Embedder, queries: Sequence[str], thread: ThreadPoolExecutor):
        self.identity = embedder.identity
        self.readable = embedder.readable
        self.embed_documents = embedder.embed_documents
        self._embedder = embedder
        self._vectors = {text: thread.submit(self._embedded, text) for text in queries}

    def embed_query(self, text: str) -> Vectors:
        """As Embedder."""
        coming: Future[Vectors | None] | None = self._vectors.pop(text, None)
        vector = coming.result() if coming else None
        return self._embedder.embed_query(text) if vector is None else vector

    def _embedded(self, text: str) -> Vectors | None:
        return self._embedder.embed_query(text) if self.readable([text])[0] else None


@contextmanager
def _ahead(embedder: Embedder, queries: Sequence[str]) -> Iterator[_Ahead]:
    """The embedder with `queries` on their way; those that nobody waits for are given up."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="calibrate")
    try:
        yield _Ahead(embedder, queries, thread)
    finally:
        thread.shutdown(cancel_futures=True)
