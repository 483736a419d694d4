from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from mcp.types import JSONRPCRequest, JSONRPCResponse

from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.settings import MESSAGE_BYTES
from blog_search_mcp.server.stdio.transport import (
    MAX_IN_FLIGHT,
    Refusal,
    parse_line,
    serve,
    write_message,
)
from tests.support.faults.server_process import META, MODERN, call, line, opening
from tests.support.python import run_python
from tests.support.served import indexed
from tests.support.server_fixtures import FixedSearcher

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Answer, Filters


class Stuck(FixedSearcher):
    """A searcher whose answers wait until they are released."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()

    def search(self, query: str, filters: Filters, *, limit: int, offset: int) -> Answer:
        self.released.wait()
        return super().search(query, filters, limit=limit, offset=offset)


def conversation(
    *lines: bytes,
    searcher: FixedSearcher | None = None,
    on_first: Callable[[], None] = lambda: None,
) -> tuple[list[dict[str, object]], list[int]]:
    """What a server replies to these lines, and how many had left at each announcement."""
    replies, announced = io.BytesIO(), list[int]()

    def announce(is_first: bool) -> None:
        if is_first:
            announced.append(replies.getvalue().count(b"\n"))
            on_first()

    async def within() -> None:
        with anyio.fail_after(60):
            await serve(build_server(searcher or FixedSearcher()), requests, replies, announce)

    requests = io.BytesIO(b"".join(lines))
    anyio.run(within)
    return [json.loads(reply) for reply in replies.getvalue().splitlines()], announced


def test_the_first_reply_has_left_when_it_is_announced_and_only_then() -> None:
    listing = line(id=2, method="tools/list", params={"_meta": META})
    replies, announced = conversation(opening(MODERN), listing)
    assert {reply["id"] for reply in replies} == {"opening", 2}
    assert announced == [1]


def test_a_client_that_says_nothing_gets_nothing() -> None:
    assert conversation() == ([], [])


def test_all_that_was_asked_is_answered_before_the_end() -> None:
    asked = [line(id=n, method="tools/list", params={"_meta": META}) for n in range(300)]
    replies, _ = conversation(*asked)
    assert sorted(str(reply["id"]) for reply in replies) == sorted(str(n) for n in range(300))


def test_no_more_is_read_than_can_be_in_flight() -> None:
    asked = [call(n, {"query": "cache"}) for n in range(MAX_IN_FLIGHT * 2)]
    requests, replies, stuck = io.BytesIO(b"".join(asked)), io.BytesIO(), Stuck()
    lines_read: list[int] = []

    async def release() -> None:
        await anyio.sleep(0.3)
        lines_read.append(requests.getvalue()[: requests.tell()].count(b"\n"))
        stuck.released.set()

    async def within() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(release)
            tasks.start_soon(serve, build_server(stuck), requests, replies, lambda _: None)

    anyio.run(within)
    assert lines_read[0] <= MAX_IN_FLIGHT + 1
    assert replies.getvalue().count(b"\n") == len(asked)


def test_a_cancelled_call_gives_its_place_back() -> None:
    cancelled = b"".join(
        call(n, {"query": "cache"})
        + line(method="notifications/cancelled", params={"requestId": str(n)})
        for n in range(MAX_IN_FLIGHT * 3)
    )
    stuck, last = Stuck(), line(id="last", method="ping", params={"_meta": META})
    replies, _ = conversation(cancelled, last, searcher=stuck, on_first=stuck.released.set)
    assert [reply["id"] for reply in replies] == ["last"]


def test_a_client_that_asks_and_closes_its_end_gets_every_answer(tmp_path: Path) -> None:
    index = indexed(tmp_path, {"cache.md": "# Caches\n\nA zebrafinch keeps keys and values.\n"})
    started = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}
    started["clientInfo"] = {"name": "pipe", "version": "1"}
    search = {"name": "read_chunk", "arguments": {"source": "cache.md", "chunk_index": 0}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": started},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": search},
    ]
    sent = "".join(json.dumps(message) + "\n" for message in messages)
    ran = run_python("-m", "blog_search_mcp.server", "--index", index, given=sent)
    assert ran.returncode == 0, ran.stderr
    replies = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [reply["id"] for reply in replies] == [1, 2]
    text = replies[1]["result"]["content"][0]["text"]
    assert text == "# Caches\n\nA zebrafinch keeps keys and values."


PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def said(sent: bytes, batching: bool = False) -> list[tuple[object, int | str]]:
    """By message of a line: its id, and its method or the code of its refusal."""
    return [
        (each.id, each.error.code) if isinstance(each, Refusal) else (each.id, each.method)
        for each in parse_line(sent, batching)
        if isinstance(each, Refusal | JSONRPCRequest)
    ]


@pytest.mark.parametrize(
    ("sent", "parsed"),
    [
        (PING + b"\r\n", [(1, "ping")]),
        (b"\xef\xbb\xbf" + PING, [(1, "ping")]),
        (b" \r\n", []),
        (b'{"a": NaN}', [(None, -32700)]),
        (b"[" * (MESSAGE_BYTES + 1), [(None, -32600)]),
        (b'{"id": "\\ud800",' + b"[" * 100_000, [(None, -32700)]),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', [(1, -32602)]),
        (b'{"jsonrpc":"2.0","id":1}', [(1, -32600)]),
        (b'{"jsonrpc":"2.0","id":"a","method":7}', [("a", -32600)]),
        (b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}', [(None, -32600)]),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', [(None, -32600)]),
        (b'{"jsonrpc":"2.0","id":1,"result":"of the client\'s own"}', [(None, -32600)]),
        (b"[" + PING + b"]", [(None, -32600)]),
    ],
)
def test_a_line_that_is_no_message_is_answered_by_its_id(
    sent: bytes, parsed: list[tuple[object, int | str]]
) -> None:
    assert said(sent) == parsed


def test_a_batch_is_its_messages_where_its_version_was_agreed_on() -> None:
    assert said(b"[" + PING + b",7," + PING + b"]", batching=True) == [
        (1, "ping"),
        (None, -32600),
        (1, "ping"),
    ]
    assert said(b"[]", batching=True) == [(None, -32600)]


@pytest.mark.parametrize(
    ("sent", "understood"),
    [
        (r"a\ud800b", "a?b"),
        (r"\uD83E", "?"),
        (r"\ud83e\udd14", "🤔"),
        (r"\udd14\ud83e", "??"),
        (r"\ud83e\ud83e\udd14", "?🤔"),
        (r"\\ud800", r"\ud800"),
        (r"\\\ud800", r"\?"),
        (r"什麼 \u4ec0 \n", "什麼 什 \n"),
    ],
)
def test_half_a_character_is_replaced_and_all_else_kept(sent: str, understood: str) -> None:
    line = f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"q":"{sent}"}}}}'
    [message] = parse_line(line.encode(), batching=False)
    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"q": understood}


def test_half_a_character_in_an_answer_ends_nothing() -> None:
    answer = JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "a\ud800b"})
    assert json.loads(write_message(answer))["result"] == {"text": "a?b"}
