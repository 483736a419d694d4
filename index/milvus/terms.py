"""The terms of posts and chunks as sparse vectors whose products are tantivy's BM25.

A dimension is a hash of a term and of what it is. A row has what BM25 makes of a term's count and
of the text's length; a query has weights and rarities, which change with every post, so that
nothing in the rows does. East Asian terms have one spelling, and one dimension for both fields.

In how many documents each term is, is kept beside the rows: every generation keeps what it changes,
and a reader adds it to what those before it counted. Mean lengths are part of the rows and so stay
those of the generation that wrote all of them.
"""

from __future__ import annotations

import pickle
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from tempfile import TemporaryFile
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from blog_search_mcp.index.lexical.level import K1

from blog_search_mcp.index.analysis.languages import CJK
from blog_search_mcp.index.lexical.documents import PADDING, PostTerms
from blog_search_mcp.index.milvus.schema import NO_TERM, NO_TERMS, TERMS, WHOLE, Sparse

What: TypeAlias = Literal["stem", "pair", "lone"]

B: Final = 0.75
"""BM25's normalisation by length, fixed in tantivy."""

_HALF: Final = 2**31 - 2
"""Milvus takes dimensions below 2³² - 1. Terms are even ones: of 100,000, two or three collide."""

_EAST_ASIAN = re.compile(f"[{CJK}]")


@lru_cache(maxsize=1 << 18)
def dimension(what: What, term: str) -> int:
    """Return the even dimension of a term: its `stem`, or a character's.

    A character has one where it is in a `pair` of two, and another where it is a term by itself
    and in no pair, `lone`.
    """
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=4, key=what.encode())
    return 2 * (int.from_bytes(digest.digest(), "little") % _HALF + 1)


def presence(of_stem: int) -> int:
    """Return the dimension that is 1 wherever a stem is."""
    return of_stem + 1


class DocumentTerms(NamedTuple):
    """How often terms are in a text, as much as is needed once the mean length is known."""

    stems: Mapping[int, int]
    """By dimension."""
    characters: tuple[int, ...]
    length: int
    """Stems, all counted."""


def count_terms(words: str, padding: int = 0) -> DocumentTerms:
    """Count the terms of a text that is `padding` words longer than it is."""
    stems = Counter(words.split())
    pairs = {character for stem in stems if len(stem) == 2 for character in stem}
    lone = {stem for stem in stems if len(stem) == 1} - pairs
    return DocumentTerms(
        {dimension("stem", stem): count for stem, count in stems.items()},
        (
            *(dimension("pair", each) for each in pairs if _EAST_ASIAN.match(each)),
            *(dimension("lone", each) for each in lone if _EAST_ASIAN.match(each)),
        ),
        stems.total() + padding,
    )


class CountedPost(NamedTuple):
    """Everything of one post that can be searched by word, counted."""

    post_id: int
    whole: DocumentTerms
    chunks: Mapping[int, DocumentTerms]


