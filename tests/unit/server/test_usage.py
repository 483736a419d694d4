"""The usage log: what is kept of calls, how the file is kept, and what a report makes of it."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.registry import AUTHOR
from blog_search_mcp.server.usage import LARGEST_FILE, UsageLog
from tests.support.front import Blog, made

SECRET = "The merger with Larkspur is still a secret."
POSTS = {"soup.md": "---\ntitle: Onion soup\ndate: 2024-05-06\n---\nBoil an onion in water.\n"}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), POSTS)


def call(blog: Blog, log: Path, *calls: tuple[str, Mapping[str, Any]]) -> list[bool]:
    """Call tools of a server that logs; returns which answers are errors."""

    async def send() -> list[bool]:
        engine = engine_for(Settings(blog.index))
        async with Client(build_server(engine, AUTHOR, [UsageLog(log)])) as client:
            results = [await client.call_tool(tool, dict(given)) for tool, given in calls]
        return [bool(result.is_error) for result in results]

    return anyio.run(send)


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("find_similar", {"text": SECRET}),
        ("suggest_links", {"text": SECRET}),
        ("find_similar", {"text": SECRET, "top_k": "wrong"}),
        ("timeline", {"subject": SECRET}),
        ("search_blog", {"query": {"text": SECRET}}),
        ("search_blog", {"query": "onion", "tag": SECRET}),
    ],
)
def test_only_what_readers_search_for_is_logged(
    blog: Blog, tmp_path: Path, tool: str, given: dict[str, Any]
) -> None:
    log = tmp_path / "log"
    call(blog, log, (tool, given), ("search_blog", {"query": "boil an onion"}))
    logged = lines(log)
    assert [line["tool"] for line in logged] == [tool, "search_blog"]
    assert logged[1]["query"] == "boil an onion"
    assert "Larkspur" not in log.read_text()


def test_a_line_says_when_and_how_many_were_found_and_how_surely(
    blog: Blog, tmp_path: Path
) -> None:
    log = tmp_path / "new folder" / "log"
    call(blog, log, ("search_blog", {"query": "onion soup"}), ("read_chunk", {"source": "soup.md"}))
    search, read = lines(log)
    assert (search["hits"], search["confidence"]) == (1, "high")
    assert abs((datetime.now(UTC) - datetime.fromisoformat(search["time"])).total_seconds()) < 300
    assert "hits" not in read
    if os.name == "posix":
        assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_servers_that_log_at_the_same_time_lose_nothing(blog: Blog, tmp_path: Path) -> None:
    log = tmp_path / "log"
    threads = [
        threading.Thread(
            target=call,
            args=(blog, log, *(("search_blog", {"query": f"{name} {n}"}) for n in range(10))),
        )
        for name in "abcd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {line["query"] for line in lines(log)} == {f"{a} {n}" for a in "abcd" for n in range(10)}
    assert len(lines(log)) == 40


def weak(query: str, day: str = "2026-03-01", **more: object) -> dict[str, object]:
    """A search that found nothing, unless `more` says otherwise."""
    return {"time": f"{day}T09:00:00Z", "tool": "search_blog", "query": query, "hits": 0, **more}


def write(log: Path, *calls: Mapping[str, object]) -> Path:
    log.write_text("".join(json.dumps(each) + "\n" for each in calls), encoding="utf-8")
    return log


def report(blog: Blog, log: Path, *options: str) -> Any:
    return json.loads(
        blog.command("author", "usage", "--usage-log", str(log), "--json", *options).out
    )


def test_a_full_log_makes_room_and_its_calls_are_still_reported(blog: Blog, tmp_path: Path) -> None:
    log = tmp_path / "log"
    for _ in range(2):
        write(log, *[weak("x" * 300)] * (LARGEST_FILE // 300))
        call(blog, log, ("search_blog", {"query": "onion"}))
        assert len(lines(log)) == 1
    assert sum(file.stat().st_size for file in tmp_path.glob("log*")) < 2 * LARGEST_FILE
    assert report(blog, log)["calls"] == LARGEST_FILE // 300 + 1


def test_a_torn_line_is_passed_over(blog: Blog, tmp_path: Path) -> None:
    log = write(tmp_path / "log", weak("first"), weak("last"))
    log.write_text(log.read_text().replace("\n", '\n{"time": "2026-\n', 1))
    assert report(blog, log)["calls"] == 2


@pytest.mark.parametrize(
    ("calls", "missed"),
    [
        ([weak("rotate keys")], [["rotate keys"]]),
        ([weak("rye bread", hits=3, confidence="low")], [["rye bread"]]),
        ([weak("rye bread", hits=3, confidence="low", offset=5)], []),
        ([weak("rye bread", hits=3, confidence="medium")], []),
        ([weak("what an author asks", tool="timeline")], []),
        ([weak("failed", hits=None)], []),
        ([weak("Onion soup")], []),
        ([weak("How  to ROTATE?"), weak("how to rotate?")], [["how to rotate?"]]),
        (
            [weak("rye bread"), *[weak("walrus tusks")] * 2, weak("tusks of a walrus")],
            [["walrus tusks", "tusks of a walrus"], ["rye bread"]],
        ),
    ],
)
def test_questions_that_the_blog_hardly_answers_are_missed_in_groups(
    blog: Blog, tmp_path: Path, calls: list[dict[str, object]], missed: list[list[str]]
) -> None:
    gaps = report(blog, write(tmp_path / "log", *calls))["missed"]
    assert [gap["questions"] for gap in gaps] == missed


def test_a_group_says_how_often_when_why_and_what_is_nearest(blog: Blog, tmp_path: Path) -> None:
    question = "how do walruses keep water warm"
    log = write(
        tmp_path / "log", weak(question, "2025-12-30"), weak(question, hits=2, confidence="low")
    )
    [gap] = report(blog, log)["missed"]
    assert (gap["count"], gap["first"], gap["last"]) == (2, "2025-12-30", "2026-03-01")
    assert gap["reasons"] == {"nothing found": 1, "low confidence": 1}
    assert gap["nearest"]["source"] == "soup.md"
    text = blog.command("author", "usage", "--usage-log", str(log)).out
    assert all(words in text for words in (question, "Onion soup", "2025-12-30"))


def test_a_report_counts_the_calls_of_each_tool_from_a_day_on(blog: Blog, tmp_path: Path) -> None:
    read = {"time": "2026-03-02T09:00:00Z", "tool": "read_chunk"}
    log = write(tmp_path / "log", weak("old", "2025-01-01"), weak("new"), read)
    assert report(blog, log)["tools"] == {"search_blog": 2, "read_chunk": 1}
    recent = report(blog, log, "--since", "2026-01-01")
    assert (recent["calls"], recent["first"], recent["last"]) == (2, "2026-03-01", "2026-03-02")
    ran = blog.command("author", "usage", "--usage-log", str(log), "--since", "2026-04-01")
    assert (ran.status, ran.out) == (2, "")


def test_a_question_obeys_no_terminal(blog: Blog, tmp_path: Path) -> None:
    log = write(tmp_path / "log", weak("rye\x1b[2J bread\n  99×  forged"))
    text = blog.command("author", "usage", "--usage-log", str(log)).out
    assert "\x1b" not in text
    assert "\n  99×" not in text


@pytest.mark.parametrize("place", [None, "none", "."])
def test_without_a_log_nothing_is_reported(blog: Blog, tmp_path: Path, place: str | None) -> None:
    ran = blog.command(
        "author", "usage", *(["--usage-log", str(tmp_path / place)] if place else [])
    )
    assert (ran.status, ran.out) == (2, "")
    assert ran.err


def test_without_an_index_the_questions_are_reported_all_the_same(tmp_path: Path) -> None:
    log = write(tmp_path / "log", weak("rye bread"))
    told = report(Blog(tmp_path, tmp_path / "none"), log)
    assert [gap["questions"] for gap in told["missed"]] == [["rye bread"]]
    assert "blog-search-mcp ingest" in told["notice"]
