"""When words go first, and when meaning is published."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.posts.walk import SourceFile
from blog_search_mcp.ingest.embedding import WINDOW_BYTES, WORDS_FIRST, may_be_many, milestones
from blog_search_mcp.ingest.plan import FileToRead


@pytest.mark.parametrize(
    ("windows", "published"),
    [
        (0, [0]),
        (600, [600]),
        (1_000, [500, 1_000]),
        (4_000, [500, 2_000, 4_000]),
        (20_000, [2_500, 10_000, 20_000]),
    ],
)
def test_meaning_is_published_at_most_three_times(windows: int, published: list[int]) -> None:
    assert milestones(windows) == published


def test_files_may_be_many_windows_by_their_size() -> None:
    def files(size: int) -> list[FileToRead]:
        return [FileToRead(SourceFile("a.md", "a.md", size, 0), None)]

    assert not may_be_many(files(WORDS_FIRST * WINDOW_BYTES))
    assert may_be_many(files(WORDS_FIRST * WINDOW_BYTES + 1))
