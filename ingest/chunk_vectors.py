"""The windows of new posts in, their vectors into the generation, and by name what has none.

The embedder works in a thread of its own, block after block, while posts are read and written:
it waits for a server or in code that lets other threads run. A few blocks may wait, so that
memory stays bounded whichever of the two is slower.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ingest.report import WithoutVector

if TYPE_CHECKING:
    from index.builder import Building
    from index.new_post import NewPost
    from ingest.embed import CachedEmbedder, Embedded
    from ingest.outcome import Window

BLOCK = 256
"""Texts embedded between two turns of writing: enough of each length for some full batches."""

FIRST = 64
"""Texts of the first block, which an embedder elsewhere waits for."""

WAITING = 4
"""Blocks that may be waiting for the embedder."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A window that waits for its vector."""

    post: NewPost
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
        self, thread: ThreadPoolExecutor, building: Building, embedder: CachedEmbedder
    ) -> None:
        self._thread = thread
        self._building = building
        self._embedder = embedder
        self._block = _Block()
        self._wanted = FIRST
        self._asked: deque[tuple[_Block, Future[Embedded]]] = deque()
        self._without: dict[int, WithoutVector] = {}

    @property
    def without(self) -> tuple[WithoutVector, ...]:
        """Chunks that could not be embedded whole."""
        return tuple(self._without.values())

    def put(self, new: NewPost, chunk_ids: Sequence[int], windows: Sequence[Window]) -> int:
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
            self._building.add_vectors(ids, rows)
        self._note([each for each in block.waiting if each.window.text in found.refused], found)
        return block.posts

    def _note(self, lacking: Sequence[_Waiting], found: Embedded) -> None:
        counts = Counter(each.post.post.source for each in lacking)
        for source, count in counts.items():
            self._building.count_unembedded(source, count)
        for each in lacking:
            reason = found.refused[each.window.text]
            self._without[each.chunk_id] = _named(each, reason)


@contextmanager
def chunk_vectors(building: Building, embedder: CachedEmbedder) -> Iterator[ChunkVectors]:
    """A thread that embeds for `building` until the block ends; what waits then is given up."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="embed")
    try:
        yield ChunkVectors(thread, building, embedder)
    finally:
        embedder.stopped = True
        thread.shutdown(cancel_futures=True)


def _named(waiting: _Waiting, reason: str) -> WithoutVector:
    chunk = waiting.post.chunks[waiting.window.chunk]
    heading = chunk.headings[-1] if chunk.headings else ""
    return WithoutVector(chunk.source, chunk.first_line, chunk.last_line, heading, reason)
