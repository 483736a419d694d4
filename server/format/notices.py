"""Sentences beside an answer, and what of them a client may not read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Answer, Filters

_PATH = re.compile(
    r"(?<![\w.:/\\~-])(?:file://|~|[A-Za-z]:)?"
    r"(?:[/\\][^\s/\\'\"`,;:()]+)+[/\\]([^\s/\\'\"`,;:()]+)"
)
"""An absolute path of two names or more; a URL's path has no space before it."""
_CREDENTIALS = re.compile(r"(?<=://)[^\s/@]+@")


def for_clients(sentence: str) -> str:
    """Cut each absolute path to its last name, and user and password out of each URL."""
    return _PATH.sub(r"…/\1", _CREDENTIALS.sub("", sentence))


def explain_page(answer: Answer, filters: Filters) -> str | None:
    """Return what the reader must know: a retriever that did not answer, why the page is empty."""
    sentences = [for_clients(answer.notice)] if answer.notice else []
    if not answer.hits:
        sentences.append(_why_empty(answer, filters))
    return " ".join(sentences) or None


def _why_empty(answer: Answer, filters: Filters) -> str:
    if answer.total:
        return f"offset {answer.offset} is past the last hit: {answer.total} in all, from 0."
    values = {name: getattr(filters, name) for name in ("section", "tag", "after", "before")}
    given = ", ".join(f"{name}={value!r}" for name, value in values.items() if value is not None)
    if given:
        return f"No post matches this query within {given}. Leave filters out, or try other words."
    return "No post matches this query. Try other words, or fewer and plainer ones."
