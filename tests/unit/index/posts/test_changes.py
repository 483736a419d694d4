"""How far an index is behind its posts: what an ingest notes, and what has changed since."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.errors import ContentError, IndexProblem
from blog_search_mcp.index.posts.changes import (
    Changes,
    compare_files,
    describe_changes,
    find_changes,
    format_age,
    list_changes,
)
from blog_search_mcp.index.posts.last_ingest import (
    FileState,
    LastIngest,
    format_folder,
    read_last_ingest,
    write_last_ingest,
)
from blog_search_mcp.index.posts.walk import SourceFile

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
LAST = LastIngest(
    generation=1,
    created="2026-01-13T08:00:00+00:00",
    content="/blog",
    suffixes=(".md",),
    files={
        "a.md": FileState(size=3, mtime_ns=30),
        "b.md": FileState(size=4, mtime_ns=40, due="2026-01-20"),
    },
)
A = SourceFile("a.md", "a.md", 3, 30)
B = SourceFile("b.md", "b.md", 4, 40)
C = SourceFile("c.md", "c.md", 5, 50)
SOUP = "# Soup\n\nBoil an onion.\n"
DRAFT = "---\ndraft: true\n---\nA walrus.\n"


@pytest.mark.parametrize(
    ("files", "today", "changes"),
    [
        ([A, B], "2026-01-15", Changes()),
        ([A, replace(B, size=5)], "2026-01-15", Changes(changed=("b.md",))),
        ([replace(A, mtime_ns=29), B], "2026-01-15", Changes(changed=("a.md",))),
        ([A, B, C], "2026-01-15", Changes(added=("c.md",))),
        ([B], "2026-01-15", Changes(removed=("a.md",))),
        ([A, B], "2026-01-19", Changes()),
        ([A, B], "2026-01-20", Changes(due=("b.md",))),
        ([A, replace(B, size=5)], "2026-01-20", Changes(changed=("b.md",))),
        ([C], "2027-01-01", Changes(added=("c.md",), removed=("a.md", "b.md"))),
    ],
)
def test_a_file_is_compared_by_size_time_and_day(
    files: list[SourceFile], today: str, changes: Changes
) -> None:
    assert compare_files(LAST, files, today) == changes


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (Changes(), None),
        (
            Changes(due=("b.md",)),
            "1 post has changed since the index was made 2 days ago; "
            "to include it: `blog-search-mcp ingest CONTENT --index INDEX`.",
        ),
        (
            Changes(("a.md",), ("c.md",), ("d.md",)),
            "3 posts have changed since the index was made 2 days ago; "
            "to include them: `blog-search-mcp ingest CONTENT --index INDEX`.",
        ),
    ],
)
def test_what_changed_is_one_sentence_without_a_path(
    changes: Changes, sentence: str | None
) -> None:
    assert describe_changes(changes, LAST.created, NOW) == sentence


@pytest.mark.parametrize(
    ("passed", "text"),
    [
        (timedelta(seconds=-5), "less than a minute ago"),
        (timedelta(seconds=59), "less than a minute ago"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(minutes=59), "59 minutes ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(hours=47), "1 day ago"),
        (timedelta(days=1200), "1,200 days ago"),
    ],
)
def test_an_age_is_written_in_its_largest_whole_unit(passed: timedelta, text: str) -> None:
    assert format_age((NOW - passed).isoformat(), NOW) == text


def test_the_first_few_are_named() -> None:
    assert list_changes(Changes(("a.md",), ("b.md",), ("c.md",))) == "a.md, b.md, c.md"
    assert (
        list_changes(Changes(("a.md", "d.md"), ("b.md",), ("c.md",)))
        == "a.md, d.md, b.md and 1 more"
    )


def behind(blog: Blog, today: str = "2026-01-15") -> Changes:
    """What has changed since the blog's last ingest."""
    last = read_last_ingest(blog.store, blog.manifest.generation)
    assert last is not None
    return find_changes(last, Path(last.content), today)


def test_right_after_an_ingest_nothing_has_changed_drafts_included(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP, "walrus.md": DRAFT, ".hidden.md": "No.\n", "notes.txt": "No.\n"})
    assert behind(made) == Changes()


