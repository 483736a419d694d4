"""Add synonyms to a query: other regions' words, or English ones.

Taiwan writes 記憶體 for the mainland's 内存, and programmers of both write memory. An English
embedder knows neither Chinese word. One table has words that differ between the Chinese regions.
Another has the Chinese and Japanese names of some thousand words of computing.

A synonym is another stem of the query's word; the best stem counts. A synonym is added only if the
blog uses it, and as often as the word or more. A blog that uses the reader's words needs no others,
and some words differ in meaning (文件 is a file on the mainland and a document in Taiwan).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, product

from blog_search_mcp.index.text.languages import CHARACTERS_PER_WORD, CJK, primary_subtag, read_rows
from blog_search_mcp.index.text.query import PLAIN_WORD, Query, is_fragment
from blog_search_mcp.index.text.tokenizer import stem, terms, to_simplified

LANGUAGES = ("zh", "ja")
"""Languages of the table of computing words besides English, in the order of its columns."""


@cache
def _read_table(language: str) -> Mapping[str, list[str]]:
    """Return synonyms of a language's words: English names first, then other regions' words.

    The stem of an English name has the words with that name. All are in Simplified characters.
    """
    table = defaultdict[str, list[str]](list)
    for row in read_rows("computing_words.txt") if language in LANGUAGES else ():
        name, *columns = row.split("\t")
        for word in to_simplified(columns[LANGUAGES.index(language)]).split():
            table[word].append(name)
            table[stem(name, "en")].append(word)
    for row in read_rows("regional_words.txt") if language == "zh" else ():
        mainland, taiwan = row.split("\t")
        table[mainland].append(taiwan)
        table[taiwan].append(mainland)
    return table


def add_synonyms(
    query: Query, languages: Sequence[str], frequency_of: Callable[[str], int]
) -> Query:
    """Return the query with stems of its words' synonyms added.

    `languages` are those of the blog. `frequency_of` counts the passages with a stem. In a query
    with CJK characters, Latin words are names and get no synonyms.
    """
    further: dict[str, set[str]] = defaultdict(set)

    def list_synonyms(word: str, table: Mapping[str, list[str]]) -> list[str]:
        """Return the word, then its synonyms that the blog uses, at least as often as the word."""
        others = table.get(word if _CJK_RUN.match(word) else stem(word, "en"), ())
        least = max(min(map(frequency_of, _stems(word))), 1) if others else 1
        used = (other for other in others if min(map(frequency_of, _stems(other))) >= least)
        return [word, *used]

    for word, *others in _yield_synonyms(query, languages, list_synonyms):
        for other in map(_stems, others):
            for place, term in enumerate(own := _stems(word)):
                first, last = place * len(other) // len(own), (place + 1) * len(other) // len(own)
                further[term].update(other[first : max(last, first + 1)])
    stems = [{*w.stems}.union(*(further.get(stem, ()) for stem in w.stems)) for w in query.words]
    words = zip(query.words, stems, strict=True)
    return replace(query, words=tuple(replace(w, stems=tuple(sorted(s))) for w, s in words))


def _yield_synonyms(
    query: Query,
    languages: Sequence[str],
    list_synonyms: Callable[[str, Mapping[str, list[str]]], list[str]],
) -> Iterator[list[str]]:
    """Yield each word of the query, followed by its synonyms.

    Where two words meet in a run without spaces, the pair of characters across them is a word too:
    加载动态 is 載入動態 elsewhere, so 载动 is 入動.
    """
    for run in (runs := _CJK_RUN.findall(to_simplified(query.text))):
        table = _read_table(query.language)
        names = [list_synonyms(word, table) for word in _segment_run(run, table)]
        yield from names
        for left, right in pairwise(names):
            pair, *others = (first[-1] + second[0] for first, second in product(left, right))
            yield [pair, *filter(is_fragment, others)]
    for language in sorted({*map(primary_subtag, languages)}.intersection(LANGUAGES)):
        for word in () if runs else PLAIN_WORD.findall(query.text):
            yield list_synonyms(word, _read_table(language))


def _segment_run(run: str, table: Collection[str]) -> Iterator[str]:
    """Split a run without spaces, from the left, into the table's longest words, or characters."""
    longest = max(map(len, table), default=0)
    start = 0
    while start < len(run):
        ends = range(min(start + longest, len(run)), start + 1, -1)
        end = next((end for end in ends if run[start:end] in table), start + 1)
        yield run[start:end]
        start = end


def _stems(word: str) -> list[str]:
    return [term.stem for term in terms(word)]


_CJK_RUN = re.compile(f"[{CJK}]+")


def gloss_in_english(text: str, language: str) -> tuple[str, float] | None:
    """Return the English names of a query's words, and the share of its characters that have one.

    A Latin word names itself and counts as two characters. The result is `None` for a language
    without a table, and for fewer than two names, which find nothing new.
    """
    if language not in LANGUAGES:
        return None
    table, words, covered, whole = _read_table(language), list[str](), 0, 0
    for piece in re.finditer(rf"(?P<run>[{CJK}]+)|[^\W_{CJK}][\w.:/\-]*", to_simplified(text)):
        named = [(piece[0], CHARACTERS_PER_WORD)]
        if run := piece["run"]:
            parts = (part for part in _segment_run(run, table) if part in table)
            named = [(table[part][0], len(part)) for part in parts if table[part][0].isascii()]
        words += [word for word, _ in named]
        covered += sum(length for _, length in named)
        whole += len(run or "") or CHARACTERS_PER_WORD
    return (" ".join(words), covered / whole) if len(words) > 1 else None
