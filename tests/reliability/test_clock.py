"""A clock that jumps: ahead, back, and files whose times are of another one."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.watch.staleness import StalenessCheck
from blog_search_mcp.server.watch.watcher import Watcher

if TYPE_CHECKING:
    from pathlib import Path

    from blog_search_mcp.index.posts.last_ingest import IngestOptions
    from tests.support.blog import Blog, MakeBlog

YEARS = timedelta(days=3 * 365)
JUMPS = {"ahead": YEARS, "back": -YEARS, "a second back": timedelta(seconds=-1)}
SOUP = "# Soup\n\nBoil an onion.\n"
LEEK = "# Soup\n\nBoil a leek..\n"
"""As many bytes."""
LATER = "---\ntitle: Later\ndate: 2027-05-05\n---\nA secret zebrafinch.\n"


def set_clock(monkeypatch: pytest.MonkeyPatch, jump: timedelta) -> None:
    """Have ingests begin at a time that is so far from the real one."""

    class Moved(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + jump

    monkeypatch.setattr("blog_search_mcp.ingest.plan.datetime", Moved)


def found(made: Blog, query: str) -> list[str]:
    answer = made.reader().search(query, Filters(), limit=5, offset=0)
    return [hit.post.source for hit in answer.hits]


def touch(folder: Path, seconds: float) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (seconds, seconds))


@pytest.mark.parametrize("jump", JUMPS)
def test_an_edit_is_found_whichever_way_the_clock_jumped(
    jump: str, blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog({"soup.md": SOUP, "tea.md": "# Tea\n\nA leaf.\n"})
    for moved in (JUMPS[jump], timedelta(0), JUMPS[jump]):
        set_clock(monkeypatch, moved)
        for text, word in ((LEEK, "leek"), (SOUP, "onion")):
            made.write({"soup.md": text})
            report = made.ingest()
            assert (report.changed, found(made, word)) == (1, ["soup.md"])
        assert made.ingest().changed == 0
        assert StalenessCheck(made.index, run=lambda work: work()).notice() is None


@pytest.mark.parametrize("year", [1980, 2100])
def test_posts_of_another_time_are_found_and_no_change_for_ever(year: int, blog: MakeBlog) -> None:
    made = blog({"tea.md": "# Tea\n\nA leaf.\n"})
    made.write({"soup.md": SOUP})
    seconds = datetime(year, 1, 1, tzinfo=UTC).timestamp()
    touch(made.content, seconds)
    assert (made.ingest().added, found(made, "onion")) == (1, ["soup.md"])
    assert (made.ingest().changed, made.ingest().generation) == (0, 2)
    watch = StalenessCheck(made.index, run=lambda work: work())
    watch.check()
    assert watch.notice() is None
    made.write({"soup.md": LEEK})
    touch(made.content, seconds if year > 2050 else seconds + 1)
    assert (made.ingest().changed, found(made, "leek")) == (1, ["soup.md"])


@pytest.mark.parametrize("year", [1980, 2100])
def test_an_index_of_another_time_is_whole(year: int, blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    touch(made.index, datetime(year, 1, 1, tzinfo=UTC).timestamp())
    assert found(made, "onion") == ["soup.md"]
    assert made.ingest().generation == 1
    made.write({"tea.md": "# Tea\n\nA leaf.\n"})
    assert (made.ingest().generation, found(made, "leaf")) == (2, ["tea.md"])


def test_a_scheduled_post_that_a_wrong_clock_published_is_taken_back(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog({"soup.md": SOUP, "later.md": LATER})
    touch(made.content, 1e9)
    assert (made.ingest().skipped[0].reason, found(made, "zebrafinch")) == ("future", [])
    set_clock(monkeypatch, YEARS)
    made.today += YEARS
    assert (made.ingest().added, found(made, "zebrafinch")) == (1, ["later.md"])
    set_clock(monkeypatch, timedelta(0))
    made.today -= YEARS
    report = made.ingest()
    assert (report.removed, [skip.reason for skip in report.skipped]) == (1, ["future"])
    assert found(made, "zebrafinch") == []


def test_a_watcher_takes_posts_in_as_its_clock_says_and_ingests_once_a_jump(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog({"soup.md": SOUP, "later.md": LATER})
    touch(made.content, 1e9)
    made.ingest()
    ingests: list[date] = []

    def ingest(_options: IngestOptions) -> list[str]:
        ingests.append(made.today)
        return [str(made.ingest().generation)]

    watcher = Watcher(made.index, made.content, ingest, lambda: None)
    for jump in (timedelta(0), YEARS, timedelta(0), YEARS):
        made.today = date(2026, 1, 15) + jump
        now = type("Now", (), {"now": staticmethod(lambda _zone: made.now)})
        monkeypatch.setattr("blog_search_mcp.server.watch.watcher.datetime", now)
        set_clock(monkeypatch, jump)
        for _ in range(5):
            watcher.step()
        assert watcher.notice() is None
    assert ingests == [date(2026, 1, 15), date(2026, 1, 15) + YEARS]
    assert found(made, "zebrafinch") == ["later.md"]
