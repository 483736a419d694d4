"""Say a query in other words: what its words are called elsewhere, or in English.

Taiwan writes 記憶體 for what the mainland calls 内存 and a programmer of either memory, and an
embedder of English knows none of that. Two tables do: what the regions of Chinese call
differently, and what Chinese and Japanese call some thousand words of computing.

A synonym is a further stem of the reader's word, the better one counts, and only where the blog
uses it at least as often. Some words mean something else elsewhere (文件 is a document here and a
file there), and a blog that uses the reader's own words needs no others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, product, starmap
from pathlib import Path
from typing import NamedTuple

from blog_search_mcp.index.analysis.languages import CHARACTERS_PER_WORD, CJK, primary_subtag
from blog_search_mcp.index.analysis.query import PLAIN_WORD, Query, is_bigram
from blog_search_mcp.index.analysis.tokenizer import stem, terms, to_simplified

_DATA = Path(__file__).parents[1] / "data"

LANGUAGES = ("zh", "ja")
"""Those that the table of computing words has beside English, in its order."""

LEAST_GLOSS = 2
"""Words that a gloss must have; fewer find nothing that the words themselves do not."""

Names = Sequence[str]
"""A word, and what else it is called."""


def _rows(name: str) -> Iterator[Names]:
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    return (line.split("\t") for line in lines)


class Tables(NamedTuple):
    """What words of one language are called elsewhere, in the characters that are searched."""

    synonyms: dict[str, list[str]]
    """In English, and in the other region of Chinese."""
    of_english: dict[str, list[str]]
    """By English stem, what it is called in the language."""
    english: dict[str, str]
    """The English word; of several the first."""


@cache
def _read_tables(language: str) -> Tables:
    tables = Tables(defaultdict(list), defaultdict(list), {})
    for name, *columns in _rows("computing_words.txt") if language in LANGUAGES else ():
        for word in to_simplified(columns[LANGUAGES.index(language)]).split():
            tables.synonyms[word].append(name)
            tables.of_english[stem(name, "en")].append(word)
            tables.english.setdefault(word, name)
    for mainland, taiwan in _rows("regional_words.txt") if language == "zh" else ():
        tables.synonyms[mainland].append(taiwan)
        tables.synonyms[taiwan].append(mainland)
    return tables


def add_synonyms(query: Query, languages: Sequence[str], having: Callable[[str], int]) -> Query:
    """The query with the stems of its words' synonyms beside their own.

    `languages` are those of the blog, and `having` says in how many of its passages a stem is.
    English words in a Chinese or Japanese sentence are names and stay what they are.
    """
    further: dict[str, set[str]] = defaultdict(set)

    def are_said(word: str, other: str) -> bool:
        own, others = _stems(word), _stems(other)
        return min(map(having, others)) >= max(min(map(having, own)), 1)

    for word, *others in _find_names(query, languages, are_said):
        for other in others:
            for term, same in _align(_stems(word), _stems(other)):
                further[term] |= same
    stems = [{*w.stems}.union(*(further.get(stem, ()) for stem in w.stems)) for w in query.words]
    words = zip(query.words, stems, strict=True)
    return replace(query, words=tuple(replace(w, stems=tuple(sorted(s))) for w, s in words))


def _find_names(
    query: Query, languages: Sequence[str], are_said: Callable[[str, str], bool]
) -> Iterator[Names]:
    """The words of the query, each with those of its synonyms that `are_said`.

    Where two words meet in a run without spaces, the pair of characters that spans them is a word
    as well: 加载动态 is 載入動態 elsewhere, so 载动 is 入動.
    """
    runs = _RUN.findall(to_simplified(query.text))
    if runs:
        table = _read_tables(query.language).synonyms
        for run in runs:
            names = [
                (word, *(other for other in table.get(word, ()) if are_said(word, other)))
                for word in _split_run(run, table)
            ]
            yield from names
            yield from starmap(_span, pairwise(names))
        return
    for language in sorted({*map(primary_subtag, languages)}.intersection(LANGUAGES)):
        of_english = _read_tables(language).of_english
        for word in PLAIN_WORD.findall(query.text):
            others = of_english.get(stem(word, "en"), ())
            yield word, *(other for other in others if are_said(word, other))


def _span(left: Names, right: Names) -> Names:
    """The last character of one word with the first of the next, by what each is called."""
    pairs = [first[-1] + second[0] for first, second in product(left, right)]
    return pairs[0], *filter(is_bigram, pairs[1:])


def _split_run(run: str, table: Collection[str]) -> Iterator[str]:
    """A run without spaces as the longest words of the table, from left to right.

    What is between these is given by single characters.
    """
    longest = max(map(len, table), default=0)
    start = 0
    while start < len(run):
        ends = range(min(start + longest, len(run)), start + 1, -1)
        end = next((end for end in ends if run[start:end] in table), start + 1)
        yield run[start:end]
        start = end


def _stems(word: str) -> list[str]:
    return [term.stem for term in terms(word)]


def _align(own: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, set[str]]]:
    """Each stem of one word with those of the other at the same place of it, at least one."""
    for place, term in enumerate(own):
        there = {place * len(others) // len(own)}
        there |= {at for at in range(len(others)) if at * len(own) // len(others) == place}
        yield term, {others[at] for at in there}


_RUN = re.compile(f"[{CJK}]+")


_PIECE = rf"(?P<run>[{CJK}]+)|[^\W_{CJK}][\w.:/\-]*"
"""A run of East Asian characters or a word: for few queries, and slow to compile."""


def gloss_in_english(text: str, language: str) -> tuple[str, float] | None:
    """The words of a query that have an English name, in English, and their share of it in [0, 1].

    A Latin word counts as two characters. None if the language is not in the table or too few have.
    """
    if language not in LANGUAGES:
        return None
    table, words, covered, whole = _read_tables(language).english, list[str](), 0, 0
    for piece in re.finditer(_PIECE, to_simplified(text)):
        if piece["run"] is None:
            named = [(piece[0], CHARACTERS_PER_WORD)]
        else:
            parts = filter(table.__contains__, _split_run(piece["run"], table))
            named = [(table[part], len(part)) for part in parts]
        words += [word for word, _ in named]
        covered += sum(length for _, length in named)
        whole += len(piece["run"] or "") or CHARACTERS_PER_WORD
    return (" ".join(words), covered / whole) if len(words) >= LEAST_GLOSS else None
