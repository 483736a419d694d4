"""Find the words of a text that match a query, and those of a query that a text holds.

Spans are marked on the page and in the terminal; a tool's reply has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from blog_search_mcp.index.analysis.query import Query, Word
from blog_search_mcp.index.analysis.tokenizer import Term, find_terms, terms

Span: TypeAlias = tuple[int, int]
"""Characters of a text from the first number on, up to and without the second."""


def highlight(text: str, query: Query, language: str) -> tuple[Span, ...]:
    """The runs of `text`, which is in `language`, that match the query; none touch."""
    return _join_spans(find_terms(text, _stems(_content_words(query)), language))


def highlight_query(query: Query, text: str, language: str) -> tuple[Span, ...]:
    """The runs of the query's own text that stand in `text` too, in any form of the word."""
    words = _content_words(query)
    present = {term.stem for term in find_terms(text, _stems(words), language)}
    matching = {word.exact for word in words if not present.isdisjoint(word.stems)}
    return _join_spans(term for term in terms(query.text) if term.exact in matching)


def _content_words(query: Query) -> Sequence[Word]:
    """The query's words that are no function words, or all if there are no others."""
    return [word for word in query.words if word.weight == 1.0] or query.words


def _stems(words: Iterable[Word]) -> set[str]:
    return {stem for word in words for stem in word.stems}


def _join_spans(matches: Iterable[Term]) -> tuple[Span, ...]:
    """The spans of terms, those that touch or lap over one another as one."""
    runs: list[Span] = []
    for start, end in sorted((term.start, term.end) for term in matches):
        if runs and start <= runs[-1][1]:
            runs[-1] = runs[-1][0], max(end, runs[-1][1])
        else:
            runs.append((start, end))
    return tuple(runs)
