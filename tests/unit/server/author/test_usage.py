"""The usage log: what is kept of calls, how the file is kept, and what a report makes of it."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.mcp.server import build_server
from blog_search_mcp.server.settings import Settings
from tests.support.front import Blog, made

SECRET = "The merger with Larkspur is still a secret."
POSTS = {"soup.md": "---\ntitle: Onion soup\ndate: 2024-05-06\n---\nBoil an onion in water.\n"}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), POSTS)


def call(blog: Blog, log: Path, *calls: tuple[str, Mapping[str, Any]]) -> None:
    """Call tools of a server that logs."""

    async def send() -> None:
        async with Client(build_server(engine_for(Settings(blog.index)), "author", log)) as client:
            for tool, given in calls:
                await client.call_tool(tool, dict(given))

    anyio.run(send)


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("find_similar", {"text": SECRET}),
        ("find_similar", {"text": SECRET, "top_k": "wrong"}),
        ("search_blog", {"query": {"text": SECRET}}),
        ("search_blog", {"query": "onion", "tag": SECRET}),
    ],
)
def test_only_what_readers_search_for_is_logged(
    blog: Blog, tmp_path: Path, tool: str, given: dict[str, Any]
) -> None:
    log = tmp_path / "new folder" / "log"
    call(blog, log, (tool, given), ("search_blog", {"query": "onion soup"}))
    _, search = lines(log)
    assert [line["tool"] for line in lines(log)] == [tool, "search_blog"]
    assert (search["query"], search["hits"], search["confidence"]) == ("onion soup", 1, "normal")
    assert abs((datetime.now(UTC) - datetime.fromisoformat(search["time"])).total_seconds()) < 300
    assert "Larkspur" not in log.read_text()
    assert os.name == "nt" or stat.S_IMODE(log.stat().st_mode) == 0o600


def test_servers_that_log_at_the_same_time_lose_nothing(blog: Blog, tmp_path: Path) -> None:
    log, queries = tmp_path / "log", [[f"{a} {n}" for n in range(10)] for a in "abcd"]
    threads = [
        threading.Thread(
            target=call, args=(blog, log, *(("search_blog", {"query": query}) for query in asked))
        )
        for asked in queries
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(line["query"] for line in lines(log)) == sorted(chain(*queries))


def weak(query: str, day: str = "2026-03-01", **more: object) -> dict[str, object]:
    """A search that found nothing, unless `more` says otherwise."""
    return {"time": f"{day}T09:00:00Z", "tool": "search_blog", "query": query, "hits": 0, **more}


def write(log: Path, *calls: Mapping[str, object]) -> Path:
    log.write_text("".join(json.dumps(each) + "\n" for each in calls), encoding="utf-8")
    return log


def report(blog: Blog, log: Path) -> Any:
    ran = blog.command("author", "usage", "--usage-log", str(log), "--json")
    assert ran.status == 0, ran.err
    return json.loads(ran.out)


@pytest.mark.parametrize(
    ("calls", "missed"),
    [
        ([weak("rotate keys")], ["rotate keys"]),
        ([weak("rye bread", hits=3, confidence="low")], ["rye bread"]),
        ([weak("rye bread", hits=3, confidence="low", offset=5)], []),
        ([weak("rye bread", hits=3, confidence="medium")], []),
        ([weak("failed", hits=None)], []),
        ([weak("How  to ROTATE?"), weak("how to rotate?")], ["how to rotate?"]),
        ([weak("rye"), weak("walrus tusks"), weak("tusks: walrus")], ["tusks: walrus", "rye"]),
    ],
)
def test_questions_that_the_blog_hardly_answers_are_missed(
    blog: Blog, tmp_path: Path, calls: list[dict[str, object]], missed: list[str]
) -> None:
    gaps = report(blog, write(tmp_path / "log", *calls))["missed"]
    assert [gap["question"] for gap in gaps] == missed


def test_a_report_counts_calls_and_obeys_nothing(blog: Blog, tmp_path: Path) -> None:
    question = "how do walruses\x1b[2J keep water warm\n  99×  forged"
    read = {"time": "2026-03-02T09:00:00Z", "tool": "read_chunk"}
    log = write(tmp_path / "log", weak(question, "2025-12-30"), weak(question), read)
    log.write_text(log.read_text().replace("\n", '\n{"time": "2026-\n', 1))
    facts = report(blog, log)
    assert (facts["calls"], facts["first"], facts["last"]) == (3, "2025-12-30", "2026-03-02")
    assert facts["tools"] == {"search_blog": 2, "read_chunk": 1}
    [gap] = facts["missed"]
    assert (gap["count"], gap["first"], gap["last"]) == (2, "2025-12-30", "2026-03-01")
    text = blog.command("author", "usage", "--usage-log", str(log)).out
    assert ("walruses" in text, "\x1b" in text, "\n  99×" in text) == (True, False, False)


@pytest.mark.parametrize("place", ["none", "."])
def test_without_a_log_nothing_is_reported(blog: Blog, tmp_path: Path, place: str) -> None:
    ran = blog.command("author", "usage", "--usage-log", str(tmp_path / place))
    assert (ran.status, ran.out, str(tmp_path) in ran.err) == (2, "", True)
