"""Which language a text is in: text in, a two-letter code out.

It decides by which rules words are stemmed and which of them are mere grammar.
Scripts tell Chinese, Japanese and Korean; for the rest the language whose
function words occur most is taken, as a third of any running text is made of
them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache

from index.function_words import FUNCTION_WORDS

STEMMERS = {
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
"""Snowball's algorithms by language; Latin words in any other language's posts are stemmed as
English, which is what technical terms mostly are."""

LEAST_SHARE = 0.08
"""Share of function words that names a language; running text of any has .25 and more, text
made of identifiers next to none."""

LEAST_POSTS = 0.05
"""Share of the posts from which on their language's stems are looked up for every query."""

SAMPLE = 20_000
"""Characters looked at: more would not change the answer."""

_KANA = "\u3040-\u30ff\uff66-\uff9f"
_HANGUL = "\uac00-\ud7af"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SCRIPTS = {
    code: re.compile(f"[{letters}]+")
    for code, letters in {"ja": _KANA, "ko": _HANGUL, "zh": _HAN}.items()
}
_WORD = re.compile(rf"(?:[a-z]++|[^\W\d_a-z{_KANA}{_HANGUL}{_HAN}]++)++")
_DOTTED = "\u0130"
"""The only letter of which lower case is more than one character, and would be two words."""

KANA_SHARE = 0.1
"""Share of kana among the East Asian characters that makes a text Japanese: Japanese prose has
half, Chinese none."""

CHARACTERS_PER_WORD = 2
"""East Asian characters that count as one word where scripts are weighed against each other."""

WORDS_PER_FUNCTION_WORD = 3
"""Words of running text for each function word in it; by these Latin text is weighed, since code
is Latin whatever language it is explained in."""


@lru_cache(maxsize=64)
def language_of(text: str) -> str:
    """The language of `text` as ISO 639-1; `en` where none stands out."""
    sample = text[:SAMPLE]
    kinds = {code: sum(map(len, found.findall(sample))) for code, found in _SCRIPTS.items()}
    counts = Counter(_WORD.findall(sample.replace(_DOTTED, "I").lower()))
    said = {code: _said(counts, code) for code in FUNCTION_WORDS}
    best = max(said, key=lambda code: (said[code], code == "en"))
    if sum(kinds.values()) > CHARACTERS_PER_WORD * WORDS_PER_FUNCTION_WORD * said[best]:
        return _east_asian(kinds)
    return best if said[best] and said[best] >= LEAST_SHARE * counts.total() else "en"


def spoken(posts: Mapping[str, int]) -> tuple[str, ...]:
    """The languages that a query is looked up in, the commonest first, of posts counted by theirs.

    Each further one costs a look-up of every word, so those of a few posts are left out.
    """
    ordered = sorted(posts, key=lambda code: (-posts[code], code))
    least = LEAST_POSTS * sum(posts.values())
    return tuple(code for code in ordered if posts[code] >= least) or ("en",)


def stemmer_of(language: str) -> str:
    """Snowball's algorithm for the Latin words of a post in `language` (`de`, `pt-br`, `zh-tw`)."""
    return STEMMERS.get(primary(language), "english")


def primary(language: str) -> str:
    """The language alone of a tag that may name a script or a region too."""
    return language.partition("-")[0].lower()


@cache
def function_words(language: str) -> frozenset[str]:
    """The language's function words; none for a language without a list."""
    return frozenset(FUNCTION_WORDS.get(primary(language), "").split())


def _east_asian(kinds: Mapping[str, int]) -> str:
    characters = sum(kinds.values())
    if kinds["ko"] * 2 > characters:
        return "ko"
    return "ja" if kinds["ja"] >= KANA_SHARE * characters else "zh"


def _said(counts: Mapping[str, int], language: str) -> int:
    """How many of the words are function words of the language."""
    return sum(counts[word] for word in counts.keys() & function_words(language))