def count_post(found: PostTerms) -> CountedPost | None:
    """Count the terms of a post; `None` for a title alone, which is not searched."""
    if not found.chunk_ids:
        return None
    chunks = zip(found.chunk_ids, found.chunks, strict=True)
    return CountedPost(
        found.post_id,
        count_terms(found.whole),
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


def weigh(words: DocumentTerms, mean: float) -> Sparse:
    """Make the row of a text; `mean` is the mean number of stems."""
    row = dict.fromkeys(words.characters, 1.0)
    row |= _weights(words.stems, words.length, mean)
    row |= {presence(each): 1.0 for each in words.stems}
    return row or NO_TERMS


def _weights(counts: Mapping[int, int], length: int, mean: float) -> Iterator[tuple[int, float]]:
    if not counts:
        return zip((), (), strict=True)
    known = _LENGTHS[np.searchsorted(_LENGTHS, length, side="right") - 1]
    norm = np.float32(K1 * (1 - B + B * known / mean))
    found = np.fromiter(counts.values(), dtype=np.float32, count=len(counts))
    weights = (1 + K1) * found / (found + norm)
    return zip(counts, weights.tolist(), strict=True)


@dataclass(frozen=True)
class TermStatistics:
    """In how many documents of a field terms are, or what a generation changes of it."""

    documents: int
    mean: float
    """Stems of a document."""
    dimensions: npt.NDArray[np.uint32]
    """Ascending, without presences."""
    counts: npt.NDArray[np.int64]

    def having(self, dimension: int) -> int:
        """In how many documents the term of a dimension is."""
        place = int(np.searchsorted(self.dimensions, np.uint32(dimension)))
        found = place < len(self.dimensions) and self.dimensions[place] == dimension
        return int(self.counts[place]) if found else 0

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is kept of it, for `pack_arrays`."""
        numbers = np.asarray([self.documents, self.mean], dtype=np.float64)
        return {"numbers": numbers, "dimensions": self.dimensions, "counts": self.counts}


def read_statistics(arrays: Mapping[str, npt.NDArray[Any]]) -> TermStatistics:
    """Make them of what `arrays` gave. Raises KeyError or ValueError for anything else."""
    documents, mean = arrays["numbers"].tolist()
    return TermStatistics(int(documents), mean, arrays["dimensions"], arrays["counts"])


def sum_statistics(parts: Sequence[TermStatistics]) -> TermStatistics:
    """Add to the counts of a generation, the first, what those after it change."""
    every = np.concatenate([part.dimensions for part in parts])
    dimensions, places = np.unique(every, return_inverse=True)
    counts = np.zeros(len(dimensions), dtype=np.int64)
    np.add.at(counts, places, np.concatenate([part.counts for part in parts]))
    documents, kept = sum(part.documents for part in parts), counts != 0
    return TermStatistics(documents, parts[0].mean, dimensions[kept], counts[kept])


class _Counter:
    """Counts documents of one field in and out."""

    def __init__(self) -> None:
        self.documents = 0
        self._length = 0
        self._counts: Counter[int] = Counter()

    def add(self, words: DocumentTerms) -> None:
        self.documents += 1
        self._length += words.length
        for terms in (words.stems.keys(), words.characters):
            self._counts.update(terms)

    def remove(self, row: Iterable[int]) -> None:
        self.documents -= 1
        self._counts.subtract(each for each in row if each % 2 == 0 and each != NO_TERM)

    @property
    def mean(self) -> float:
        return self._length / max(self.documents, 1)

    def statistics(self, mean: float) -> TermStatistics:
        counted = sorted((term, count) for term, count in self._counts.items() if count)
        return TermStatistics(
            self.documents,
            mean,
            np.asarray([term for term, _ in counted], dtype=np.uint32),
            np.asarray([count for _, count in counted], dtype=np.int64),
        )


class WeighedPost(NamedTuple):
    """The rows of one post, as Milvus takes them."""

    post_id: int
    whole: Sparse
    chunks: dict[int, Sparse]


class TermSpool:
    """The words of a generation's own posts, put aside until all of them are counted.

    What BM25 makes of a length needs the mean of all, which is known after the last.
    """

    def __init__(self, means: Mapping[str, float] | None = None) -> None:
        """Start a generation; `means`, by field, are those of the rows that it adds to, if any."""
        self._file = TemporaryFile()  # noqa: SIM115  # as long as the object
        self._means = means
        self._posts = 0
        self._counters = {name: _Counter() for name in (WHOLE, TERMS)}

    def add(self, post: CountedPost) -> None:
        """Count a post in. Raises OSError."""
        pickle.dump(post, self._file, pickle.HIGHEST_PROTOCOL)
        self._posts += 1
        self._counters[WHOLE].add(post.whole)
        for words in post.chunks.values():
            self._counters[TERMS].add(words)

    def remove(self, field: str, row: Iterable[int]) -> None:
        """Count a document of an earlier generation out; `row` are the dimensions of its row."""
        self._counters[field].remove(row)

    @property
    def means(self) -> dict[str, float]:
        """By field, the mean lengths that rows are made with."""
        return dict(self._means or {name: each.mean for name, each in self._counters.items()})

    def statistics(self) -> dict[str, TermStatistics]:
        """By field, what the generation counts, or changes of what was counted before it."""
        means = self.means
        return {name: each.statistics(means[name]) for name, each in self._counters.items()}

    def rows(self) -> Iterator[WeighedPost]:
        """Yield the rows of every post that was added, in this order. Raises OSError."""
        means = self.means
        self._file.seek(0)
        for _ in range(self._posts):
            post: CountedPost = pickle.load(self._file)  # our own
            yield WeighedPost(
                post.post_id,
                weigh(post.whole, means[WHOLE]),
                {number: weigh(words, means[TERMS]) for number, words in post.chunks.items()},
            )

    def close(self) -> None:
        """Delete what was put aside."""
        self._file.close()
