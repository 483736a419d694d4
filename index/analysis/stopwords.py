"""Words that say how a question is put and not what it is about, and what they still weigh.

They are kept, with a small weight: dropping them loses titles made of them,
and on a blog in another language they are so rare that their inverse document
frequency calls them precious.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from blog_search_mcp.index.analysis.languages import function_words, primary_subtag
from blog_search_mcp.index.analysis.tokenizer import fold

WEIGHT = 0.4
"""What is left of a stop word's say. 1 costs questions over a Chinese blog, a quarter of them in
English, .08 of nDCG@10; 0 costs questions .02 to .03 (`--ablate stopword_weight=1.0`)."""

_GRAMMAR = frozenset(
    "的了是吗呢吧么怎哪谁这那个我你他她它们在和与也都就还要会不没有把被让给从到对于为以而及或但如若很更再又"
    "只才得地着过之其此什几多少时后前里上下中能可该跟等用做"
)
"""Simplified characters that serve grammar more often than meaning, in Chinese."""

_PAIR = 2


def is_stopword(word: str, languages: Collection[str]) -> bool:
    """Whether `word`, folded, is a function word of any of `languages` or made of grammar.

    A Han character or pair counts in Chinese, if either is grammar: in Japanese the same
    characters make words (時間, 使用). One or two kana count if they are all hiragana.
    """
    if len(word) <= _PAIR and word[:1] > "\u303f":
        chinese = any(primary_subtag(language) == "zh" for language in languages)
        grammar = chinese and not _GRAMMAR.isdisjoint(word)
        return grammar or all("\u3040" <= c <= "\u309f" for c in word)
    return any(word in _folded(language) for language in languages)


@cache
def _folded(language: str) -> frozenset[str]:
    return frozenset(fold(word) for word in function_words(language))
