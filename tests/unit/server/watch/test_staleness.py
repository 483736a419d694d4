"""Notices that posts have changed: no answer waits for one, none is out of date for long."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.engine import Engine, IndexStatus
from blog_search_mcp.server.watch.staleness import INTERVAL, LOST, StalenessCheck
from tests.support.served import ingest, write
from tests.support.wire import wire

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.blog import Blog, MakeBlog
    from tests.support.wire import Wire

SOUP = "# Soup\n\nBoil an onion.\n"
EDITED = "# Soup\n\nBoil an onion and salt it.\n"


class Clock:
    """A time that passes when the test says so."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC) + timedelta(hours=1)

    def __call__(self) -> datetime:
        return self.now


class Watched:
    """A blog, its check, and the comparisons that were started and have not run yet."""

    def __init__(self, made: Blog, content: Path | None = None) -> None:
        self.made = made
        self.clock = Clock()
        self.waiting: list[Callable[[], None]] = []
        self.watch = StalenessCheck(made.index, content, self.clock, self.waiting.append)

    def checked(self) -> str | None:
        """Compare, if it is time to, and return the notice."""
        self.watch.check()
        while self.waiting:
            self.waiting.pop()()
        return self.watch.notice()


def notice_of(count: int) -> str:
    posts, them = ("1 post has", "it") if count == 1 else (f"{count} posts have", "them")
    return (
        f"{posts} changed since the index was made 1 hour ago; "
        f"to include {them}: `blog-search-mcp ingest CONTENT --index INDEX`."
    )


@pytest.fixture
def watched(blog: MakeBlog) -> Watched:
    return Watched(blog({"soup.md": SOUP}))


def test_there_is_no_notice_while_nothing_has_changed(watched: Watched) -> None:
    assert watched.checked() is None


def test_a_comparison_does_not_hold_up_the_caller(watched: Watched) -> None:
    watched.made.write({"soup.md": EDITED})
    watched.watch.check()
    assert watched.watch.notice() is None
    assert len(watched.waiting) == 1
    assert watched.checked() == notice_of(1)


def test_a_comparison_is_good_for_an_interval_and_no_longer(watched: Watched) -> None:
    assert watched.checked() is None
    watched.made.write({"soup.md": EDITED, "tea.md": "Tea.\n"})
    watched.clock.now += INTERVAL - timedelta(microseconds=1)
    assert watched.checked() is None
    watched.clock.now += timedelta(microseconds=1)
    assert watched.checked() == notice_of(2)


def test_a_clock_that_was_set_back_does_not_stop_the_comparisons(watched: Watched) -> None:
    assert watched.checked() is None
    watched.made.write({"soup.md": EDITED})
    watched.clock.now -= timedelta(minutes=5)
    assert watched.checked() is not None


def test_one_comparison_runs_at_a_time(watched: Watched) -> None:
    watched.watch.check()
    watched.clock.now += 2 * INTERVAL
    watched.watch.check()
    assert len(watched.waiting) == 1


def test_a_thread_that_cannot_be_started_holds_up_no_later_comparison(blog: MakeBlog) -> None:
    refused = [RuntimeError("can't start new thread")]

    def run(compare: Callable[[], None]) -> None:
        if refused:
            raise refused.pop()
        compare()

    made = blog({"soup.md": SOUP})
    made.write({"soup.md": EDITED})
    watch = StalenessCheck(made.index, None, run=run)
    with suppress(RuntimeError):
        watch.check()
    watch.check()
    assert watch.notice()


def test_an_ingest_takes_the_notice_back_at_once(watched: Watched) -> None:
    watched.made.write({"soup.md": EDITED})
    assert watched.checked() == notice_of(1)
    watched.made.ingest()
    assert watched.watch.notice() is None
    assert watched.checked() is None


def test_a_folder_of_posts_that_is_gone_is_said(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    watched = Watched(made)
    assert watched.checked() is None
    made.content.rename(made.content.with_name("moved"))
    watched.clock.now += INTERVAL
    assert watched.checked() == LOST
    made.content.with_name("moved").rename(made.content)
    watched.clock.now += INTERVAL
    assert watched.checked() is None


def test_posts_that_moved_are_compared_where_the_user_says(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    moved = made.content.rename(made.content.with_name("moved"))
    assert Watched(made).checked() == LOST
    (moved / "soup.md").write_text(EDITED, encoding="utf-8")
    assert Watched(made, moved).checked() == notice_of(1)


def test_without_an_index_there_is_no_notice_and_one_that_appears_is_compared(
    watched: Watched,
) -> None:
    current = watched.made.layout.current.read_bytes()
    watched.made.layout.current.unlink()
    watched.made.write({"soup.md": EDITED})
    assert watched.checked() is None
    watched.made.layout.current.write_bytes(current)
    watched.clock.now += INTERVAL
    assert watched.checked() == notice_of(1)


def test_both_tools_add_the_notice_to_their_own(watched: Watched) -> None:
    watched.made.write({"soup.md": EDITED})
    engine = Engine(watched.made.follow, IndexStatus(watched.made.index), watched.watch)
    assert engine.search("onion", Filters(), limit=1, offset=0).notice is None
    watched.checked()
    assert engine.read("soup.md", 0, 0).notice == notice_of(1)
    answer = engine.search("onion", Filters(), limit=1, offset=0)
    before = watched.made.reader().search("onion", Filters(), limit=1, offset=0).notice
    assert answer.notice == " ".join(filter(None, (before, notice_of(1))))


def found(server: Wire, number: int) -> dict[str, object]:
    facts: dict[str, object] = server.call(number, "search_blog", {"query": "onion soup"})[
        "structuredContent"
    ]
    return facts


def asked_until(server: Wire, wanted: Callable[[str], bool]) -> str:
    """Search until the notice is as wanted: comparisons run beside the answers."""
    for number in range(100):
        notice = str(found(server, number).get("notice", ""))
        if wanted(notice):
            return notice
        time.sleep(0.1)
    raise AssertionError(notice)


def test_a_server_notes_that_a_post_was_edited_until_it_is_ingested(
    tmp_path: Path,
) -> None:
    content, index = write(tmp_path / "content", {"soup.md": SOUP}), tmp_path / "index"
    ingest(content, index)
    write(content, {"soup.md": EDITED})
    with wire(index) as server:
        notice = asked_until(server, lambda notice: "changed" in notice)
        assert notice.endswith(
            "1 post has changed since the index was made less than a minute ago; "
            "to include it: `blog-search-mcp ingest CONTENT --index INDEX`."
        )
        read = server.call(200, "read_chunk", {"source": "soup.md", "chunk_index": 0})
        assert read["content"][1]["text"].splitlines()[-1] == f"notice: {notice}"
        assert str(tmp_path) not in str(read)
        ingest(content, index)
        assert "changed" not in str(found(server, 300))
        assert server.rest() == (b"", b"")
