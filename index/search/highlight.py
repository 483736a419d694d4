"""Find the words of a text that match a query, and those of a query that a text holds.

Spans are marked on the page and in the terminal; a tool's reply has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from blog_search_mcp.index.analysis.query import Query, Word
from blog_search_mcp.index.analysis.tokenizer import Term, terms

Span: TypeAlias = tuple[int, int]
"""Characters of a text from the first number on, up to and without the second."""


def highlight(text: str, query: Query, language: str) -> tuple[Span, ...]:
    """The runs of `text`, which is in `language`, that match the query; none touch."""
    spellings = {spelling for word in _content_words(query) for spelling in _spellings(word)}
    return merge_spans(
        (term.start, term.end)
        for term in terms(text, language)
        if not spellings.isdisjoint(_spellings_of_term(term))
    )


def highlight_query(query: Query, text: str, language: str) -> tuple[Span, ...]:
    """The runs of the query's own text that stand in `text` too, in any form of the word."""
    present = {spelling for term in terms(text, language) for spelling in _spellings_of_term(term)}
    found = {
        word.exact for word in _content_words(query) if not present.isdisjoint(_spellings(word))
    }
    return merge_spans((term.start, term.end) for term in terms(query.text) if term.exact in found)


def _content_words(query: Query) -> Sequence[Word]:
    """The query's words that are no function words, or all if there are no others."""
    return [word for word in query.words if word.weight == 1.0] or query.words


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in order, those that touch or lap over one another as one."""
    runs: list[Span] = []
    for start, end in sorted(spans):
        if runs and start <= runs[-1][1]:
            runs[-1] = runs[-1][0], max(end, runs[-1][1])
        else:
            runs.append((start, end))
    return tuple(runs)


def _spellings(word: Word) -> Iterator[tuple[str, str]]:
    yield "exact", word.exact
    yield from (("stem", stem) for stem in word.stems)


def _spellings_of_term(term: Term) -> Iterator[tuple[str, str]]:
    yield "exact", term.exact
    yield "stem", term.stem
