"""The terms of posts and chunks as sparse vectors whose products are tantivy's BM25.

A dimension is a hash of a term and of what it is. A row has what BM25 makes of a term's count and
of the text's length; a query has weights and rarities, which change with every post, so that
nothing in the rows does. East Asian terms have one spelling, and one dimension for both fields.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.analysis.languages import CJK
from blog_search_mcp.index.analysis.tokenizer import IndexTerms
from blog_search_mcp.index.lexical.documents import PADDING, PostTerms
from blog_search_mcp.index.lexical.level import K1
from blog_search_mcp.index.milvus.schema import NO_TERM

Sparse: TypeAlias = dict[int, float]
What: TypeAlias = Literal["stem", "exact", "pair", "lone"]

B: Final = 0.75
"""BM25's normalisation by length, fixed in tantivy."""

_HALF: Final = 2**31 - 2
"""Milvus takes dimensions below 2³² - 1. Terms are even ones: of 100,000, two or three collide."""

_EAST_ASIAN = re.compile(f"[{CJK}]")


@lru_cache(maxsize=1 << 18)
def dimension(what: What, term: str) -> int:
    """Return the even dimension of a term: its `stem`, its `exact` spelling, or a character's.

    A character has one where it is in a `pair` of two, and another where it is a term by itself
    and in no pair, `lone`.
    """
    if what == "exact" and _EAST_ASIAN.match(term):
        what = "stem"
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=4, key=what.encode())
    return 2 * (int.from_bytes(digest.digest(), "little") % _HALF + 1)


def presence(of_stem: int) -> int:
    """Return the dimension that is 1 wherever a stem is."""
    return of_stem + 1


class DocumentTerms(NamedTuple):
    """How often terms are in a text, as much as is needed once the mean length is known."""

    stems: Mapping[int, int]
    """By dimension."""
    exacts: Mapping[int, int]
    characters: tuple[int, ...]
    lengths: tuple[int, int]
    """Stems and exact spellings, all counted."""


def count_terms(words: IndexTerms, padding: int = 0) -> DocumentTerms:
    """Count the terms of a text that is `padding` words longer than it is."""
    stems, exacts = Counter(words.stems.split()), Counter(words.exacts.split())
    pairs = {character for stem in stems if len(stem) == 2 for character in stem}
    lone = {stem for stem in stems if len(stem) == 1} - pairs
    return DocumentTerms(
        {dimension("stem", stem): count for stem, count in stems.items()},
        {
            dimension("exact", exact): count
            for exact, count in exacts.items()
            if not _EAST_ASIAN.match(exact)
        },
        (
            *(dimension("pair", each) for each in pairs if _EAST_ASIAN.match(each)),
            *(dimension("lone", each) for each in lone if _EAST_ASIAN.match(each)),
        ),
        (stems.total() + padding, exacts.total() + padding),
    )


class CountedPost(NamedTuple):
    """Everything of one post that can be searched by word, counted."""

    post_id: int
    whole: DocumentTerms
    about: DocumentTerms
    chunks: Mapping[int, DocumentTerms]


def count_post(found: PostTerms) -> CountedPost | None:
    """Count the terms of a post; `None` for a title alone, which is not searched."""
    if not found.chunk_ids:
        return None
    chunks = zip(found.chunk_ids, found.chunks, strict=True)
    return CountedPost(
        found.post_id,
        count_terms(found.whole),
        count_terms(found.about),
        {chunk_id: count_terms(words, PADDING) for chunk_id, words in chunks},
    )


def quantised_lengths() -> npt.NDArray[np.int64]:
    """Return the 256 lengths that tantivy tells apart, ascending; it takes the next below.

    They are those of Lucene's `SmallFloat.byte4ToInt`: three bits beside the first.
    """
    free = 24
    codes = range(256 - free)
    steps = (code if code < 8 else (code & 7 | 8) << (code >> 3) - 1 for code in codes)
    return np.asarray([*range(free), *(free + step for step in steps)], dtype=np.int64)


_LENGTHS: Final = quantised_lengths()


def weigh(words: DocumentTerms, means: tuple[float, float]) -> Sparse:
    """Make the row of a text; `means` are the mean numbers of stems and of exact spellings."""
    row = dict.fromkeys(words.characters, 1.0)
    row |= _weights(words.exacts, words.lengths[1], means[1])
    row |= _weights(words.stems, words.lengths[0], means[0])
    row |= {presence(each): 1.0 for each in words.stems}
    return row or {NO_TERM: 1.0}


def _weights(counts: Mapping[int, int], length: int, mean: float) -> Iterator[tuple[int, float]]:
    if not counts:
        return zip((), (), strict=True)
    known = _LENGTHS[np.searchsorted(_LENGTHS, length, side="right") - 1]
    norm = np.float32(K1 * (1 - B + B * known / mean))
    found = np.fromiter(counts.values(), dtype=np.float32, count=len(counts))
    weights = (1 + K1) * found / (found + norm)
    return zip(counts, weights.tolist(), strict=True)
