"""The usage log: what is noted of a call, how the file is kept, and what the report says."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import stat
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client

from blog_search_mcp.server import usage as usage_module
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.tools.registry import CORE, EXTENDED
from blog_search_mcp.server.usage import KEPT_FILES, LoggedCall, UsageLog
from tests.support.server_fixtures import FixedSearcher

if TYPE_CHECKING:
    from collections.abc import Mapping

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def call(query: str, **more: Any) -> LoggedCall:
    facts: dict[str, Any] = {"time": NOON, "tool": "search_blog", "ms": 10, "hits": 3, **more}
    return LoggedCall(query=query, confidence=facts.pop("confidence", "high"), **facts)


async def asked(log: UsageLog, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What is noted of one call, but for its time."""
    server = build_server(FixedSearcher(), EXTENDED, [log])
    async with Client(server) as client:
        await client.call_tool(tool, dict(given))
    *_, last = log.calls()
    facts = last.model_dump(exclude_defaults=True)
    assert datetime.now(UTC) - facts.pop("time") < timedelta(minutes=5)
    assert facts.pop("ms") >= 0
    return facts


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("tool", "given", "noted"),
    [
        (
            "search_blog",
            {"query": "kv cache", "top_k": 1, "response_format": "markdown"},
            {"query": "kv cache", "hits": 3, "top_score": 0.812, "confidence": "medium"},
        ),
        (
            "search_blog",
            {"query": "nothing"},
            {"query": "nothing", "hits": 0, "confidence": "medium"},
        ),
        ("search_blog", {"query": "crash"}, {"query": "crash", "failed": True}),
        ("search_blog", {"query": 7}, {"failed": True}),
        ("read_chunk", {"source": "notes.md", "chunk_index": 0}, {}),
        ("list_posts", {}, {"failed": True}),
    ],
)
async def test_a_call_is_noted_with_what_came_of_it(
    tool: str, given: dict[str, Any], noted: dict[str, Any], tmp_path: Path
) -> None:
    assert await asked(UsageLog(tmp_path / "log"), tool, given) == {"tool": tool, **noted}


def test_a_line_is_json_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "usage.jsonl"
    UsageLog(path).append(call("how?", top_score=0.5))
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "time": "2026-01-02T12:00:00Z",
        "tool": "search_blog",
        "query": "how?",
        "ms": 10,
        "hits": 3,
        "top_score": 0.5,
        "confidence": "high",
    }
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_full_file_makes_room_and_the_oldest_calls_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage_module, "LARGEST_FILE", 1)  # each call fills a file
    log = UsageLog(tmp_path / "log")
    for number in range(KEPT_FILES + 3):
        log.append(call(str(number)))
    kept = [str(number) for number in range(2, KEPT_FILES + 3)]
    assert [each.query for each in log.calls()] == kept
    names = {path.name for path in tmp_path.iterdir() if path.suffix != ".lock"}
    assert names == {"log", *(f"log.{number}" for number in range(1, KEPT_FILES + 1))}


def noting(path: Path, name: str) -> None:
    usage_module.LARGEST_FILE = 2_000
    usage_module.LOCK_WAIT = 60.0
    usage_module.KEPT_FILES = 50
    for number in range(40):
        UsageLog(path).append(call(f"{name} {number}"))


@pytest.mark.slow
def test_servers_that_write_at_the_same_time_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage_module, "KEPT_FILES", 50)
    path = tmp_path / "log"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=noting, args=(path, name)) for name in "ab"]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    wanted = {f"{name} {number}" for name in "ab" for number in range(40)}
    found = [each.query for each in UsageLog(path).calls()]
    assert (len(found), set(found)) == (80, wanted)


def test_threads_share_one_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage_module, "LOCK_WAIT", 60.0)
    log = UsageLog(tmp_path / "log")
    threads = [
        threading.Thread(target=log.append, args=(call(str(number)),)) for number in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {each.query for each in log.calls()} == {str(number) for number in range(20)}


@pytest.mark.anyio
async def test_an_answer_is_given_even_if_it_cannot_be_noted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    server = build_server(FixedSearcher(), CORE, [UsageLog(tmp_path / "file" / "log")])
    with caplog.at_level(logging.WARNING, logger="blog_search_mcp.server.usage"):
        async with Client(server) as client:
            result = await client.call_tool("search_blog", {"query": "cache"})
    assert not result.is_error
    [record] = caplog.records
    assert record.getMessage().startswith("A call could not be noted in the usage log: ")


@pytest.mark.parametrize(
    ("torn", "told"),
    [
        (1, "Of log 1 line is no call and left out."),
        (1_200, "Of log 1,200 lines are no call and left out."),
    ],
)
def test_torn_lines_are_passed_over_and_counted(
    torn: int, told: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = UsageLog(tmp_path / "log")
    log.append(call("first"))
    with (tmp_path / "log").open("ab") as file:
        file.write(b'{"time": "2026-\n' * torn)
    log.append(call("last"))
    assert [each.query for each in log.calls()] == ["first", "last"]
    assert [record.getMessage() for record in caplog.records] == [told]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_a_pipe_or_a_device_is_no_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OSError, match="Not a regular file"):
            list(UsageLog(path).calls())
    UsageLog(tmp_path / "pipe").append(call("first"))
    [record] = caplog.records
    assert record.getMessage().startswith("A call could not be noted in the usage log: ")


@pytest.mark.anyio
async def test_the_calls_of_one_client_are_known_as_its_own(tmp_path: Path) -> None:
    noted = await asked(UsageLog(tmp_path / "log", "a1b2"), "get_outline", {"source": "notes.md"})
    assert noted["session"] == "a1b2"


@pytest.mark.anyio
async def test_without_a_log_nothing_is_written(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    async with Client(build_server(FixedSearcher())) as client:
        await client.call_tool("search_blog", {"query": "cache"})
    assert list(tmp_path.iterdir()) == []
