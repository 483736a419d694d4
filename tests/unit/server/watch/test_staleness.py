"""Notices that posts have changed: what is told of which change, and that no answer waits."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from blog_search_mcp.server.watch import staleness
from blog_search_mcp.server.watch.staleness import StalenessCheck
from tests.support.faults.server_process import MODERN, Process
from tests.support.front import Blog, made

SOUP = "# Soup\n\nBoil an onion.\n"
EDITED = "# Soup\n\nBoil an onion and salt it.\n"


LEFT = "---\ndraft: true\n---\nLeft.\n"


@pytest.fixture
def blog(tmp_path: Path) -> Blog:
    posts = {"soup.md": SOUP, "onion.md": "Onions.\n", "left.md": LEFT, ".blogignore": "later/\n"}
    return made(tmp_path, posts)


def notice(blog: Blog) -> str:
    """What a search says of the posts, empty if nothing."""
    answer = json.loads(blog.command("search", "--json", "onion").out)
    told = str(answer.get("notice") or "")
    return told if "changed" in told else ""


def edit(blog: Blog) -> None:
    blog.write({"soup.md": EDITED})


def add_and_edit(blog: Blog) -> None:
    blog.write({"soup.md": EDITED, "tea.md": "Tea.\n", "notes.txt": "No.", "later/a.md": "No."})


def touch(blog: Blog) -> None:
    os.utime(blog.content / "soup.md", ns=(10**18, 10**18))


def remove(blog: Blog) -> None:
    (blog.content / "soup.md").unlink()


def edit_draft(blog: Blog) -> None:
    blog.write({"left.md": "---\ndraft: true\n---\nLeft again.\n"})


@pytest.mark.parametrize(
    ("change", "count"),
    [
        (edit, "1 post "),
        (add_and_edit, "2 posts "),
        (remove, "1 "),
        (edit_draft, "1 "),
        (touch, "1 "),
    ],
)
def test_posts_that_changed_are_counted_until_they_are_ingested(
    blog: Blog, change: Callable[[Blog], None], count: str
) -> None:
    assert notice(blog) == ""
    change(blog)
    assert count in notice(blog)
    blog.ingest()
    assert notice(blog) == ""


def test_posts_that_were_moved_are_asked_for_until_they_are_ingested(blog: Blog) -> None:
    moved = Blog(blog.content.rename(blog.content.with_name("moved")), blog.index)
    assert "blog-search-mcp setup" in notice(moved)
    moved.ingest()
    assert notice(moved) == ""


def test_one_comparison_runs_at_a_time_holds_up_no_caller_and_is_good_for_an_interval(
    blog: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[Callable[[], None]] = []
    check = StalenessCheck(blog.index, waiting.append)
    edit(blog)
    for _ in range(3):
        check.check()
    assert (check.notice(), len(waiting)) == (None, 1)
    waiting.pop()()
    assert check.notice()
    blog.write({"soup.md": SOUP})
    check.check()
    assert waiting == []
    monkeypatch.setattr(staleness, "INTERVAL", 0.0)
    check.check()
    assert len(waiting) == 1


def ask_until(server: Process, wanted: Callable[[str], bool]) -> str:
    """Search until the notice is as wanted: comparisons run beside the answers."""
    for _ in range(100):
        reply = server.call("search_blog", {"query": "onion soup", "response_format": "json"})
        told = str(reply["structuredContent"].get("notice", ""))
        if wanted(told):
            return told
        time.sleep(0.1)
    raise AssertionError(told)


def test_a_server_tells_without_a_path_that_a_post_was_edited_until_it_is_ingested(
    blog: Blog, tmp_path: Path
) -> None:
    edit(blog)
    server = Process(blog.index, MODERN)
    told = ask_until(server, lambda notice: "changed" in notice)
    assert str(tmp_path) not in told
    assert blog.ingest().status == 0
    ask_until(server, lambda notice: "changed" not in notice)
    assert server.rest() == (0, b"", b"")
