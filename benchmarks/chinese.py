"""A Chinese query as another reader types it: queries in, the same otherwise put out.

By the tables that search itself uses, so that what is measured is what search makes of the
difference, and not how well the tables are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from benchmarks.types import Query
from blog_search_mcp.index.analysis.languages import language_of
from blog_search_mcp.index.analysis.synonyms import regional_words
from blog_search_mcp.index.analysis.tokenizer import simplified


def in_simplified(queries: Iterable[Query]) -> Iterator[Query]:
    """The Chinese ones among `queries` that are written otherwise in Simplified characters."""
    for query in _chinese(queries):
        text = simplified(query.text)
        if text != query.text:
            yield replace(query, kind="simplified", text=text)


def in_other_words(queries: Iterable[Query]) -> Iterator[Query]:
    """The Chinese ones that the other region puts otherwise: the mainland, if they are Traditional.

    In Simplified characters, whoever says it.
    """
    for query in _chinese(queries):
        text = simplified(query.text)
        other = _otherwise(text, from_taiwan=text != query.text)
        if other != text:
            yield replace(query, kind="regional", text=other)


def _chinese(queries: Iterable[Query]) -> Iterator[Query]:
    return (query for query in queries if language_of(query.text) == "zh")


def _otherwise(text: str, *, from_taiwan: bool) -> str:
    """`text` with each word, the longest first, as the other region says it first."""
    words: dict[str, str] = {}
    for mainland, taiwan in regional_words():
        word, other = (taiwan, mainland) if from_taiwan else (mainland, taiwan)
        words.setdefault(word, other)
    longest = sorted(words, key=lambda word: -len(word))
    return re.sub("|".join(map(re.escape, longest)), lambda match: words[match[0]], text)
