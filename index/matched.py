"""Where a text has some of a query's terms: its words and stems in, terms with their places out.

Most words of a text are none of the query's, and the same ones come again in every text. What
stems a word has is remembered, and its terms are looked at only if one of them is wanted; of a
run without spaces, where every pair of characters is a term, only those that are wanted are made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import accumulate, compress, pairwise

from index.analysis import TOKEN, Term, fold, terms
from index.east_asian import CJK, as_spelled, characters

LONGEST = 40
"""Characters of a word that is remembered: a longer one is seldom written twice."""

_OUTSIDE_RUNS = re.compile(rf"[^\W_{CJK}]")


def terms_among(words: Sequence[str], stems: Iterable[str], language: str = "en") -> Iterator[Term]:
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
    folded = [fold(as_spelled(character)) for character in own]
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
