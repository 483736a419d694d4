"""Make foreign text safe to print, put it on one line, compare it, and find ends of sentences."""

import re
import unicodedata
from collections.abc import Callable
from functools import cache, partial


def to_line(words: str) -> str:
    """Return text on one line, without control characters or lone surrogates.

    Characters that reverse the direction of later text are removed; marks of direction stay.
    """
    undirected = re.sub("[\u202a-\u202e\u2066-\u2069]", "", words)
    return one_line(replace_surrogates(re.sub("[\x00-\x1f\x7f-\x9f]", " ", undirected)))


def one_line(text: str) -> str:
    """Put `text` on one line, since text after an author's line break would look like ours."""
    return " ".join(text.split())


@cache
def count_character_columns(character: str) -> int:
    """Count the columns of a terminal that a character takes: 0 for a mark, 2 for a wide one."""
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def count_columns(text: str) -> int:
    """Count the columns of a terminal that a text takes; a Han character takes two."""
    return len(text) if text.isascii() else sum(map(count_character_columns, text))


def shorten(text: str, most: int, measure: Callable[[str], int] = count_columns) -> str:
    """Shorten `text` until it measures at most `most`, with `…` in place of its end."""
    if measure(text) <= most:
        return text
    while text and measure(text) >= most:
        text = text[: max(min(len(text) - 1, most - 1), 0)].rstrip()
    return text + "…"


def replace_surrogates(text: str) -> str:
    """Return the text with `?` for each lone surrogate, which UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def write_sentence_end_pattern(
    marks: str = ".!?", wide_marks: str = "。！？；", closers: str = ""
) -> str:
    """Return a regular expression for the marks that end a sentence, and closing quotes.

    `marks` end a sentence before white space, `wide_marks` anywhere. After `marks` may come quotes,
    brackets and `closers`. A match never begins inside a run of `marks`, since a line of dots would
    then take minutes.
    """
    return (
        f"[{wide_marks}{marks}]"  # by itself, so that `re` skips to the next one: 6 times as fast
        rf"(?:(?<=[{wide_marks}])[{wide_marks}]*[」』”’）]*"
        rf"|(?<=(?<![{marks}])[{marks}])[{marks}]*+[\"')\]{closers}]*+(?=\s))"
    )


compose = partial(unicodedata.normalize, "NFC")
"""Normalize a name (NFC), so that file systems' and keyboards' letters are equal."""