def test_edits_new_files_and_deletions_are_seen_and_an_ingest_settles_them(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP, "stew.md": "A stew.\n", "walrus.md": DRAFT})
    made.write({"soup.md": SOUP + "Salt it.\n", "new/tea.md": "Tea.\n", "notes.txt": "No.\n"})
    (made.content / "stew.md").unlink()
    assert behind(made) == Changes(("soup.md",), ("new/tea.md",), ("stew.md",))
    made.ingest()
    assert behind(made) == Changes()


def test_an_ingest_that_finds_nothing_to_write_settles_them_too(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    os.utime(made.content / "soup.md", ns=(10**18, 10**18))
    made.write({"walrus.md": DRAFT})
    assert behind(made) == Changes(changed=("soup.md",), added=("walrus.md",))
    assert made.ingest().generation == 1
    assert behind(made) == Changes()


def test_what_a_blogignore_names_is_never_new(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP, ".blogignore": "later/\n"})
    made.write({"later/idea.md": "An idea.\n"})
    assert behind(made) == Changes()


def test_a_post_counts_on_the_day_it_appears_or_goes(blog: MakeBlog) -> None:
    made = blog(
        {
            "soup.md": SOUP,
            "next.md": "---\ndate: 2026-01-20\n---\nNext week.\n",
            "offer.md": "---\nexpiryDate: 2026-01-31\n---\nThis month.\n",
            "evening.md": "---\npublishDate: 2026-01-25T18:00:00+02:00\n---\nAt six.\n",
            "late.md": "---\ndate: 2026-01-20\ndraft: true\n---\nPerhaps.\n",
        }
    )
    assert behind(made, "2026-01-19T09:00:00+00:00") == Changes()
    assert behind(made, "2026-01-20T13:00:00+00:00") == Changes(due=("next.md",))
    assert behind(made, "2026-01-25T15:59:59+00:00") == Changes(due=("next.md",))
    assert behind(made, "2026-01-25T16:00:00+00:00") == Changes(due=("evening.md", "next.md"))
    assert behind(made, "2026-02-02") == Changes(due=("evening.md", "next.md", "offer.md"))
    made.write({"soup.md": SOUP + "Salt it.\n"})
    made.ingest()
    assert behind(made, "2026-02-02") == Changes(due=("evening.md", "next.md", "offer.md"))


def test_no_day_counts_where_drafts_and_future_posts_are_indexed(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP, "next.md": "---\ndate: 2026-01-20\n---\nNext week.\n"})
    made.ingest(include_drafts=True)
    assert behind(made, "2026-02-01") == Changes()


def test_a_folder_that_is_gone_is_an_error_with_a_sentence(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    made.content.rename(made.content.with_name("moved"))
    with pytest.raises(ContentError, match=r"^There is no content folder "):
        behind(made)


def test_nothing_is_known_without_a_note_with_half_a_one_or_one_of_another_generation(
    blog: MakeBlog,
) -> None:
    made = blog({"soup.md": SOUP})
    store, layout = made.store, made.layout
    assert read_last_ingest(store, 1) is not None
    assert read_last_ingest(store, 2) is None
    whole = layout.last_ingest.read_bytes()
    for torn in (b"", whole[:-1], whole[: len(whole) // 2], b"null", b"\xff" + whole):
        layout.last_ingest.write_bytes(torn)
        assert read_last_ingest(store, 1) is None
    layout.last_ingest.unlink()
    assert read_last_ingest(store, 1) is None


def test_a_note_that_cannot_be_written_says_so(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    made.layout.last_ingest.unlink()
    made.layout.last_ingest.mkdir()
    with pytest.raises(IndexProblem) as raised:
        write_last_ingest(made.store, LAST)
    assert str(raised.value) == (
        "The index is up to date, but its last_ingest.json could not be written: Is a "
        "directory. Check the disk's space and the folder's permissions, then run again; until "
        "then no server can tell when posts change."
    )


def test_a_content_folder_with_a_name_that_is_no_utf_8_can_be_noted(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    assert format_folder(folder) == f"{tmp_path.resolve()}/caf\\udce9"
