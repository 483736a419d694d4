"""The windows of new posts in, their vectors into the generation, and by name what has none.

The embedder works in a thread of its own, block after block, while posts are read and written:
it waits for a server or in code that lets other threads run. A few blocks may wait, so that
memory stays bounded whichever of the two is slower.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.embedders.cache import EmbeddingCache
from blog_search_mcp.index.errors import EmbedderRefused, TextsRefused
from blog_search_mcp.ingest.report import WithoutVector

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.store.manifest import PendingPost
    from blog_search_mcp.index.types import Vectors
    from blog_search_mcp.index.writer import IndexWriter
    from blog_search_mcp.ingest.prepare import Window

BATCH = 32
"""Texts between two commits, of which a killed run loses two, and one request to Ollama."""

FEW = 20
"""Texts without a vector that a run may have, however small it is."""

SHARE = 0.1
"""Share of the texts above which it is the embedder that is broken, and no longer the texts."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """What became of some texts."""

    vectors: Mapping[str, Vectors]
    """By text, float32 and of unit length; a refused text is not here."""
    refused: Mapping[str, str]
    """By text, why it has no vector."""


class CachedEmbedder:
    """An embedder behind the cache, for one run."""

    def __init__(self, embedder: Embedder, cache: EmbeddingCache) -> None:
        self._embedder = embedder
        self._cache = cache
        self._refused: dict[str, str] = {}
        self.asked = 0
        """Texts the embedder was asked for."""
        self.stopped = False
        """Set to end at the next batch, whatever is asked for."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What became of a cache that failed."""
        return self._cache.warnings

    def embed(self, texts: Sequence[str]) -> Embedded:
        """The vectors of `texts`. Raises EmbedderError; what came back before it is kept.

        Texts of about one length go together: a model reads a batch as long as its longest.
        """
        known = self._cache.get(texts)
        wanted = {text for text in texts if text not in known and text not in self._refused}
        missing = sorted(wanted, key=lambda text: (len(text), text))
        for vectors in self._batches(missing):
            known |= vectors
        refused = {text: self._refused[text] for text in texts if text in self._refused}
        return Embedded(known, refused)

    def _batches(self, missing: Sequence[str]) -> Iterator[dict[str, Vectors]]:
        """The vectors of each batch, while those of the one before it go into the cache."""
        kept: list[Future[None]] = []
        with ThreadPoolExecutor(1, thread_name_prefix="cache") as keeper:
            for start in range(0, len(missing), BATCH):
                if self.stopped:
                    break
                batch = missing[start : start + BATCH]
                vectors, reasons = self._asked(batch)
                for before in kept:
                    before.result()
                kept = [keeper.submit(self._keep, vectors)]
                self._note(len(batch), reasons)
                yield vectors
        for last in kept:
            last.result()

    def _note(self, asked: int, reasons: Mapping[str, str]) -> None:
        self.asked += asked
        self._refused |= reasons
        _refuse_too_many(self._refused, self.asked)

    def _keep(self, vectors: Mapping[str, Vectors]) -> None:
        self._cache.put(list(vectors), np.asarray(list(vectors.values()), dtype=np.float32))

    def _asked(self, batch: Sequence[str]) -> tuple[dict[str, Vectors], dict[str, str]]:
        """By text, the vectors that came back, and why the others did not."""
        try:
            rows, reasons = self._embedder.embed_documents(batch), {}
        except TextsRefused as refusal:
            rows = refusal.rows
            reasons = {batch[place]: reason for place, reason in refusal.reasons.items()}
        pairs = zip(batch, rows, strict=True)
        return {text: row for text, row in pairs if text not in reasons}, reasons


def _refuse_too_many(refused: Mapping[str, str], asked: int) -> None:
    if len(refused) > max(FEW, SHARE * asked):
        raise EmbedderRefused(
            f"The embedder failed on {len(refused)} of {asked} texts, at last because "
            f"{list(refused.values())[-1]}. Restart or update it and run again: the other "
            "embeddings are kept."
        )


BLOCK = 256
"""Texts embedded between two turns of writing: enough of each length for some full batches."""

FIRST = 64
"""Texts of the first block, which an embedder elsewhere waits for."""

WAITING = 4
"""Blocks that may be waiting for the embedder."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A window that waits for its vector."""

    post: PendingPost
    chunk_id: int
    window: Window


@dataclass(slots=True)
class _Block:
    waiting: list[_Waiting] = field(default_factory=list)
    posts: int = 0
    """Posts that end in it."""


class ChunkVectors:
    """Embeds windows in the order in which they come; use `chunk_vectors`."""

    def __init__(
        self, thread: ThreadPoolExecutor, writer: IndexWriter, embedder: CachedEmbedder
    ) -> None:
        self._thread = thread
        self._writer = writer
        self._embedder = embedder
        self._block = _Block()
        self._wanted = FIRST
        self._asked: deque[tuple[_Block, Future[Embedded]]] = deque()
        self._without: dict[int, WithoutVector] = {}

    @property
    def without(self) -> tuple[WithoutVector, ...]:
        """Chunks that could not be embedded whole."""
        return tuple(self._without.values())

    def put(self, new: PendingPost, chunk_ids: Sequence[int], windows: Sequence[Window]) -> int:
        """Have the windows of a post embedded; how many posts are done by now, of all so far.

        Raises EmbedderError for any post before it.
        """
        self._block.waiting += [_Waiting(new, chunk_ids[w.chunk], w) for w in windows]
        self._block.posts += 1
        if len(self._block.waiting) < self._wanted:
            return 0
        self.ask()
        return sum(self._write() for _ in range(len(self._asked) - WAITING))

    def finish(self) -> Iterator[int]:
        """Wait for the vectors of every post; each time, how many more are done."""
        self.ask()
        while self._asked:
            yield self._write()

    def ask(self) -> None:
        """Have what was put in last embedded, however little it is."""
        if not self._block.posts:
            return
        self._wanted = BLOCK
        texts = [waiting.window.text for waiting in self._block.waiting]
        self._asked.append((self._block, self._thread.submit(self._embedder.embed, texts)))
        self._block = _Block()

    def _write(self) -> int:
        """Take the vectors of the block that was asked for first; how many posts end in it."""
        block, asked = self._asked.popleft()
        found = asked.result()
        having = [each for each in block.waiting if each.window.text in found.vectors]
        if having:
            ids = np.asarray([each.chunk_id for each in having], dtype=np.int64)
            rows = np.stack([found.vectors[each.window.text] for each in having])
            self._writer.add_vectors(ids, rows)
        self._note([each for each in block.waiting if each.window.text in found.refused], found)
        return block.posts

    def _note(self, lacking: Sequence[_Waiting], found: Embedded) -> None:
        counts = Counter(each.post.post.source for each in lacking)
        for source, count in counts.items():
            self._writer.record_unembedded(source, count)
        for each in lacking:
            reason = found.refused[each.window.text]
            self._without[each.chunk_id] = _named(each, reason)


@contextmanager
def chunk_vectors(writer: IndexWriter, embedder: CachedEmbedder) -> Iterator[ChunkVectors]:
    """A thread that embeds for `writer` until the block ends; what waits then is given up."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="embed")
    try:
        yield ChunkVectors(thread, writer, embedder)
    finally:
        embedder.stopped = True
        thread.shutdown(cancel_futures=True)


def _named(waiting: _Waiting, reason: str) -> WithoutVector:
    chunk = waiting.post.chunks[waiting.window.chunk]
    heading = chunk.headings[-1] if chunk.headings else ""
    return WithoutVector(chunk.source, chunk.first_line, chunk.last_line, heading, reason)
