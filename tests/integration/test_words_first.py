"""Where there is much to embed, words are published first and meaning follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.errors import EmbedderError
from blog_search_mcp.ingest import embed as embedding
from blog_search_mcp.ingest.last_ingest import read_last_ingest
from tests.support.blog import Blog, load_rows
from tests.support.fakes import FakeEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from blog_search_mcp.index.types import Vectors

POSTS = 40
SUBJECTS = ["zebra", "onion", "kettle", "tractor"]


def post(number: int) -> str:
    day = f"---\ndate: 2025-01-{number + 1:02}\n---\n" if number < 30 else ""
    return f"{day}# Post {number}\n\nA {SUBJECTS[number % 4]} of number {number}.\n"


@pytest.fixture
def unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Blog:
    """A blog without an index, for which 8 windows are many."""
    monkeypatch.setattr(embedding, "MAX_INLINE_WINDOWS", 8)
    made = Blog(tmp_path / "content", tmp_path / "index")
    made.write({f"{number:02}.md": post(number) for number in range(POSTS)})
    return made


class Watching(FakeEmbedder):
    """Notes how many posts wait in the live generation, 0 for no index, and fails in time."""

    def __init__(self, blog: Blog, fails_at: int | None = None) -> None:
        super().__init__()
        self._blog = blog
        self._fails_at = fails_at
        self.waiting: list[int] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        exists = self._blog.layout.current.exists()
        self.waiting.append(self._blog.manifest.waiting if exists else 0)
        if len(self.waiting) - 1 == self._fails_at:
            raise EmbedderError("Ollama does not answer.")
        return super().embed_documents(texts)


def vectors_by_chunk(blog: Blog) -> dict[int, bytes]:
    ids, rows = load_rows(blog.files.vectors)
    return {chunk: row.tobytes() for chunk, row in zip(ids.tolist(), rows, strict=True)}


def test_words_are_published_before_the_first_text_is_embedded_and_half_in_between(
    unread: Blog,
) -> None:
    unread.embedder = watching = Watching(unread)
    report = unread.ingest()
    assert watching.waiting[0] == 40
    assert (report.generation, report.added, report.embedded) == (3, POSTS, POSTS)
    assert unread.manifest.waiting == 0
    assert "Still being indexed" not in (unread.search("zebra").notice or "")


def test_the_newest_posts_are_embedded_first_and_undated_ones_last(unread: Blog) -> None:
    unread.ingest()
    numbers = [int(text.split()[1]) for text in unread.embedder.documents]
    assert set(numbers[:20]) == set(range(10, 30))
    assert set(numbers[20:]) == {*range(10), *range(30, 40)}


def test_what_is_embedded_in_pieces_is_searched_as_what_is_embedded_at_once(
    unread: Blog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unread.ingest()
    monkeypatch.setattr(embedding, "MAX_INLINE_WINDOWS", 1000)
    whole = Blog(unread.content, tmp_path / "whole")
    assert whole.ingest().generation == 1
    assert vectors_by_chunk(unread) == vectors_by_chunk(whole)
    for query in ("zebra", "a tractor of number 7", "kettle 33"):
        assert unread.search(query) == whole.search(query)


def test_an_embedder_that_fails_leaves_the_words_and_the_next_ingest_goes_on(unread: Blog) -> None:
    unread.embedder = Watching(unread, fails_at=1)
    with pytest.raises(EmbedderError):
        unread.ingest()
    unread.embedder = FakeEmbedder()
    assert unread.manifest.waiting == 20
    last_ingest = read_last_ingest(unread.store, unread.manifest.generation)
    assert last_ingest is not None
    assert last_ingest.waiting == 20
    answer = unread.search("onion of number 37")
    assert answer.hits[0].post.source == "37.md"
    assert (answer.notice or "").endswith(
        "Still being indexed: 20 of 40 posts are known by meaning so far, "
        "the others by words alone."
    )
    report = unread.ingest()
    assert (report.added, report.changed, report.embedded) == (0, 0, 20)
    assert unread.manifest.waiting == 0


def test_a_post_that_is_edited_while_others_wait_is_embedded_with_them(unread: Blog) -> None:
    unread.embedder = Watching(unread, fails_at=0)
    with pytest.raises(EmbedderError):
        unread.ingest()
    unread.embedder = FakeEmbedder()
    unread.write({"00.md": "# Walrus\n\nBy the sea.\n"})
    (unread.content / "01.md").unlink()
    report = unread.ingest()
    assert (report.changed, report.removed, report.embedded) == (1, 1, 39)
    assert unread.manifest.waiting == 0
