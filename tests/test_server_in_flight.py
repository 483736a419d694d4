from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from server.in_flight import InFlight
from tests.blog import MakeBlog

ASK = '{"jsonrpc":"2.0","id":1,"method":"tools/call"}'


def settles(*lines: tuple[str, str]) -> bool:
    """Whether nothing waits after these lines, each marked `<` from or `>` to the client."""
    in_flight = InFlight()
    for way, line in lines:
        (in_flight.asked if way == "<" else in_flight.answered)(line)

    async def at_once() -> bool:
        with anyio.move_on_after(0.05):
            await in_flight.settled()
            return True
        return False

    return anyio.run(at_once)


@pytest.mark.parametrize(
    ("lines", "settled"),
    [
        ([], True),
        ([("<", ASK)], False),
        ([("<", ASK), (">", '{"jsonrpc":"2.0","id":1,"result":{}}')], True),
        ([("<", ASK), (">", '{"jsonrpc":"2.0","id":1,"error":{"code":-32602}}')], True),
        ([("<", ASK), (">", '{"jsonrpc":"2.0","id":"1","result":{}}')], False),
        ([("<", ASK), (">", '{"jsonrpc":"2.0","method":"notifications/message"}')], False),
        ([("<", '{"jsonrpc":"2.0","method":"notifications/initialized"}')], True),
        (
            [
                ("<", ASK),
                ("<", '{"method":"notifications/cancelled","params":{"requestId":1}}'),
            ],
            True,
        ),
        ([("<", "not JSON"), ("<", "[1, 2]"), ("<", "[" * 100_000)], True),
    ],
)
def test_the_end_waits_for_what_was_asked_and_not_answered(
    lines: list[tuple[str, str]], settled: bool
) -> None:
    assert settles(*lines) is settled


def test_a_client_that_asks_and_closes_its_end_gets_every_answer(blog: MakeBlog) -> None:
    made = blog({"cache.md": "# Caches\n\nA zebrafinch keeps keys and values.\n"})
    started = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}
    started["clientInfo"] = {"name": "pipe", "version": "1"}
    search = {"name": "read_chunk", "arguments": {"source": "cache.md", "chunk_index": 0}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": started},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": search},
    ]
    ran = subprocess.run(
        [sys.executable, "-m", "server", "--index", str(made.layout.root)],
        input="".join(json.dumps(message) + "\n" for message in messages),
        cwd=Path(__file__).parents[1],
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    replies = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [reply["id"] for reply in replies] == [1, 2]
    text = replies[1]["result"]["content"][0]["text"]
    assert text == "# Caches\n\nA zebrafinch keeps keys and values."
