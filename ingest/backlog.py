"""Embed the backlog: posts whose words are in the index and whose vectors are still to come.

Words are indexed in seconds and a large blog is embedded in minutes or an hour. So where there is
much to embed, words are published first and meaning follows in a few generations, the newest posts
first. What waits is in the manifest, and its texts are in the catalog: an ingest that finds a
backlog, of its own or of one that was killed, reads no file to finish it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blog_search_mcp.ingest.embedding import open_embedding_queue
from blog_search_mcp.ingest.prepare import make_windows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blog_search_mcp.index.writer import IndexWriter
    from blog_search_mcp.ingest.embedding import CachedEmbedder
    from blog_search_mcp.ingest.plan import FileToRead
    from blog_search_mcp.ingest.report import Progress, WithoutVector

WORDS_FIRST = 500
"""Windows to embed beyond which words are published first: 5 s of two cores for the smallest model
of the package, half a minute for nomic-embed-text."""

WINDOW_BYTES = 1_000
"""Of a file, about, for one window: 850 in English, 1,800 in Chinese."""


def may_be_many(files: Iterable[FileToRead]) -> bool:
    """Whether these files may have more than WORDS_FIRST windows.

    If not, embedding starts while they are read; if so, it leaves the processors to the words.
    """
    return sum(each.file.size for each in files) > WORDS_FIRST * WINDOW_BYTES


def milestones(windows: int) -> list[int]:
    """After how many of `windows` embedded a generation is published: an eighth, a half, all."""
    return [*(n for n in (windows // 8, windows // 2) if n >= WORDS_FIRST), windows]


def embed_backlog(
    writer: IndexWriter, embedder: CachedEmbedder, most: int, progress: Progress
) -> tuple[int, tuple[WithoutVector, ...]]:
    """Embed the first posts of the backlog, until `most` windows are full.

    Returns how many windows that were, and the chunks that have no vector even so. Raises
    EmbedderError.
    """
    done = 0
    with open_embedding_queue(writer, embedder) as queue:
        for source in writer.backlog():
            if done >= most:
                break
            new, chunk_ids = writer.read(source)
            windows = make_windows(new, embedder.window_pieces)
            done += len(windows)
            for block in queue.put(new, chunk_ids, windows):
                progress.advance(len(block.windows))
        for block in queue.drain():
            progress.advance(len(block.windows))
    return done, queue.without_vector
