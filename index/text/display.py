"""Words that others wrote, made safe to write, to show on one line of a width and to compare."""

import re
import unicodedata
from collections.abc import Callable
from functools import cache, partial


def to_line(words: str) -> str:
    """Put words on one line, without control characters or halves of a surrogate pair.

    Those that turn the direction of what follows them count; marks of direction do not.
    """
    undirected = re.sub("[\u202a-\u202e\u2066-\u2069]", "", words)
    return one_line(replace_surrogates(re.sub("[\x00-\x1f\x7f-\x9f]", " ", undirected)))


def one_line(text: str) -> str:
    """Put `text` on one line: what follows a break of the author's would read as ours."""
    return " ".join(text.split())


@cache
def count_character_columns(character: str) -> int:
    """Count the columns of a terminal that a character takes: 0 for a mark, 2 for a wide one."""
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def count_columns(text: str) -> int:
    """Count columns as a terminal does: a Han character takes two, and more bytes."""
    return len(text) if text.isascii() else sum(map(count_character_columns, text))


def shorten(text: str, most: int, measure: Callable[[str], int] = count_columns) -> str:
    """Shorten `text` until it measures `most` at most, with `…` where its end is missing."""
    if measure(text) <= most:
        return text
    while text and measure(text) >= most:
        text = text[: max(min(len(text) - 1, most - 1), 0)].rstrip()
    return text + "…"


def replace_surrogates(text: str) -> str:
    """Return the text with `?` for each lone surrogate, which UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


compose = partial(unicodedata.normalize, "NFC")
"""Gives a name the form that is one for a file system's and a keyboard's letters."""
