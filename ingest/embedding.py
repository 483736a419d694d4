"""Embed the windows of posts and write their vectors, in a thread beside reading and writing.

The embedder waits for a server or runs code that lets other threads run. A few blocks may wait for
it, so that memory stays bounded whichever side is slower.

Words are indexed in seconds and a large blog is embedded in minutes or an hour. So where there is
much to embed, words are published first and the backlog follows in a few generations, the newest
posts first. What waits is in the manifest, and its texts are in the catalog: an ingest that finds a
backlog, of its own or of one that was killed, reads no file to finish it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from blog_search_mcp.index.errors import (
    BlogSearchError,
    EmbedderRefused,
    EmbedderUnavailable,
    TextsRefused,
)
from blog_search_mcp.index.store.catalog import POSTS_AT_ONCE
from blog_search_mcp.ingest.prepare import make_windows

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.embedders.cache import EmbeddingCache
    from blog_search_mcp.index.store.manifest import PendingPost
    from blog_search_mcp.index.types import Vectors
    from blog_search_mcp.index.writer import IndexWriter
    from blog_search_mcp.ingest.prepare import EmbeddingWindow

BATCH = 32
"""Texts between two commits of the cache, of which a killed run loses two, and one request to
Ollama."""

MAX_REFUSED = 20
"""Texts without a vector that a run may have, however small it is."""

MAX_REFUSED_SHARE = 0.1
"""Share of the texts above which the embedder is broken and not the texts."""


BLOCK = 256
"""Windows embedded together: enough of each length for some full batches."""

MAX_BLOCKS = 4
"""Blocks that may wait for the embedder."""


_Work: TypeAlias = "Callable[[Sequence[str]], Mapping[str, Vectors]]"


class _Window(NamedTuple):
    source: str
    chunk_id: int
    text: str


class EmbeddingQueue:
    """Embeds windows in a thread, behind the cache, and writes their vectors in order; close it.

    Set `writer` before all else. Windows of new posts get the vectors that are in the cache; what
    has none waits for `embed_backlog`.
    """

    writer: IndexWriter

    def __init__(self, embedder: Embedder, cache: EmbeddingCache) -> None:
        self.queued = 0
        """Windows of the backlog that were put."""
        self.texts_embedded = 0
        """Texts passed to the embedder, those that it refused included."""
        self.without_vector: dict[str, str] = {}
        """By source of a post of which a window was refused, why."""
        self._embedder = embedder
        self._cache = cache
        self._refused: dict[str, str] = {}
        """By text, why the embedder makes no vector of it."""
        self._failure: BlogSearchError | None = None
        """What failed once fails at once from then on."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embed")
        self._block: list[_Window] = []
        self._submitted: deque[tuple[list[_Window], Future[Mapping[str, Vectors]]]] = deque()

    def close(self) -> None:
        """Drop what still waits, and end the thread."""
        self._failure = self._failure or EmbedderUnavailable("The ingest is ending.")
        self._thread.shutdown(cancel_futures=True)

    def put(
        self, post: PendingPost, chunk_ids: Sequence[int], windows: Sequence[EmbeddingWindow]
    ) -> None:
        """Give the windows of a new post the vectors that are in the cache, soon."""
        deque(self._put(post, chunk_ids, windows, self._cache.get), maxlen=0)

    def flush(self) -> None:
        """Write all that was put."""
        deque(self._drain(self._cache.get), maxlen=0)

    def embed_backlog(self, backlog: Mapping[str, int], most: int) -> Iterator[int]:
        """Embed posts of the writer's backlog, with `most` windows or hardly more.

        Yields how many are written, bit by bit. Raises EmbedderError.
        """
        before = accumulate(backlog.values(), initial=0)
        sources = [name for name, n in zip(backlog, before, strict=False) if n < most]
        for start in range(0, len(sources), POSTS_AT_ONCE):
            for new, chunk_ids in self.writer.read(sources[start : start + POSTS_AT_ONCE]):
                windows = make_windows(new, self._embedder.window_pieces)
                self.queued += len(windows)
                yield from self._put(new, chunk_ids, windows, self._embed)
        yield from self._drain(self._embed)

    def _put(
        self,
        post: PendingPost,
        chunk_ids: Sequence[int],
        windows: Sequence[EmbeddingWindow],
        work: _Work,
    ) -> Iterator[int]:
        """Queue the windows of a post; yield how many of a block before are written, if any."""
        source = post.post.source
        self._block += [_Window(source, chunk_ids[w.chunk], w.text) for w in windows]
        if len(self._block) >= BLOCK:
            self._submit(work)
            if len(self._submitted) > MAX_BLOCKS:
                yield self._write_block()

    def _drain(self, work: _Work) -> Iterator[int]:
        """Write all blocks; yield how many windows each has."""
        self._submit(work)
        while self._submitted:
            yield self._write_block()

    def _submit(self, work: _Work) -> None:
        if self._block:
            texts = [window.text for window in self._block]
            self._submitted.append((self._block, self._thread.submit(work, texts)))
            self._block = []

    def _embed(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """Return the vectors of `texts`, without those refused. Raises EmbedderError.

        Vectors are float32 of unit length; batches finished before an error stay in the cache.
        Texts of about one length go together: a model pads a batch to its longest.
        """
        vectors = self._cache.get(texts)
        unknown = {text for text in texts if text not in vectors and text not in self._refused}
        ordered = sorted(unknown, key=lambda text: (len(text), text))
        for start in range(0, len(ordered), BATCH):
            if self._failure is not None:
                raise self._failure
            try:
                vectors |= self._embed_batch(ordered[start : start + BATCH])
            except BlogSearchError as failure:
                self._failure = failure
                raise
        return vectors

    def _embed_batch(self, batch: Sequence[str]) -> Mapping[str, Vectors]:
        """Embed a batch and keep it; return the vectors by text, without those refused.

        Raises EmbedderRefused if the embedder has refused too many.
        """
        try:
            rows, reasons = self._embedder.embed_documents(batch), dict[str, str]()
        except TextsRefused as refusal:
            rows = refusal.rows
            reasons = {batch[place]: reason for place, reason in refusal.reasons.items()}
        pairs = zip(batch, rows, strict=True)
        vectors = {text: row for text, row in pairs if text not in reasons}
        self._cache.put(list(vectors), np.asarray(list(vectors.values()), dtype=np.float32))
        self.texts_embedded += len(batch)
        self._refused |= reasons
        refused, texts = [*self._refused.values()], self.texts_embedded
        if len(refused) > max(MAX_REFUSED, MAX_REFUSED_SHARE * texts):
            failed = f"The embedder failed on {len(refused)} of {texts} texts"
            remedy = "Restart or update it and run again: the other embeddings are kept."
            raise EmbedderRefused(
                f"{failed}, at last because {refused[-1]}. {remedy}",
                for_clients=f"{failed}. {remedy}",
            )
        return vectors

    def _write_block(self) -> int:
        """Write the vectors of each post that has them all, and record which have to wait."""
        block, future = self._submitted.popleft()
        vectors, reasons, writer = future.result(), self._refused, self.writer
        waiting = {w.source for w in block if w.text not in vectors and w.text not in reasons}
        for source, count in Counter(w.source for w in block).items():
            writer.record_waiting(source, count if source in waiting else 0)
        windows = [w for w in block if w.source not in waiting and writer.has(w.source)]
        if embedded := [w for w in windows if w.text in vectors]:
            ids = np.asarray([w.chunk_id for w in embedded], dtype=np.int64)
            writer.add_vectors(ids, np.stack([vectors[w.text] for w in embedded]))
        refused = [w for w in windows if w.text in reasons]
        for source, count in Counter(w.source for w in refused).items():
            writer.record_unembedded(source, count)
        self.without_vector |= {w.source: reasons[w.text] for w in refused}
        return len(block)


WORDS_FIRST = 500
"""Windows to embed beyond which words are published first: 5 s of two cores for the smallest model
of the package, half a minute for nomic-embed-text."""


def milestones(windows: int) -> list[int]:
    """After how many of `windows` embedded a generation is published: an eighth, a half, all."""
    return [*(n for n in (windows // 8, windows // 2) if n >= WORDS_FIRST), windows]
