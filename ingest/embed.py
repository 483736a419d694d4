"""Embed the windows of posts and write their vectors, some hundreds at a time.

Words are indexed in seconds and a large blog is embedded in minutes or an hour. So where there is
much to embed, words are published first and the backlog follows in a few generations, the newest
posts first. What waits is in the manifest, and its texts are in the catalog: an ingest that finds a
backlog, of its own or of one that was killed, reads no file to finish it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from blog_search_mcp.index.embedders.cache import EmbeddingCache
from blog_search_mcp.index.embedders.embedder import WINDOW, Embedder, embedding_text
from blog_search_mcp.index.errors import EmbedderError, TextsRefused
from blog_search_mcp.index.store.manifest import PendingPost
from blog_search_mcp.index.types import Vectors
from blog_search_mcp.ingest.posts.chunks import split_windows
from blog_search_mcp.ingest.report import Progress
from blog_search_mcp.ingest.write import IndexWriter

BATCH = 32
"""Texts between two commits of the cache, of which a killed run loses two, and one request to
Ollama."""

MAX_REFUSED = 20
"""Texts without a vector, or a tenth of all, above which the embedder is broken and not they."""

BLOCK = 256
"""Windows embedded together: enough of each length for some full batches."""


class _Window(NamedTuple):
    """A text to embed, no longer than an embedder reads at once."""

    source: str
    chunk_id: int
    text: str


class EmbeddingQueue:
    """Embeds windows, behind the cache, and writes their vectors in order.

    Set `writer` before all else. Windows of new posts get the vectors that are in the cache; what
    has none waits for `embed_backlog`, which advances `progress` by each.
    """

    writer: IndexWriter

    def __init__(self, embedder: Embedder, cache: EmbeddingCache, progress: Progress) -> None:
        self.texts_sent = 0
        """Texts passed to the embedder, those that it refused included."""
        self.without_vector: dict[str, str] = {}
        """By source of a post of which a window was refused, why."""
        self._embedder = embedder
        self._cache = cache
        self._progress = progress
        self._refused: dict[str, str] = {}
        """By text, why the embedder makes no vector of it."""
        self._block: list[_Window] = []

    def put(self, post: PendingPost, chunk_ids: Sequence[int]) -> None:
        """Give the windows of a new post the vectors that are in the cache, soon."""
        self._fill_block(post, chunk_ids)
        if len(self._block) >= BLOCK:
            self.flush()

    def flush(self) -> None:
        """Write all that was put."""
        self._write_block(self._cache.get)

    def embed_backlog(self, backlog: Mapping[str, int], most: int) -> None:
        """Embed posts of the backlog, with `most` windows or hardly more. Raises EmbedderError."""
        before = accumulate(backlog.values(), initial=0)
        sources = (name for name, n in zip(backlog, before, strict=False) if n < most)
        for new, chunk_ids in self.writer.read(sources):
            self._fill_block(new, chunk_ids)
            if len(self._block) >= BLOCK:
                self._write_block(self._embed)
        self._write_block(self._embed)

    def _fill_block(self, new: PendingPost, chunk_ids: Sequence[int]) -> None:
        """Cut every chunk whose words the embedder knows at all into windows."""
        post = new.post
        self._block += (
            _Window(post.source, chunk_id, embedding_text(post.title, chunk.headings, window))
            for chunk, chunk_id in zip(new.chunks, chunk_ids, strict=True)
            if chunk.coverage > 0.0
            for window in split_windows(chunk.plain, WINDOW)
        )

    def _embed(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """Return the vectors of `texts`, without those refused. Raises EmbedderError.

        Vectors are float32 of unit length; batches finished before an error stay in the cache.
        Texts of about one length go together: a model pads a batch to its longest.
        """
        vectors = self._cache.get(texts)
        unknown = {*texts} - vectors.keys() - self._refused.keys()
        ordered = sorted(unknown, key=lambda text: (len(text), text))
        self._progress.advance(len(texts) - len(ordered))
        for start in range(0, len(ordered), BATCH):
            vectors |= self._embed_batch(ordered[start : start + BATCH])
        return vectors

    def _embed_batch(self, batch: Sequence[str]) -> Mapping[str, Vectors]:
        """Embed a batch and keep it; return the vectors by text. Raises EmbedderError."""
        try:
            rows, reasons = self._embedder.embed_documents(batch), dict[str, str]()
        except TextsRefused as refusal:
            rows = refusal.rows
            reasons = {batch[place]: reason for place, reason in refusal.reasons.items()}
        vectors = {t: row for t, row in zip(batch, rows, strict=True) if t not in reasons}
        self._cache.put(list(vectors), np.asarray(list(vectors.values()), dtype=np.float32))
        self.texts_sent += len(batch)
        self._progress.advance(len(batch))
        self._refused |= reasons
        refused, texts = [*self._refused.values()], self.texts_sent
        if len(refused) > max(MAX_REFUSED, texts / 10):
            fault = f"The embedder failed on {len(refused)} of {texts} texts; restart or update it"
            advice = f"{fault} and run again: the others are kept. The last failed: {refused[-1]}."
            raise EmbedderError(advice, for_clients=f"{fault}.")
        return vectors

    def _write_block(self, get_vectors: Callable[[Sequence[str]], Mapping[str, Vectors]]) -> None:
        """Write the vectors of each post that has them all, and record which have to wait.

        `get_vectors` gives the vectors by text.
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


MAX_INLINE_WINDOWS = 500
"""Windows to embed beyond which words are published first: 5 s of two cores for the smallest model
of the package, half a minute for nomic-embed-text."""
