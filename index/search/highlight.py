"""Find what of a text matched a query, by the analyser that found the text.

So `running` is highlighted for `runs` and 記憶 for 记忆. Function words are highlighted if the
query has no others, as snippets are chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import accumulate, compress, pairwise
from typing import TypeAlias

from blog_search_mcp.index.analysis.query import Query, Word
from blog_search_mcp.index.analysis.scripts import CJK
from blog_search_mcp.index.analysis.tokenizer import (
    TOKEN,
    Term,
    characters,
    fold,
    terms,
    without_final_mark,
)

Span: TypeAlias = tuple[int, int]
"""Characters of a text from the first number on, up to and without the second."""


def highlight(text: str, query: Query, language: str) -> tuple[Span, ...]:
    """The runs of `text`, which is in `language`, that match the query; none touch."""
    spellings = {spelling for word in content_words(query) for spelling in _spellings(word)}
    return merge_spans(
        (term.start, term.end)
        for term in terms(text, language)
        if not spellings.isdisjoint(_spellings_of_term(term))
    )


def highlight_query(query: Query, text: str, language: str) -> tuple[Span, ...]:
    """The runs of the query's own text that stand in `text` too, in any form of the word."""
    present = {spelling for term in terms(text, language) for spelling in _spellings_of_term(term)}
    found = {
        word.exact for word in content_words(query) if not present.isdisjoint(_spellings(word))
    }
    return merge_spans((term.start, term.end) for term in terms(query.text) if term.exact in found)


def content_words(query: Query) -> Sequence[Word]:
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


LONGEST = 40
"""Characters of a word that is remembered: a longer one is seldom written twice."""

_OUTSIDE_RUNS = re.compile(rf"[^\W_{CJK}]")


def find_terms(words: Sequence[str], stems: Iterable[str], language: str = "en") -> Iterator[Term]:
    """Those of the terms of `words` whose stem is one of `stems`.

    No term goes beyond a space, so that a text is given as what stands between its spaces; a
    term's place is that in the text where there is one between any two words.
    """
    wanted = frozenset(stems)
    needed = _OUTSIDE_RUNS if all(map(str.isascii, wanted)) else TOKEN
    having = {
        word
        for word in set(words)
        if (
            not wanted.isdisjoint(_stems(word, language))
            if word.isascii() and len(word) <= LONGEST
            else needed.search(word)
        )
    }
    starts = accumulate((len(word) + 1 for word in words), initial=0)
    for start, word in compress(zip(starts, words, strict=False), map(having.__contains__, words)):
        yield from _of_tokens(word, start, wanted, language)


def _of_tokens(text: str, offset: int, wanted: Set[str], language: str) -> Iterator[Term]:
    for match in TOKEN.finditer(text):
        token = match[0]
        if match.lastgroup == "cjk":
            yield from _of_run(token, offset + match.start(), wanted)
        elif not wanted.isdisjoint(_stems(token, language)):
            yield from _of_word(token, offset + match.start(), wanted, language)


def _of_run(run: str, offset: int, wanted: Set[str]) -> Iterator[Term]:
    own = characters(run)
    folded = [fold(without_final_mark(character)) for character in own]
    pairs = [first + second for first, second in pairwise(folded)] or folded
    if not wanted.isdisjoint(pairs):
        places = list(accumulate(map(len, own), initial=offset))
        for place, pair in enumerate(pairs):
            if pair in wanted:
                yield Term(pair, pair, places[place], places[min(place + 2, len(own))])


def _of_word(word: str, offset: int, wanted: Set[str], language: str) -> Iterator[Term]:
    for stem, exact, start, end in terms(word, language):
        if stem in wanted:
            yield Term(stem, exact, offset + start, offset + end)


@lru_cache(maxsize=16384)
def _stems(word: str, language: str) -> frozenset[str]:
    return frozenset(term.stem for term in terms(word, language))
