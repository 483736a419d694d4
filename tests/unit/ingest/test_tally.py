"""What an ingest counts as it reads: every kind of outcome at once, and one at a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from blog_search_mcp.index.content.walk import Skipped
from blog_search_mcp.index.errors import ContentError
from blog_search_mcp.ingest.pipeline import Job, Tally
from blog_search_mcp.ingest.plan import Look, look_at
from blog_search_mcp.ingest.prepare import Outcome, how_of, outcome_of
from tests.support.blog import Blog, MakeBlog

TODAY = date(2026, 1, 15)
POSTS = {"gone.md": "Gone.", "kept.md": "Kept.", "edited.md": "Once.", "hidden.md": "Shown."}
DRAFT = "---\ndraft: true\n---\nHidden."


def job_of(made: Blog) -> Job:
    return Job(made.content, made.index, made._choose, TODAY)


def look_of(made: Blog) -> Look:
    return look_at(job_of(made), made.manifest, made._choose(None))


@pytest.fixture
def later(blog: MakeBlog) -> Blog:
    """One post of each kind since the ingest."""
    made = blog(POSTS)
    made.write({"new.md": "New.", "edited.md": "Twice.", "hidden.md": DRAFT, "kept.md": "Kept."})
    (made.content / "gone.md").unlink()
    return made


def outcomes(made: Blog, look: Look) -> list[Outcome]:
    how = how_of(job_of(made), look)
    return [outcome_of(unread, how) for unread in look.scan.unread]


def test_every_kind_of_outcome_is_counted_once(later: Blog) -> None:
    look = look_of(later)
    tally = Tally(look)
    for outcome in outcomes(later, look):
        tally.count(outcome)
    assert (tally.added, tally.changed, tally.kept) == (1, 1, 1)
    assert tally.removed == ["gone.md", "hidden.md"]
    assert tally.skipped == (Skipped("hidden.md", "draft"),)


def test_new_edited_and_hidden_posts_are_changes_and_a_touched_one_is_none(later: Blog) -> None:
    look = look_of(later)
    tally = Tally(look)
    found = {outcome.source: tally.is_change(outcome) for outcome in outcomes(later, look)}
    assert found == {"new.md": True, "edited.md": True, "hidden.md": True, "kept.md": False}


def test_a_draft_that_never_was_in_the_index_is_no_change(later: Blog) -> None:
    tally = Tally(replace(look_of(later), base=None))
    assert not tally.is_change(Outcome("draft.md", None, Skipped("draft.md", "draft")))


def test_a_blog_of_which_no_post_is_left_is_refused(tmp_path: Path) -> None:
    made = Blog(tmp_path / "content", tmp_path / "index")
    made.write({"hidden.md": DRAFT})
    look = look_at(job_of(made), None, made._choose(None))
    tally = Tally(look)
    for outcome in outcomes(made, look):
        tally.count(outcome)
    with pytest.raises(ContentError, match=r"No post to index below .* \(1 files left out\)"):
        tally.refuse_none(job_of(made))
