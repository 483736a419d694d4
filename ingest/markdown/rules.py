"""Rules for what site generators and editors add to Markdown: how it begins and what replaces it.

Each kind of syntax is a module of rules (`ingest.markdown.shortcodes`, `ingest.markdown.mdx`,
`ingest.markdown.admonitions`); `ingest.markdown.preprocess` applies them all in one pass, outside
code, and the leftmost wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
"""Noncharacters that stand for braces which are text, until every rule has been applied."""


class Replacement(NamedTuple):
    """What a reader sees of a piece of syntax."""

    words: str
    """Markdown; empty if nothing is seen."""
    end: int
    """Where the piece ends in the text."""


Reader: TypeAlias = Callable[[re.Match[str]], Replacement | None]
"""Replaces syntax whose beginning was found; `None` if it is no such syntax after all."""


class Rule(NamedTuple):
    """One kind of syntax."""

    opening: str
    """Regular expression, multi-line; its groups are named, and named once in all rules."""
    read: Reader


_ARGUMENT = re.compile(
    r"(?<![\w-])(?:title|caption|alt|label|summary)=\{?(?:\"([^\"]*)\"|'([^']*)'|`([^`$]*)`)",
    re.IGNORECASE,
)


def printed_arguments(source: str) -> str:
    """Join the arguments of a shortcode or component that generators print."""
    found = _ARGUMENT.finditer(source)
    return " ".join(filter(None, (argument[argument.lastindex or 0] for argument in found)))


def pad(words: str) -> str:
    """Put spaces around words that are not empty."""
    return f" {words} " if words else ""


def drop_match(match: re.Match[str]) -> Replacement:
    """Replace the match by nothing."""
    return Replacement("", match.end())


def protect_braces(source: str) -> str:
    """Mark braces as text, so that no rule takes them for syntax."""
    return source.replace("{", _OPEN).replace("}", _CLOSE)


def restore_braces(words: str) -> str:
    """Undo `protect_braces`."""
    return words.replace(_OPEN, "{").replace(_CLOSE, "}")


def find_closing(match: re.Match[str], closing: re.Pattern[str], word: str) -> re.Match[str] | None:
    """Find what closes a beginning; `word` is part of every closing, and quickly looked for."""
    if match.string.find(word, match.end()) < 0:
        return None
    return closing.search(match.string, match.end())
