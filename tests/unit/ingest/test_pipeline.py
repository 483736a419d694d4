"""What an ingest counts, and what it says of a folder without posts."""

from __future__ import annotations

from pathlib import Path

import pytest

from blog_search_mcp.index.errors import ContentError
from blog_search_mcp.index.posts.walk import Skipped
from tests.support.blog import Blog, MakeBlog

POSTS = {"gone.md": "Gone.", "kept.md": "Kept.", "edited.md": "Once.", "hidden.md": "Shown."}
DRAFT = "---\ndraft: true\n---\nHidden."


def test_every_file_is_counted_once_as_what_it_became(blog: MakeBlog) -> None:
    made = blog(POSTS)
    made.write({"new.md": "New.", "edited.md": "Twice.", "hidden.md": DRAFT, "kept.md": "Kept."})
    (made.content / "gone.md").unlink()
    report = made.ingest()
    assert (report.posts, report.added, report.changed, report.removed) == (3, 1, 1, 2)
    assert report.skipped == (Skipped("hidden.md", "draft"),)
    assert made.manifest.posts.keys() == {"edited.md", "kept.md", "new.md"}


def test_a_draft_that_never_was_in_the_index_is_no_change(blog: MakeBlog) -> None:
    made = blog({"kept.md": "Kept."})
    made.write({"draft.md": DRAFT})
    assert made.ingest().generation == 1


def test_a_blog_of_which_no_post_is_left_is_refused(tmp_path: Path) -> None:
    made = Blog(tmp_path / "content", tmp_path / "index")
    made.write({"hidden.md": DRAFT})
    with pytest.raises(ContentError) as raised:
        made.ingest()
    assert str(raised.value) == (
        f"No post to index below {made.content}: the only post is left out, hidden.md (draft). "
        "`blog-search-mcp ingest CONTENT --index INDEX --include-drafts` indexes drafts, "
        "future-dated and expired posts too."
    )


def test_what_no_option_indexes_is_not_told_to_be_a_draft(tmp_path: Path) -> None:
    made = Blog(tmp_path / "content", tmp_path / "index")
    made.write({"_template.md": "Write here.\n"})
    with pytest.raises(ContentError) as raised:
        made.ingest()
    assert str(raised.value) == (
        f"No post to index below {made.content}: the only post is left out, "
        "_template.md (not published). Give the folder that holds the posts."
    )


def test_of_many_files_left_out_the_first_are_named_with_their_reasons(tmp_path: Path) -> None:
    made = Blog(tmp_path / "content", tmp_path / "index")
    made.write({f"{name}.md": "\0" * 9 for name in "abcde"})
    with pytest.raises(ContentError) as raised:
        made.ingest()
    binary = "it is not text but a binary file"
    assert str(raised.value) == (
        f"No post to index below {made.content}: all 5 are left out, "
        f"a.md ({binary}), b.md ({binary}), c.md ({binary}) and 2 more. "
        "Give the folder that holds the posts."
    )
