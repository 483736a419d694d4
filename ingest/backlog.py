"""Embed the backlog: posts whose words are in the index and whose vectors are still to come.

Words are indexed in seconds and a large blog is embedded in minutes or an hour. So where there is
much to embed, words are published first and meaning follows in a few generations, the newest posts
first. What waits is in the manifest, and its texts are in the catalog: an ingest that finds a
backlog, of its own or of one that was killed, reads no file to finish it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blog_search_mcp.ingest.embedding import BLOCK
from blog_search_mcp.ingest.prepare import make_windows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blog_search_mcp.ingest.embedding import EmbeddingQueue
    from blog_search_mcp.ingest.plan import FileToRead
    from blog_search_mcp.ingest.report import Progress

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


def embed_backlog(
    queue: EmbeddingQueue, sources: Iterator[str], until: int, progress: Progress
) -> None:
    """Embed posts of the backlog until as many windows are `written` by the queue.

    A block more is taken of `sources` and queued, so that the embedder goes on while this
    generation is published. Raises EmbedderError.
    """
    for enough in (until, until + BLOCK):
        while queue.queued < enough and (source := next(sources, None)) is not None:
            if queue.writer.has(source):
                new, chunk_ids = queue.writer.read(source)
                windows = make_windows(new, queue.window_pieces)
                for block in queue.put(new, chunk_ids, windows):
                    progress.advance(len(block.windows))
        queue.flush()
    for block in queue.drain(until):
        progress.advance(len(block.windows))
