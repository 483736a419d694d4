"""Words that say how a question is put and not what it is about, and what they still weigh.

They are kept, with a small weight: dropping them loses titles made of them,
and on a blog in another language they are so rare that their inverse document
frequency calls them precious.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from index.analysis import fold
from index.languages import function_words

WEIGHT = 0.4
"""What is left of a stop word's say. 1 costs questions over a Chinese blog, a quarter of them in
English, .08 of nDCG@10; 0 costs questions .02 to .03 (`--ablate stopword_weight=1.0`)."""

_GRAMMAR = frozenset(
    "的了是吗呢吧么怎哪谁这那个我你他她它们在和与也都就还要会不没有把被让给从到对于为以而及或但如若很更再又"
    "只才得地着过之其此什几多少时后前里上下中能可该跟等用做"
)
"""Simplified characters that serve grammar more often than meaning."""


def is_stopword(word: str, languages: Iterable[str]) -> bool:
    """Whether `word`, folded, is a function word of any of `languages` or a pair of grammar.

    A pair of Han characters counts if either is grammar, one of kana if it is all hiragana.
    """
    if len(word) == 2 and word[0] > "\u303f":
        return not _GRAMMAR.isdisjoint(word) or all("\u3040" <= c <= "\u309f" for c in word)
    return any(word in _folded(language) for language in languages)


@cache
def _folded(language: str) -> frozenset[str]:
    return frozenset(fold(word) for word in function_words(language))
