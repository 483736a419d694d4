"""What an ingest does while its embedder works: each waits for the other in these tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from blog_search_mcp.ingest.embedding import BATCH
from tests.support.fakes import FakeEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from blog_search_mcp.index.types import Vectors
    from tests.support.blog import MakeBlog

PATIENCE = 60.0
"""Seconds until a test fails that waits."""


def comes(is_there: Callable[[], object]) -> bool:
    patience = time.monotonic() + PATIENCE
    while not is_there() and time.monotonic() < patience:
        time.sleep(0.01)
    return bool(is_there())


class Waiting(FakeEmbedder):
    """Embeds once the lexical index is written."""

    def __init__(self, lexical: Path) -> None:
        super().__init__()
        self._lexical = lexical
        self.found: list[bool] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.found.append(comes(lambda: list(self._lexical.rglob("posts/*.term"))))
        return super().embed_documents(texts)


def test_the_lexical_index_is_written_while_texts_are_embedded(blog: MakeBlog) -> None:
    made = blog({"moth.md": "By night."})
    made.write({"kelp.md": "At sea."})
    made.embedder = embedder = Waiting(made.layout.generation(2).lexical)
    made.ingest()
    assert embedder.found == [True]
    assert made.manifest.posts.keys() == {"kelp.md", "moth.md"}


class Opening(FakeEmbedder):
    """Embeds once the ingest has opened a generation to write."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self.found: list[bool] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.found.append(comes(self._folder.exists))
        return super().embed_documents(texts)


def test_the_first_texts_are_embedded_once_and_while_the_writer_opens(blog: MakeBlog) -> None:
    made = blog({"moth.md": "By night."})
    made.write({"kelp.md": "At sea."})
    made.embedder = embedder = Opening(made.layout.generation(2).folder)
    made.ingest()
    assert (embedder.found, len(embedder.documents)) == ([True], 1)


def test_the_first_texts_are_embedded_before_all_are_read(blog: MakeBlog) -> None:
    made = blog({"moth.md": "By night."})
    made.write({f"{number:03}.md": f"Moth {999 - number}." for number in range(3 * BATCH)})
    made.embedder.documents.clear()
    made.ingest()
    first = {text.split()[-1] for text in made.embedder.documents[:BATCH]}
    assert first == {f"{999 - number}." for number in range(BATCH)}
