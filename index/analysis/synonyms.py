"""Read the tables of synonyms: what a word of a query is called elsewhere.

Taiwan writes 記憶體 for what the mainland calls 内存 and a programmer of either memory, and an
embedder of English knows none of that. Two tables do: what the regions of Chinese call
differently, and what Chinese and Japanese call some thousand words of computing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from blog_search_mcp.index.analysis.tokenizer import stem, to_simplified

_DATA = Path(__file__).parents[1] / "data"

LANGUAGES = ("zh", "ja")
"""Those that the table of computing words has beside English, in its order."""

Table = Mapping[str, Sequence[str]]
"""By word, what else it is called."""


@cache
def synonyms_of(language: str) -> Table:
    """What words of a language are called in English, and in the other region of Chinese."""
    found: dict[str, list[str]] = defaultdict(list)
    for english, others in computing_words(language):
        for other in others:
            found[other].append(english)
    for mainland, taiwan in regional_words() if language == "zh" else ():
        found[mainland].append(taiwan)
        found[taiwan].append(mainland)
    return dict(found)


@cache
def synonyms_of_english(language: str) -> Table:
    """By English stem, what it is called in a language."""
    found: dict[str, list[str]] = defaultdict(list)
    for english, others in computing_words(language):
        found[stem(english, "english")] += others
    return dict(found)


def computing_words(language: str) -> Iterator[tuple[str, Sequence[str]]]:
    """English words and what `language` calls them, in the characters that are searched."""
    if language in LANGUAGES:
        for row in _rows("computing_words.txt"):
            yield row[0], to_simplified(row[1 + LANGUAGES.index(language)]).split()


def regional_words() -> Iterator[Sequence[str]]:
    """What mainland China and what Taiwan says, in the characters that are searched."""
    return _rows("regional_words.txt")


def _rows(name: str) -> Iterator[Sequence[str]]:
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    return (line.split("\t") for line in lines)


@cache
def english_words(language: str) -> Mapping[str, str]:
    """By word of a language, the English one; of several the first."""
    found: dict[str, str] = {}
    for english, others in computing_words(language):
        for other in others:
            found.setdefault(other, english)
    return found
