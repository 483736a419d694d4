from __future__ import annotations

import io
import json
import os

import pytest

from server.in_flight import InFlight
from server.stdio import Replies, mended


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_the_first_reply_has_left_before_it_is_announced() -> None:
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    left: list[bytes] = []
    pipe = io.TextIOWrapper(os.fdopen(write_end, "wb"), encoding="utf-8")
    replies = Replies(pipe, InFlight(), lambda: left.append(os.read(read_end, 100)))

    await replies.write("one\n")
    assert left == []
    for line in ("", "two\n"):
        await replies.write(line)
        await replies.flush()
    assert left == [b"one\n"]

    await replies.aclose()
    os.close(read_end)


@pytest.mark.parametrize(
    ("sent", "understood"),
    [
        (r'{"q": "a\ud800b"}', {"q": "a?b"}),
        (r'{"q": "\uD83E"}', {"q": "?"}),
        (r'{"q": "\ud83e\udd14"}', {"q": "🤔"}),
        (r'{"q": "\\ud800"}', {"q": r"\ud800"}),
        (r'{"q": "\ud800", "n": 1.5}', {"q": "?", "n": 1.5}),
    ],
)
def test_a_line_keeps_its_meaning_when_half_a_character_is_replaced(
    sent: str, understood: dict[str, object]
) -> None:
    line = mended(sent + "\n")
    assert line.endswith("}\n")
    assert line.encode("utf-8")
    assert json.loads(line) == understood


@pytest.mark.parametrize("line", ['{"q": "什麼"}\n', '{"q": "\\ud800"\n', ""])
def test_a_line_without_half_characters_or_without_json_is_left_alone(line: str) -> None:
    assert mended(line) == line
