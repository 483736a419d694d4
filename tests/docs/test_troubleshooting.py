"""Code and docs/troubleshooting.md say the same: each message has a row, each row a message."""

from __future__ import annotations

import re

import pytest

from tests.support.messages import Message, every_message, messages_of
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(.+?)` \| (\w+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
ROWS = [Message(found[2], found[1]) for found in ROW.finditer(PAGE)]


def test_every_message_of_the_code_has_a_row_on_the_page() -> None:
    missing = sorted(every_message() - set(ROWS))
    rows = "\n".join(f"| `{said.lead}` | {said.kind} | WHY | WHAT TO DO |" for said in missing)
    assert not missing, f"Add to docs/troubleshooting.md, with why and what to do:\n{rows}"


def test_every_row_of_the_page_is_a_message_of_the_code() -> None:
    gone = sorted(set(ROWS) - every_message())
    rows = "\n".join(f"| `{said.lead}` | {said.kind} |" for said in gone)
    assert not gone, f"Take out of docs/troubleshooting.md, or word as the code does:\n{rows}"


def test_no_row_stands_twice_and_none_is_left_unfinished() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert len(lines) == len(ROWS) == len(set(ROWS))
    assert not [line for line in lines if "WHY" in line or "WHAT TO DO" in line]


@pytest.mark.parametrize(
    ("made", "lead"),
    [
        ('UsageError("It is so. Do this.")', "It is so"),
        ('UsageError(f"{name} is {value!r:.20}" " for `ever`.")', "… is … for ever"),
        ('UsageError(said(1)) from error\ndef said(n):\n    return "Thus."', "Thus"),
        ("UsageError(str(error)) from error", None),
        ("UsageError(found.words)", "(found.words, whose words cannot be told)"),
        ("ValueError('It is so.')", None),
    ],
)
def test_a_message_is_read_from_the_code_that_makes_it(made: str, lead: str | None) -> None:
    expected = set() if lead is None else {Message("UsageError", lead)}
    assert messages_of(f"def f():\n    raise {made}\n") == expected


def test_a_message_kept_in_a_variable_or_returned_is_read_too() -> None:
    code = """
def f(error):
    message = f"{error} happened. Go on."
    raise IndexBroken(message) from error
def g():
    return IndexProblem("No room. Make some.")
"""
    broken, full = Message("IndexBroken", "… happened"), Message("IndexProblem", "No room")
    assert messages_of(code) == {broken, full}
