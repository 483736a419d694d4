"""Calibrate confidence on a blog: search for its own headings and keep the medians.

A heading certainly has an answer, so what headings reach is the blog's measure. The sample is taken
by hash, so that a growing blog keeps most of it, and is searched again only when the blog has
changed much: the medians then stay what they were while posts come in one by one.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.index.search.confidence import (
    east_asian_share,
    hybrid_score,
    lexical_score,
)
from blog_search_mcp.index.search.search import retrieve_candidates
from blog_search_mcp.index.search.snapshot import open_snapshot
from blog_search_mcp.index.store.disk import make_disk_error
from blog_search_mcp.index.types import Calibration

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.search.retrieval import RetrievalResult
    from blog_search_mcp.index.store.layout import GenerationFiles
    from blog_search_mcp.index.types import Vectors

SAMPLE = 200
"""Headings searched for."""

FEWEST = 8
"""Headings below which titles are used too, which reach more: the index counts them thrice."""

COVERED_SHARE = 0.2
"""Share of the headings that the embedder's vocabulary must cover for its cosines to count on this
blog: a blog in two languages has a third or more, one in another language with English terms a
twentieth."""

SAMPLE_CHARACTERS = 100_000
"""Of the blog's text, by which its script is measured."""


def calibrate(files: GenerationFiles, embedder: Embedder) -> Calibration:
    """Compute the calibration of a generation whose files are complete.

    Raises IndexProblem if what was just written cannot be opened, or EmbedderError.
    """
    try:
        snapshot = open_snapshot(files, embedder)
    except IndexBroken as error:  # just written, and not as it was meant
        raise make_disk_error(error) from error
    with closing(snapshot):
        catalog = snapshot.catalog
        titles = [post.title for post in catalog.every_post().values()]
        queries = sample_queries(catalog.headings(), titles)
        embedded = queries if len(snapshot.vectors) else ()
        with _embed_ahead(embedder, embedded) as known:
            ahead = replace(snapshot, embedder=known)
            return measure_headings(
                queries,
                lambda text: retrieve_candidates(ahead, text)[1],
                catalog.sample(SAMPLE_CHARACTERS),
                catalog.count(),
            )


def sample_queries(headings: Sequence[str], titles: Sequence[str]) -> list[str]:
    """The headings to search for: the same ones for the same blog, in any order of its posts."""
    texts = set(headings) if len(set(headings)) >= FEWEST else {*headings, *titles}
    return sorted(texts, key=lambda text: (zlib.crc32(text.encode("utf-8", "replace")), text))[
        :SAMPLE
    ]


def measure_headings(
    queries: Sequence[str], retrieve: Callable[[str], RetrievalResult], blog: str, chunks: int
) -> Calibration:
    """Retrieve every heading; `blog` is a sample of its text."""
    share = east_asian_share(blog)
    results = [(text, retrieve(text)) for text in queries]
    hybrid = [hybrid_score(each) for _, each in results if each.max_cosine is not None]
    lexical = [lexical_score(each, text, share) for text, each in results]
    return Calibration(
        with_meaning=median(hybrid) if len(hybrid) > COVERED_SHARE * len(results) else 0.0,
        by_words=median(lexical) if lexical else 0.0,
        east_asian=share,
        chunks=chunks,
    )


class _EmbedderAhead:
    """An embedder whose queries are known in advance; use `_embed_ahead`."""

    def __init__(self, embedder: Embedder, queries: Sequence[str], thread: ThreadPoolExecutor):
        self.identity = embedder.identity
        self.window_pieces = embedder.window_pieces
        self.vocabulary_coverage = embedder.vocabulary_coverage
        self.embed_documents = embedder.embed_documents
        self._embedder = embedder
        self._vectors = {text: thread.submit(self._embed_covered, text) for text in queries}

    def embed_query(self, text: str) -> Vectors:
        """As Embedder."""
        pending: Future[Vectors | None] | None = self._vectors.pop(text, None)
        vector = pending.result() if pending else None
        return self._embedder.embed_query(text) if vector is None else vector

    def _embed_covered(self, text: str) -> Vectors | None:
        return self._embedder.embed_query(text) if self.vocabulary_coverage([text])[0] else None


@contextmanager
def _embed_ahead(embedder: Embedder, queries: Sequence[str]) -> Iterator[_EmbedderAhead]:
    """The embedder with `queries` being embedded in a thread; unused ones are cancelled."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="calibrate")
    try:
        yield _EmbedderAhead(embedder, queries, thread)
    finally:
        thread.shutdown(cancel_futures=True)
