"""Embed windows (texts with a part of a chunk) and write their vectors, some hundreds at a time.

Indexing words takes seconds; embedding a large blog takes minutes or an hour. If more than
MAX_INLINE_WINDOWS windows need vectors, the keyword index is published first. The vectors follow in
a few more generations, newest posts first. The manifest lists the waiting posts and the catalog
holds their texts, so the next ingest can finish an interrupted backlog without reading a post.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from blog_search_mcp.index.embedders.embedder import WINDOW, Embedder, embedding_text
from blog_search_mcp.index.errors import EmbedderError, TextsRefused
from blog_search_mcp.index.store.manifest import PendingPost
from blog_search_mcp.index.types import Vectors
from blog_search_mcp.ingest.embedding_cache import EmbeddingCache
from blog_search_mcp.ingest.posts.chunks import split_windows
from blog_search_mcp.ingest.report import Progress
from blog_search_mcp.ingest.write import IndexWriter

BATCH = 32
"""Maximum texts per request. A batch is cached at once, so a killed run loses at most one batch."""
REFUSED_FLOOR = 20
"""Refused texts above which an ingest fails, if they are also over a tenth of the texts sent."""
MAX_INLINE_WINDOWS = 500
"""Maximum windows embedded before anything is published; with more, keyword search comes first.
500 windows take 5 s on two cores with the smallest packaged model, 30 s with nomic-embed-text."""
BLOCK = 256
"""Windows from which a block is written. Its texts are sorted, so a batch has similar lengths."""


class _Window(NamedTuple):
    """Text to embed: a part of a chunk, after the post's title and the headings."""

    source: str
    chunk_id: int
    text: str


class EmbeddingQueue:
    """Queue of windows. It gets their vectors from the cache or the embedder, and writes them.

    Set `writer` before any call. `put` and `flush` only use the cache: a post with a window that is
    neither cached nor refused waits. `embed_backlog` advances `progress` by one for each window.
    """

    writer: IndexWriter

    def __init__(self, embedder: Embedder, cache: EmbeddingCache, progress: Progress) -> None:
        self.texts_sent = 0
        """Number of texts sent to the embedder, including refused ones."""
        self.without_vector: dict[str, str] = {}
        """Reason for the last refused window of a post, keyed by the post's source."""
        self.embedder = embedder
        self._cache = cache
        self._progress = progress
        self._refused: dict[str, str] = {}
        """Reason for the refusal, keyed by the refused text."""
        self._block: list[_Window] = []

    def put(self, pending: PendingPost, chunk_ids: Sequence[int]) -> None:
        """Queue the windows of a new post; if they fill the block, `flush` it."""
        self._fill_block(pending, chunk_ids)
        if len(self._block) >= BLOCK:
            self.flush()

    def flush(self) -> None:
        """Write the cached vectors of complete queued posts; record the other posts as waiting."""
        self._write_block(self._cache.get)

    def embed_backlog(self, backlog: Mapping[str, int], most: int) -> None:
        """Embed about `most` windows of `backlog` (windows by source). Raises EmbedderError."""
        before = accumulate(backlog.values(), initial=0)
        sources = (name for name, n in zip(backlog, before, strict=False) if n < most)
        for pending, chunk_ids in self.writer.read(sources):
            self._fill_block(pending, chunk_ids)
            if len(self._block) >= BLOCK:
                self._write_block(self._embed)
        self._write_block(self._embed)

    def _fill_block(self, pending: PendingPost, chunk_ids: Sequence[int]) -> None:
        """Queue the windows of each chunk that has a word the embedder knows."""
        post = pending.post
        self._block += (
            _Window(post.source, chunk_id, embedding_text(post.title, chunk.headings, window))
            for chunk, chunk_id in zip(pending.chunks, chunk_ids, strict=True)
            if chunk.coverage > 0.0
            for window in split_windows(chunk.plain, WINDOW)
        )

    def _embed(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """Return float32 unit vectors by text; refused texts have none. Raises EmbedderError.

        Batches finished before an error stay in the cache. Texts are sorted by length, since a
        model pads all texts of a batch to the longest one.
        """
        vectors = self._cache.get(texts)
        unknown = {*texts} - vectors.keys() - self._refused.keys()
        ordered = sorted(unknown, key=lambda text: (len(text), text))
        self._progress.advance(len(texts) - len(ordered))
        for start in range(0, len(ordered), BATCH):
            vectors |= self._embed_batch(ordered[start : start + BATCH])
        return vectors

    def _embed_batch(self, batch: Sequence[str]) -> Mapping[str, Vectors]:
        """Embed and cache a batch; return the vectors by text. Raises EmbedderError."""
        try:
            rows, reasons = self.embedder.embed_documents(batch), dict[str, str]()
        except TextsRefused as refusal:
            rows = refusal.rows
            reasons = {batch[place]: reason for place, reason in refusal.reasons.items()}
        vectors = {t: row for t, row in zip(batch, rows, strict=True) if t not in reasons}
        self._cache.put(list(vectors), np.asarray(list(vectors.values()), dtype=np.float32))
        self.texts_sent += len(batch)
        self._progress.advance(len(batch))
        self._refused |= reasons
        refused, texts = [*self._refused.values()], self.texts_sent
        if len(refused) > max(REFUSED_FLOOR, texts / 10):
            fault = f"The embedder failed on {len(refused)} of {texts} texts; restart or update it"
            advice = f"{fault} and run again: the others are kept. The last failed: {refused[-1]}."
            raise EmbedderError(advice, for_clients=f"{fault}.")
        return vectors

    def _write_block(self, get_vectors: Callable[[Sequence[str]], Mapping[str, Vectors]]) -> None:
        """Write the vectors of complete posts, and record the other posts as waiting.

        In a complete post each window has a vector or was refused. A block holds whole posts.
        """
        block, self._block = self._block, []
        vectors, reasons, writer = get_vectors([w.text for w in block]), self._refused, self.writer
        waiting = {w.source for w in block if w.text not in vectors and w.text not in reasons}
        for source, count in Counter(w.source for w in block).items():
            writer.record(source, count if source in waiting else 0)
        windows = [w for w in block if w.source not in waiting]
        if embedded := [w for w in windows if w.text in vectors]:
            ids = np.asarray([w.chunk_id for w in embedded], dtype=np.int64)
            writer.vectors.add(ids, np.stack([vectors[w.text] for w in embedded]))
        self.without_vector |= {w.source: reasons[w.text] for w in windows if w.text in reasons}
