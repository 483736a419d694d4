"""`blog-search-mcp author usage`: what an author is told of the usage log."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from blog_search_mcp.cli import program
from blog_search_mcp.index.command_line import run as run_program
from blog_search_mcp.server.cli import usage_report
from blog_search_mcp.server.cli.usage_report import OFF, report, summarise, usage
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.usage import LoggedCall, UsageLog

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def call(query: str, **more: Any) -> LoggedCall:
    facts: dict[str, Any] = {"time": NOON, "tool": "search_blog", "ms": 10, "hits": 3, **more}
    return LoggedCall(query=query, confidence=facts.pop("confidence", "high"), **facts)


def test_the_report_says_what_is_used_and_what_is_slow() -> None:
    calls = [
        call("kv cache", ms=30),
        call("rye\x1b[2J", hits=0, ms=1_200, time=NOON - timedelta(days=3)),
        call("kv cache", ms=20, failed=True),
        call("{}", tool="read_chunk", hits=None, ms=5),
    ]
    offered = ["search_blog", "read_chunk", "list_posts", "get_outline"]
    assert report(summarise(calls, offered)) == [
        "4 calls from 2025-12-30 to 2026-01-02.",
        "",
        "                 calls  failed  median ms  slowest ms",
        "search_blog          3       1         30       1,200",
        "read_chunk           1       0          5           5",
        "Never used: list_posts, get_outline.",
        "",
        "Slowest:",
        "    1,200 ms  search_blog  rye␛[2J",
        "       30 ms  search_blog  kv cache",
        "       20 ms  search_blog  kv cache",
        "        5 ms  read_chunk  {}",
    ]


@pytest.fixture
def log(tmp_path: Path, blog: MakeBlog, monkeypatch: pytest.MonkeyPatch) -> UsageLog:
    """A log beside a blog of one post, on soup."""
    made = blog({"soup.md": "---\ntitle: Onion soup\ndate: 2024-05-06\n---\nBoil an onion.\n"})
    monkeypatch.setattr(usage_report, "engine_for_one", lambda _: made.engine())
    return UsageLog(tmp_path / "log")


def run(tmp_path: Path, *options: str) -> int:
    log = ["--usage-log", str(tmp_path / "log")]
    return run_program(program, ["author", "usage", *log, *options])


def test_questions_alike_stand_together_with_the_nearest_post(
    log: UsageLog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log.append(call("walrus tusks", hits=0, time=NOON - timedelta(days=40)))
    log.append(call("onion bread in a wood oven", confidence="low"))
    log.append(call("Tusks of a  walrus\x1b[2J", confidence="low"))
    log.append(call("walrus tusks", hits=0))
    assert run(tmp_path) == 0
    told = capsys.readouterr().out.partition("What readers miss")[2].splitlines()
    assert told == [
        " (questions alike stand together):",
        "     3×  walrus tusks  (nothing found 2, low confidence 1; 2025-11-23 to 2026-01-02)",
        "         also: Tusks of a walrus␛[2J",
        "     1×  onion bread in a wood oven  (low confidence; 2026-01-02)",
        "         nearest: Onion soup (2024-05-06, medium confidence)",
    ]


def test_the_report_can_begin_at_a_day(
    log: UsageLog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log.append(call("walrus tusks", hits=0, time=NOON - timedelta(days=40)))
    assert run(tmp_path, "--since", "2026-01-01") == 1
    assert capsys.readouterr().err == f"{tmp_path / 'log'} holds no calls since 2026-01-01.\n"
    assert run(tmp_path, "--since", "2025-11-23") == 0


def test_the_report_is_printed_as_json(
    log: UsageLog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log.append(call("onion bread in a wood oven", confidence="low"))
    assert run(tmp_path, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    [missed] = told.pop("missed")
    assert missed["nearest"].pop("score") > 0
    assert missed == {
        "questions": ["onion bread in a wood oven"],
        "count": 1,
        "reasons": {"low confidence": 1},
        "first": "2026-01-02",
        "last": "2026-01-02",
        "nearest": {
            "source": "soup.md",
            "title": "Onion soup",
            "date": "2024-05-06",
            "chunk_index": 0,
            "confidence": "medium",
        },
    }
    assert (told["calls"], told["more"], told["answered"]) == (1, 0, 0)
    assert told["tools"][0]["name"] == "search_blog"


def test_a_blog_that_answers_all_is_told_so(
    log: UsageLog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log.append(call("onion soup"))
    assert run(tmp_path) == 0
    assert capsys.readouterr().out.endswith("\nEvery question found something the blog says.\n")


def test_the_command_says_how_to_begin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    off = Settings(tmp_path, "")
    assert usage(off) == 1
    assert capsys.readouterr() == ("", f"{OFF}\n")
    path = tmp_path / "log"
    assert usage(Settings(tmp_path, "", usage_log=path)) == 1
    assert capsys.readouterr() == ("", f"{path} holds no calls yet.\n")


def test_without_an_index_the_questions_are_reported_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    UsageLog(tmp_path / "log").append(call("rye bread", hits=0))
    assert run(tmp_path, "--index", str(tmp_path / "none")) == 0
    told = capsys.readouterr().out
    assert told.startswith("1 call from 2026-01-02 to 2026-01-02.\n")
    assert "     1×  rye bread  (nothing found; 2026-01-02)\n" in told
    assert "ingest CONTENT" in told.splitlines()[-1]
