"""What a reader must know beside a page of hits: the page comes in, sentences or nothing go out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Answer, Filters
    from blog_search_mcp.server.tools.arguments import SearchArguments

_PATH = re.compile(
    r"(?<![\w.:/\\~-])(?:file://|~|[A-Za-z]:)?"
    r"(?:[/\\][^\s/\\'\"`,;:()]+)+[/\\]([^\s/\\'\"`,;:()]+)"
)
"""An absolute path of two names or more; a URL's path has no space before it."""
_CREDENTIALS = re.compile(r"(?<=://)[^\s/@]+@")


def for_clients(sentence: str) -> str:
    """Leave of each absolute path its last name, and of each URL no user nor password."""
    return _PATH.sub(r"…/\1", _CREDENTIALS.sub("", sentence))


def notice_of(answer: Answer, asked: SearchArguments) -> str | None:
    """Say what the reader must know: a leg that did not answer, why the page is empty."""
    said = [for_clients(answer.notice)] if answer.notice else []
    if not answer.hits:
        said.append(_why_empty(answer, asked))
    return " ".join(said) or None


def _why_empty(answer: Answer, asked: SearchArguments) -> str:
    if answer.total:
        return f"offset {asked.offset} is past the last hit: {answer.total} in all, from 0."
    set_filters = _names(asked.filters)
    if set_filters:
        return (
            f"No post matches this query within {set_filters}. "
            "Leave filters out, or try other words."
        )
    return "No post matches this query. Try other words, or fewer and plainer ones."


def _names(filters: Filters) -> str:
    values = {
        "section": filters.section,
        "tag": filters.tag,
        "after": filters.after,
        "before": filters.before,
    }
    return ", ".join(f"{name}={value!r}" for name, value in values.items() if value is not None)
