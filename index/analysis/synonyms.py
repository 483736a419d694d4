"""Add synonyms to a query: the other names that a blog may use for its words.

Taiwan writes 記憶體 for what the mainland calls 内存 and a programmer of either memory, and an
embedder of English knows none of that. Two tables do: what the regions of Chinese call
differently, and what Chinese and Japanese call some thousand words of computing. A synonym is a
further stem of the reader's word, the better one counts, and only where the blog uses it at least
as often. Some words mean something else elsewhere (文件 is a document here and a file there), and
a blog that uses the reader's own words needs no others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from blog_search_mcp.index.analysis.languages import CHARACTERS_PER_WORD, CJK, primary_subtag
from blog_search_mcp.index.analysis.query import Query, Word, language_of_query
from blog_search_mcp.index.analysis.tokenizer import TOKEN, stem, terms, to_simplified

_DATA = Path(__file__).parents[1] / "data"

LANGUAGES = ("zh", "ja")
"""Those that the table of computing words has beside English, in its order."""

_EAST_ASIAN = re.compile(f"[{CJK}]")
_PLAIN = re.compile(r"(?<![^\s\"'(])[A-Za-z]+(?![^\s\"'),.:;!?])")
"""A word that stands by itself, and is no part of an identifier, a path or a flag."""

Table = Mapping[str, Sequence[str]]
"""By word, what else it is called."""


def add_synonyms(query: Query, languages: Sequence[str], having: Callable[[str], int]) -> Query:
    """The query with the stems of its words' synonyms beside their own.

    `languages` are those of the blog, and `having` says in how many of its passages a stem is.
    English words in a Chinese or Japanese sentence are names and stay what they are.
    """
    further: dict[str, set[str]] = defaultdict(set)
    for word, other in _synonym_pairs(query, languages):
        own, others = _stems(word), _stems(other)
        if min(map(having, others)) >= max(min(map(having, own)), 1):
            for term, same in _aligned(own, others):
                further[term] |= same
    words = tuple(_with(word, further) for word in query.words)
    return replace(query, words=words) if further else query


def _with(word: Word, further: Mapping[str, Collection[str]]) -> Word:
    more = {same for term in word.stems for same in further.get(term, ())}
    return replace(word, stems=tuple(sorted({*word.stems, *more}))) if more else word


def _synonym_pairs(query: Query, languages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The query's words that have synonyms, with each of these."""
    if _EAST_ASIAN.search(query.text):
        table = _of_language(language_of_query(query.text, languages))
        tokens = TOKEN.finditer(to_simplified(query.text))
        for run in filter(None, (token["cjk"] for token in tokens)):
            yield from ((word, other) for word in words_in(run, table) for other in table[word])
    else:
        for language in sorted({*map(primary_subtag, languages)}.intersection(LANGUAGES)):
            yield from _in_words(query.text, _of_english(language))


def words_in(run: str, table: Collection[str]) -> Iterator[str]:
    """The longest words of the table in a run without spaces, from left to right."""
    longest = max(map(len, table), default=0)
    start = 0
    while start < len(run):
        ends = range(min(start + longest, len(run)), start + 1, -1)
        end = next((end for end in ends if run[start:end] in table), None)
        if end is not None:
            yield run[start:end]
        start = end or start + 1


def _in_words(text: str, table: Table) -> Iterator[tuple[str, str]]:
    for word in _PLAIN.findall(text):
        yield from ((word, other) for other in table.get(_english(word), ()))


def _stems(word: str) -> list[str]:
    return [term.stem for term in terms(word)]


def _english(word: str) -> str:
    return stem(word, "english")


def _aligned(own: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, set[str]]]:
    """Each stem of one word with those of the other at the same place of it, at least one."""
    for place, term in enumerate(own):
        there = {place * len(others) // len(own)}
        there |= {at for at in range(len(others)) if at * len(own) // len(others) == place}
        yield term, {others[at] for at in there}


@cache
def _of_language(language: str) -> Table:
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
def _of_english(language: str) -> Table:
    """By English stem, what it is called in a language."""
    found: dict[str, list[str]] = defaultdict(list)
    for english, others in computing_words(language):
        found[_english(english)] += others
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


LEAST = 2
"""Words that a gloss must have; fewer find nothing that the words themselves do not."""


@cache
def _pieces() -> re.Pattern[str]:
    """Match a run of East Asian characters or a word: for few queries, and slow to compile."""
    return re.compile(rf"(?P<run>[{CJK}]+)|[^\W_{CJK}][\w.:/\-]*")


@dataclass(frozen=True, slots=True)
class Gloss:
    """The words of a query that have an English name."""

    text: str
    share: float
    """Of the query's characters, a Latin word for two of them, in [0, 1]."""


def gloss_in_english(text: str, language: str) -> Gloss | None:
    """The query `text` by its English words, if it is of a language in the table and has enough."""
    if language not in LANGUAGES:
        return None
    pieces = list(_pieces().finditer(to_simplified(text)))
    found = [word for piece in pieces for word in _english_words(piece, _table(language))]
    whole = sum(len(piece["run"] or "") or CHARACTERS_PER_WORD for piece in pieces)
    covered = sum(length for _, length in found)
    words = " ".join(english for english, _ in found)
    return Gloss(words, covered / whole) if len(found) >= LEAST else None


def _english_words(piece: re.Match[str], table: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """The English words of a piece, and how many characters each stands for."""
    if piece["run"] is None:
        yield piece[0], CHARACTERS_PER_WORD
    else:
        yield from ((table[word], len(word)) for word in words_in(piece["run"], table))


@cache
def _table(language: str) -> Mapping[str, str]:
    """By word of a language, the English one; of several the first."""
    found: dict[str, str] = {}
    for english, others in computing_words(language):
        for other in others:
            found.setdefault(other, english)
    return found
