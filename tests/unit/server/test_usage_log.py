"""What the usage log keeps of calls, and how much of it a report looks up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.registry import AUTHOR
from blog_search_mcp.server.usage import UsageLog
from tests.support.front import Blog, made

SECRET = "The merger with Larkspur is still a secret."


@pytest.fixture
def blog(tmp_path: Path) -> Blog:
    return made(tmp_path, {"soup.md": "# Onion soup\n\nBoil an onion in water and add salt.\n"})


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
    blog: Blog, tool: str, given: dict[str, Any]
) -> None:
    log = blog.index.with_name("log")

    async def call() -> None:
        engine = engine_for(Settings(blog.index))
        async with Client(build_server(engine, AUTHOR, [UsageLog(log)])) as client:
            await client.call_tool(tool, given)
            await client.call_tool("search_blog", {"query": "boil an onion"})

    anyio.run(call)
    logged = [json.loads(line) for line in log.read_text().splitlines()]
    assert [each["tool"] for each in logged] == [tool, "search_blog"]
    assert logged[1]["query"] == "boil an onion"
    assert "Larkspur" not in log.read_text()


def test_a_report_searches_for_no_more_than_the_most_frequent_questions(blog: Blog) -> None:
    """Each of them is answered by now, so that none fills the list."""
    log = blog.index.with_name("log")
    call = {"time": "2026-03-01T09:00:00Z", "tool": "search_blog", "ms": 8, "hits": 0}
    calls = [{**call, "query": "Onion soup" + "!" * number} for number in range(900)]
    log.write_text("\n".join(map(json.dumps, calls)))
    report = json.loads(blog.command("author", "usage", "--usage-log", str(log), "--json").out)
    assert report["missed"] == []
    assert 0 < report["answered"] <= 100
    assert report["more"] > 400
