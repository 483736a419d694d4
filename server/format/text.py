"""Fit text into one line, a width in columns, JSON or UTF-8."""

from __future__ import annotations

import json
from typing import Any
from unicodedata import east_asian_width

QUOTED = 80
"""Characters of a refused value that a message quotes."""


def to_json(value: Any) -> str:
    """Write compact JSON; Chinese stays itself, one character a letter."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def replace_surrogates(text: str) -> str:
    """Replace each lone surrogate, which UTF-8 cannot carry, by `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


def quote(value: object) -> str:
    """Quote a refused value, shortened to QUOTED characters."""
    text = replace_surrogates(repr(value))
    return text if len(text) <= QUOTED else text[:QUOTED] + "…"


def one_line(text: str) -> str:
    """Put `text` on one line: what follows a break of the author's would read as ours."""
    return " ".join(text.split())


def count_columns(text: str) -> int:
    """Count columns as a terminal does: a Han character takes two, and more bytes."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def shorten(text: str, width: int) -> str:
    """Shorten `text` to at most `width` columns, with `…` where its end is missing."""
    if count_columns(text) <= width:
        return text
    text = text[:width]
    while count_columns(text) >= width:
        text = text[:-1].rstrip()
    return text + "…"
