"""docs/troubleshooting.md has a row for each kind of error that a reader can meet."""

from __future__ import annotations

import re

from blog_search_mcp.index import errors
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(.+?)` \| (\w+) \| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)
KINDS = {name for name, found in vars(errors).items() if isinstance(found, type)}
PARENTS = {base.__name__ for name in KINDS for base in vars(errors)[name].__bases__}
NO_ERRORS = {"Skipped", "notice", "page"}
"""Reasons for a left-out file, sentences beside an answer, and what the page says by itself."""


def test_each_kind_of_error_has_a_row_and_each_row_a_kind() -> None:
    shown = {kind for _, kind, _, _ in ROWS}
    assert shown >= KINDS - PARENTS
    assert shown <= KINDS | NO_ERRORS


def test_no_message_stands_twice_and_each_says_what_to_do() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert len(lines) == len(ROWS) == len({(message, kind) for message, kind, _, _ in ROWS})
