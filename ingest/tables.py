"""A passage that begins inside a table comes in; it goes out with a head, so that it is a table.

A long table is cut between rows, and rows alone are a paragraph to a Markdown parser: one line
of words and bars in which no row can be told from the next.
"""

import re
from itertools import takewhile

_ROW = re.compile(r" {0,3}\|.*\|[ \t]*")
_BEGINS = re.compile(r"\n* {0,3}\|")
_DELIMITERS = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")


def headed(passage: str) -> str:
    """Put an empty head before rows that have none; a row with more cells would lose them."""
    if not _BEGINS.match(passage):
        return passage
    lines = passage.lstrip("\n").split("\n")
    rows = list(takewhile(_ROW.fullmatch, lines))
    if not rows or any(map(_DELIMITERS.fullmatch, lines[1:2])):
        return passage
    columns = max(row.count("|") for row in rows) - 1
    return f"{'|' * (columns + 1)}\n|{'-|' * columns}\n{passage.lstrip(chr(10))}"
