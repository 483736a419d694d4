"""How an ingest counts what becomes of the files of its plan."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blog_search_mcp.index.content.walk import Skipped
from blog_search_mcp.index.errors import ContentError
from blog_search_mcp.ingest.pipeline import IngestCounts
from blog_search_mcp.ingest.plan import Job, Plan, make_plan
from blog_search_mcp.ingest.prepare import ParsedResult, make_read_options, prepare_post
from blog_search_mcp.ingest.workers import WorkerPool
from tests.support.blog import Blog, MakeBlog

POSTS = {"gone.md": "Gone.", "kept.md": "Kept.", "edited.md": "Once.", "hidden.md": "Shown."}
DRAFT = "---\ndraft: true\n---\nHidden."


def job_of(made: Blog) -> Job:
    return Job(made.content, made.index, made._choose, datetime(2026, 1, 15, tzinfo=UTC))


@pytest.fixture
def later(blog: MakeBlog) -> Blog:
    """A blog with one post of each kind of change since its ingest."""
    made = blog(POSTS)
    made.write({"new.md": "New.", "edited.md": "Twice.", "hidden.md": DRAFT, "kept.md": "Kept."})
    (made.content / "gone.md").unlink()
    return made


ALONE = WorkerPool(1)


def results(made: Blog, plan: Plan) -> list[ParsedResult]:
    how = make_read_options(job_of(made), plan)
    return [prepare_post(file, how) for file in plan.to_read]


def test_every_file_is_counted_once_as_what_it_became(later: Blog) -> None:
    plan = make_plan(job_of(later), later.manifest, ALONE)
    counts = IngestCounts(plan)
    changes = {}
    for result in results(later, plan):
        changes[result.source] = counts.is_change(result)
        counts.count(result)
    assert changes == {"new.md": True, "edited.md": True, "hidden.md": True, "kept.md": False}
    assert (counts.added, counts.changed, counts.kept) == (1, 1, 1)
    assert counts.removed == ["gone.md", "hidden.md"]
    assert counts.skipped == (Skipped("hidden.md", "draft"),)


def test_a_draft_that_never_was_in_the_index_is_no_change(later: Blog) -> None:
    counts = IngestCounts(replace(make_plan(job_of(later), later.manifest, ALONE), base=None))
    assert not counts.is_change(ParsedResult("draft.md", None, Skipped("draft.md", "draft")))


def test_a_blog_of_which_no_post_is_left_is_refused(tmp_path: Path) -> None:
    made = Blog(tmp_path / "content", tmp_path / "index")
    made.write({"hidden.md": DRAFT})
    plan = make_plan(job_of(made), None, ALONE)
    counts = IngestCounts(plan)
    for result in results(made, plan):
        counts.count(result)
    with pytest.raises(ContentError) as raised:
        counts.require_posts(job_of(made))
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
