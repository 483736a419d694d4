"""A clock that jumps: ahead, back, and files whose times are of another one."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.server.watch.staleness import StalenessCheck

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.blog import MakeBlog

YEARS = timedelta(days=3 * 365)
JUMPS = {"ahead": YEARS, "back": -YEARS, "a second back": timedelta(seconds=-1)}
SOUP = "# Soup\n\nBoil an onion.\n"
LEEK = "# Soup\n\nBoil a leek..\n"
"""A text of as many bytes as SOUP."""


def set_clock(monkeypatch: pytest.MonkeyPatch, jump: timedelta) -> None:
    """Have ingests begin at the real time plus `jump`."""

    class Moved(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + jump

    monkeypatch.setattr("blog_search_mcp.ingest.plan.datetime", Moved)


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
            assert (report.changed, made.sources_with(word)) == (1, ["soup.md"])
        assert made.ingest().changed == 0
        assert StalenessCheck(made.index, run=lambda work: work()).notice() is None


@pytest.mark.parametrize("year", [1980, 2100])
def test_posts_of_another_time_are_found_and_no_change_for_ever(year: int, blog: MakeBlog) -> None:
    made = blog({"tea.md": "# Tea\n\nA leaf.\n"})
    made.write({"soup.md": SOUP})
    seconds = datetime(year, 1, 1, tzinfo=UTC).timestamp()
    touch(made.content, seconds)
    assert (made.ingest().added, made.sources_with("onion")) == (1, ["soup.md"])
    assert (made.ingest().changed, made.ingest().generation) == (0, 2)
    watch = StalenessCheck(made.index, run=lambda work: work())
    watch.check()
    assert watch.notice() is None
    made.write({"soup.md": LEEK})
    touch(made.content, seconds if year > 2050 else seconds + 1)
    assert (made.ingest().changed, made.sources_with("leek")) == (1, ["soup.md"])
