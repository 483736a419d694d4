"""What of a text matched: an analysed query and a text come in, runs of characters go out.

The same analyser that found a text says which of its words did it, so that `running` is marked
for `runs` and 記憶 for 记忆. Words that only say how a question is put are marked if there are
no others, as previews are chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from index.analysis import Term, terms
from index.query import Query, Word

Span: TypeAlias = tuple[int, int]
"""Characters of a text from the first number on, up to and without the second."""


def marks(text: str, query: Query, language: str) -> tuple[Span, ...]:
    """The runs of `text`, which is in `language`, that match the query; none touch."""
    wanted = {spelling for word in telling(query) for spelling in _spellings(word)}
    return joined(
        (term.start, term.end)
        for term in terms(text, language)
        if not wanted.isdisjoint(_said(term))
    )


def answered(query: Query, text: str, language: str) -> tuple[Span, ...]:
    """The runs of the query's own text that stand in `text` too, in any form of the word."""
    there = {spelling for term in terms(text, language) for spelling in _said(term)}
    found = {word.exact for word in telling(query) if not there.isdisjoint(_spellings(word))}
    return joined((term.start, term.end) for term in terms(query.text) if term.exact in found)


def telling(query: Query) -> Sequence[Word]:
    """The words that say what the query is about, or all if none does."""
    return [word for word in query.words if word.weight == 1.0] or query.words


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
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


def _said(term: Term) -> Iterator[tuple[str, str]]:
    yield "exact", term.exact
    yield "stem", term.stem
