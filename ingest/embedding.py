"""Embed the windows of new posts and write their vectors, in a thread beside reading and writing.

The embedder waits for a server or runs code that lets other threads run. A few blocks may wait for
it, so that memory stays bounded whichever side is slower.

Words are indexed in seconds and a large blog is embedded in minutes or an hour. So where there is
much to embed, words are published first and the backlog follows in a few generations, the newest
posts first. What waits is in the manifest, and its texts are in the catalog: an ingest that finds a
backlog, of its own or of one that was killed, reads no file to finish it.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from blog_search_mcp.index.embedders.cache import KeptVectors
from blog_search_mcp.index.embedders.registry import runs_on_server
from blog_search_mcp.index.errors import BlogSearchError, EmbedderRefused, TextsRefused
from blog_search_mcp.index.store.catalog import POSTS_AT_ONCE
from blog_search_mcp.ingest.prepare import make_windows
from blog_search_mcp.ingest.report import WithoutVector

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.store.manifest import PendingPost
    from blog_search_mcp.index.types import Vectors
    from blog_search_mcp.index.writer import IndexWriter
    from blog_search_mcp.ingest.plan import FileToRead
    from blog_search_mcp.ingest.prepare import EmbeddingWindow, ParsedResult
    from blog_search_mcp.ingest.report import Progress

BATCH = 32
"""Texts between two commits of the cache, of which a killed run loses two, and one request to
Ollama."""

AT_ONCE = 2
"""Batches on their way to a server: it embeds one while the other's vectors are checked and kept,
which takes a tenth of the time of a small model."""

MAX_REFUSED = 20
"""Texts without a vector that a run may have, however small it is."""

MAX_REFUSED_SHARE = 0.1
"""Share of the texts above which the embedder is broken and not the texts."""


class CachedEmbedder:
    """An embedder behind the cache, for one run; safe to use from several threads. Close it."""

    def __init__(self, embedder: Embedder, cache: KeptVectors) -> None:
        self._embedder = embedder
        self._cache = cache
        self.window_pieces = embedder.window_pieces
        self.refused: dict[str, str] = {}
        """By text, why the embedder makes no vector of it."""
        self.texts_embedded = 0
        """Texts passed to the embedder, those that it refused included."""
        self._is_on_server = runs_on_server(embedder.identity)
        self._threads = ThreadPoolExecutor(
            AT_ONCE if self._is_on_server else 1, thread_name_prefix="embed"
        )
        self._lock = threading.Lock()
        self._ahead_until = 0.0
        self._failure: BlogSearchError | None = None

    def close(self) -> None:
        """End the threads once the batches under way are done; no other batch begins."""
        self._threads.shutdown(cancel_futures=True)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences on a cache that failed."""
        return self._cache.warnings

    def find(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """Return the vectors that are in the cache."""
        return self._cache.get(texts)

    def embed(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """Embed `texts`; one that is refused is missing. Raises EmbedderError.

        Vectors are float32 of unit length; batches finished before an error stay in the cache.
        """
        vectors = self._cache.get(texts)
        for batch in self._submit(texts, vectors):
            vectors |= batch.result()
        return vectors

    def embed_ahead(self, texts: Sequence[str]) -> None:
        """Fill the cache, if the embedder is on a server, for AHEAD seconds of a run at most.

        What fails is raised by the next `embed`.
        """
        if not self._is_on_server:
            return
        self._ahead_until = self._ahead_until or time.monotonic() + AHEAD
        if (left := self._ahead_until - time.monotonic()) <= 0.0:
            return
        batches = self._submit(texts, self.find(texts))
        wait(batches, left)
        wait([batch for batch in batches if not batch.cancel()])

    def _submit(
        self, texts: Sequence[str], known: Container[str]
    ) -> list[Future[Mapping[str, Vectors]]]:
        """Have what is not known embedded in batches.

        Texts of about one length go together: a model pads a batch to its longest.
        """
        unknown = {text for text in texts if text not in known and text not in self.refused}
        texts = sorted(unknown, key=lambda text: (len(text), text))
        batches = (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))
        return [self._threads.submit(self._embed_batch, batch) for batch in batches]

    def _embed_batch(self, batch: Sequence[str]) -> Mapping[str, Vectors]:
        """Embed a batch and keep it; return the vectors by text, without those refused.

        What failed once fails at once from then on.
        """
        if self._failure is not None:
            raise self._failure
        try:
            rows, reasons = self._embed_documents(batch)
            pairs = zip(batch, rows, strict=True)
            vectors = {text: row for text, row in pairs if text not in reasons}
            self._cache.put(list(vectors), np.asarray(list(vectors.values()), dtype=np.float32))
            with self._lock:
                self.texts_embedded += len(batch)
                self.refused |= reasons
                self._refuse_too_many()
        except BlogSearchError as failure:
            self._failure = failure
            raise
        return vectors

    def _embed_documents(self, batch: Sequence[str]) -> tuple[Vectors, dict[str, str]]:
        """Return a row for each text, and by text why a row is none."""
        try:
            return self._embedder.embed_documents(batch), {}
        except TextsRefused as refusal:
            reasons = {batch[place]: reason for place, reason in refusal.reasons.items()}
            return refusal.rows, reasons

    def _refuse_too_many(self) -> None:
        refused, texts = self.refused, self.texts_embedded
        if len(refused) > max(MAX_REFUSED, MAX_REFUSED_SHARE * texts):
            raise EmbedderRefused(
                f"The embedder failed on {len(refused)} of {texts} texts, at last because "
                f"{list(refused.values())[-1]}. Restart or update it and run again: the other "
                "embeddings are kept.",
                for_clients=f"The embedder failed on {len(refused)} of {texts} texts. Restart or "
                "update it; the other embeddings are kept.",
            )


BLOCK = 256
"""Windows embedded together: enough of each length for some full batches."""

FIRST_BLOCK = BATCH
"""Windows of the first block, so that an embedder on another machine starts early; each other one
has twice as many as the one before, up to BLOCK."""

AHEAD = 5.0
"""Seconds for which an embedder on a server works while words are indexed: it may be on the same
processors, and words come first."""

MAX_BLOCKS = 4
"""Blocks that may wait for the embedder."""


class _QueuedWindow(NamedTuple):
    post: PendingPost
    chunk_id: int
    window: EmbeddingWindow


@dataclass(slots=True)
class QueuedBlock:
    """Posts that are embedded together, each with all of its windows."""

    windows: list[_QueuedWindow] = field(default_factory=list)
    posts: int = 0
    """Those without a window too."""


class EmbeddingQueue:
    """Embeds windows and writes their vectors in order; use `open_embedding_queue`.

    Set `writer` before all else; it may change while windows wait, whose chunks it has too.
    """

    writer: IndexWriter

    def __init__(self, thread: ThreadPoolExecutor, embedder: CachedEmbedder) -> None:
        self.holds_back = False
        """Set it to write only vectors that are in the cache."""
        self.queued = 0
        """Windows that were put."""
        self.written = 0
        """Those of them that were written, refused or held back."""
        self.window_pieces = embedder.window_pieces
        self._thread = thread
        self._embedder = embedder
        self._block = QueuedBlock()
        self._block_size = FIRST_BLOCK
        self._submitted: deque[tuple[QueuedBlock, Future[Mapping[str, Vectors]]]] = deque()
        self._ahead: Future[object] | None = None
        self._without_vector: dict[int, WithoutVector] = {}

    @property
    def without_vector(self) -> tuple[WithoutVector, ...]:
        """Chunks of which at least one window was refused."""
        return tuple(self._without_vector.values())

    def begin(self, results: Iterator[ParsedResult]) -> list[ParsedResult]:
        """Take results of a first block, and have their windows embedded before they are put."""
        taken: list[ParsedResult] = []
        texts: list[str] = []
        while len(texts) < FIRST_BLOCK and (result := next(results, None)) is not None:
            taken.append(result)
            texts += [window.text for window in result.windows]
        embed = self._embedder.embed_ahead if self.holds_back else self._embedder.embed
        self._ahead = self._thread.submit(embed, texts)
        return taken

    def put(
        self, post: PendingPost, chunk_ids: Sequence[int], windows: Sequence[EmbeddingWindow]
    ) -> list[QueuedBlock]:
        """Queue the windows of a post; return what was completed by this call.

        Raises EmbedderError for any post queued before.
        """
        self._block.windows += [_QueuedWindow(post, chunk_ids[w.chunk], w) for w in windows]
        self._block.posts += 1
        self.queued += len(windows)
        if len(self._block.windows) < self._block_size:
            return []
        self.flush()
        return [self._write_block() for _ in range(len(self._submitted) - MAX_BLOCKS)]

    def flush(self) -> None:
        """Submit the last block even if it is not full."""
        if not self._block.posts:
            return
        self._block_size = min(2 * self._block_size, BLOCK)
        texts = [queued.window.text for queued in self._block.windows]
        if self.holds_back:
            vectors: Future[Mapping[str, Vectors]] = Future()
            vectors.set_result(self._embedder.find(texts))
            self._ahead = self._thread.submit(self._embed_ahead, texts, self._ahead)
        else:
            vectors = self._thread.submit(self._embed, texts)
        self._submitted.append((self._block, vectors))
        self._block = QueuedBlock()

    def _embed_ahead(self, texts: Sequence[str], before: Future[object] | None) -> None:
        """Fill the cache once `before` has, which may be of the same texts."""
        wait([before] if before else [])
        self._embedder.embed_ahead(texts)

    def _embed(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """Embed what was not embedded ahead."""
        wait([self._ahead] if self._ahead else [])
        return self._embedder.embed(texts)

    def drain(self, until: int | None = None) -> Iterator[QueuedBlock]:
        """Write blocks until that many windows are `written`, or all; yield each that is."""
        self.flush()
        while self._submitted and (until is None or self.written < until):
            yield self._write_block()

    def _write_block(self) -> QueuedBlock:
        """Write the vectors of each post that has them all; record which posts have to wait."""
        block, future = self._submitted.popleft()
        vectors, reasons = future.result(), self._embedder.refused
        self.written += len(block.windows)
        waiting = {
            each.post.post.source
            for each in block.windows
            if each.window.text not in vectors and each.window.text not in reasons
        }
        for source, count in Counter(each.post.post.source for each in block.windows).items():
            self.writer.record_waiting(source, count if source in waiting else 0)
        windows = [
            each
            for each in block.windows
            if each.post.post.source not in waiting and self.writer.has(each.post.post.source)
        ]
        embedded = [each for each in windows if each.window.text in vectors]
        if embedded:
            ids = np.asarray([each.chunk_id for each in embedded], dtype=np.int64)
            rows = np.stack([vectors[each.window.text] for each in embedded])
            self.writer.add_vectors(ids, rows)
        refused = [each for each in windows if each.window.text in reasons]
        for source, count in Counter(each.post.post.source for each in refused).items():
            self.writer.record_unembedded(source, count)
        for each in refused:
            chunk = each.post.chunks[each.window.chunk]
            self._without_vector[each.chunk_id] = WithoutVector(
                chunk.source,
                chunk.first_line,
                chunk.last_line,
                chunk.headings[-1] if chunk.headings else "",
                reasons[each.window.text],
            )
        return block


@contextmanager
def open_embedding_queue(embedder: CachedEmbedder) -> Iterator[EmbeddingQueue]:
    """Start the embedding threads for this block; what still waits at its end is dropped.

    A second one looks up what a block needs before the last batches of the block before it are
    back.
    """
    thread = ThreadPoolExecutor(2, thread_name_prefix="queue")
    try:
        yield EmbeddingQueue(thread, embedder)
    finally:
        embedder.close()
        thread.shutdown(cancel_futures=True)


WORDS_FIRST = 500
"""Windows to embed beyond which words are published first: 5 s of two cores for the smallest model
of the package, half a minute for nomic-embed-text."""

WINDOW_BYTES = 1_000
"""Of a file, about, for one window: 850 in English, 1,800 in Chinese."""


def may_be_many(files: Iterable[FileToRead]) -> bool:
    """Whether these files may have more than WORDS_FIRST windows.

    If not, embedding starts while they are read; if so, it leaves this machine's processors to the
    words.
    """
    return sum(each.file.size for each in files) > WORDS_FIRST * WINDOW_BYTES


def milestones(windows: int) -> list[int]:
    """After how many of `windows` embedded a generation is published: an eighth, a half, all."""
    return [*(n for n in (windows // 8, windows // 2) if n >= WORDS_FIRST), windows]


def read_backlog(queue: EmbeddingQueue) -> Iterator[tuple[PendingPost, Sequence[int]]]:
    """Read the posts that wait, with their chunks' ids, some at a time by the queue's writer."""
    sources = iter(queue.writer.backlog())
    while some := list(islice(sources, POSTS_AT_ONCE)):
        yield from queue.writer.read(some)


def embed_backlog(
    queue: EmbeddingQueue,
    posts: Iterator[tuple[PendingPost, Sequence[int]]],
    until: int,
    progress: Progress,
) -> None:
    """Embed posts of the backlog until as many windows are `written` by the queue.

    A block more is taken of `posts` and queued, so that the embedder goes on while this generation
    is published. Raises EmbedderError.
    """
    for enough in (until, until + BLOCK):
        while queue.queued < enough and (found := next(posts, None)) is not None:
            new, chunk_ids = found
            for block in queue.put(new, chunk_ids, make_windows(new, queue.window_pieces)):
                progress.advance(len(block.windows))
        queue.flush()
    for block in queue.drain(until):
        progress.advance(len(block.windows))
