"""Find the words of a text that match a query.

Spans are marked on the page and in the terminal; a tool's reply has none.
"""

from __future__ import annotations

from typing import TypeAlias

from blog_search_mcp.index.analysis.query import Query
from blog_search_mcp.index.analysis.tokenizer import find_terms

Span: TypeAlias = tuple[int, int]
"""Characters of a text from the first number on, up to and without the second."""


def highlight(text: str, query: Query, language: str) -> tuple[Span, ...]:
    """The runs of `text`, which is in `language`, that match the query; none touch.

    Function words count only where a query has no other words.
    """
    words = [word for word in query.words if word.weight == 1.0] or query.words
    matches = find_terms(text, {stem for word in words for stem in word.stems}, language)
    runs: list[Span] = []
    for start, end in sorted((term.start, term.end) for term in matches):
        if runs and start <= runs[-1][1]:
            runs[-1] = runs[-1][0], max(end, runs[-1][1])
        else:
            runs.append((start, end))
    return tuple(runs)
