"""Serving over two pipes: half a character in a line, and the answers at the end."""

import json
from pathlib import Path

import pytest
from mcp.types import JSONRPCRequest

from blog_search_mcp.server.mcp.stdio import parse_line
from tests.support.faults.server_process import META, call, line
from tests.support.front import made
from tests.support.python import run_python


@pytest.mark.parametrize(
    ("sent", "understood"),
    [
        (r"a\ud800b", "a?b"),
        (r"\ud83e\udd14", "🤔"),
        (r"\\ud800", r"\ud800"),
        (r"什麼 \u4ec0 \n", "什麼 什 \n"),
    ],
)
def test_half_a_character_is_replaced_and_all_else_kept(sent: str, understood: str) -> None:
    message = parse_line(
        f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"q":"{sent}"}}}}'.encode()
    )
    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"q": understood}


def test_a_client_that_asks_and_closes_its_end_gets_every_answer(tmp_path: Path) -> None:
    index = made(tmp_path, {"cache.md": "# Caches\n\nA zebrafinch keeps keys and values.\n"}).index
    sent = [
        *(line(id=n, method="tools/list", params={"_meta": META}) for n in range(100)),
        call("read", {"source": "cache.md", "chunk_index": 0}, "read_chunk"),
        call("gone", {"query": "zebrafinch"}),
        line(method="notifications/cancelled", params={"requestId": "gone"}),
    ]
    given = b"".join(sent).decode()
    ran = run_python("-m", "blog_search_mcp", "serve", "--index", index, given=given, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
    replies = {str(reply.get("id")): reply for reply in map(json.loads, ran.stdout.splitlines())}
    assert {*map(str, range(100)), "read"} - replies.keys() == set()
    text = replies["read"]["result"]["content"][0]["text"]
    assert text == "# Caches\n\nA zebrafinch keeps keys and values."
