"""In how many documents each term is: what makes a word rare, kept beside the rows.

Every generation keeps what it changes, and a reader adds it to what those before it counted. Mean
lengths are part of the rows and so stay those of the generation that wrote all of them.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.milvus.schema import ABOUT, NO_TERM, TERMS, WHOLE
from blog_search_mcp.index.milvus.terms import (
    CountedPost,
    DocumentTerms,
    Sparse,
    weigh,
)

Means: TypeAlias = tuple[float, float]
"""Of stems and of exact spellings of a document."""


@dataclass(frozen=True)
class TermStatistics:
    """In how many documents of a field terms are, or what a generation changes of it."""

    documents: int
    means: Means
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
        numbers = np.asarray([self.documents, *self.means], dtype=np.float64)
        return {"numbers": numbers, "dimensions": self.dimensions, "counts": self.counts}


def read_statistics(arrays: Mapping[str, npt.NDArray[Any]]) -> TermStatistics:
    """Make them of what `arrays` gave. Raises KeyError or ValueError for anything else."""
    documents, stems, exacts = arrays["numbers"].tolist()
    return TermStatistics(int(documents), (stems, exacts), arrays["dimensions"], arrays["counts"])


def sum_statistics(parts: Sequence[TermStatistics]) -> TermStatistics:
    """Add to the counts of a generation, the first, what those after it change."""
    every = np.concatenate([part.dimensions for part in parts])
    dimensions, places = np.unique(every, return_inverse=True)
    counts = np.zeros(len(dimensions), dtype=np.int64)
    np.add.at(counts, places, np.concatenate([part.counts for part in parts]))
    documents, kept = sum(part.documents for part in parts), counts != 0
    return TermStatistics(documents, parts[0].means, dimensions[kept], counts[kept])


class _Counter:
    """Counts documents of one field in and out."""

    def __init__(self) -> None:
        self.documents = 0
        self._lengths = [0, 0]
        self._counts: Counter[int] = Counter()

    def add(self, words: DocumentTerms) -> None:
        self.documents += 1
        for each in (0, 1):
            self._lengths[each] += words.lengths[each]
        for terms in (words.stems.keys(), words.exacts.keys(), words.characters):
            self._counts.update(terms)

    def remove(self, row: Iterable[int]) -> None:
        self.documents -= 1
        self._counts.subtract(each for each in row if each % 2 == 0 and each != NO_TERM)

    @property
    def means(self) -> Means:
        stems, exacts = (length / max(self.documents, 1) for length in self._lengths)
        return stems, exacts

    def statistics(self, means: Means) -> TermStatistics:
        counted = sorted((term, count) for term, count in self._counts.items() if count)
        return TermStatistics(
            self.documents,
            means,
            np.asarray([term for term, _ in counted], dtype=np.uint32),
            np.asarray([count for _, count in counted], dtype=np.int64),
        )


class WeighedPost(NamedTuple):
    """The rows of one post, as Milvus takes them."""

    post_id: int
    whole: Sparse
    about: Sparse
    chunks: dict[int, Sparse]


class TermSpool:
    """The words of a generation's own posts, put aside until all of them are counted.

    What BM25 makes of a length needs the mean of all, which is known after the last.
    """

    def __init__(self, means: Mapping[str, Means] | None = None) -> None:
        """Start a generation; `means`, by field, are those of the rows that it adds to, if any."""
        self._file = TemporaryFile()  # noqa: SIM115  # as long as the object
        self._means = means
        self._posts = 0
        self._counters = {name: _Counter() for name in (WHOLE, ABOUT, TERMS)}

    def add(self, post: CountedPost) -> None:
        """Count a post in. Raises OSError."""
        pickle.dump(post, self._file, pickle.HIGHEST_PROTOCOL)
        self._posts += 1
        self._counters[WHOLE].add(post.whole)
        self._counters[ABOUT].add(post.about)
        for words in post.chunks.values():
            self._counters[TERMS].add(words)

    def remove(self, field: str, row: Iterable[int]) -> None:
        """Count a document of an earlier generation out; `row` are the dimensions of its row."""
        self._counters[field].remove(row)

    @property
    def means(self) -> dict[str, Means]:
        """By field, the mean lengths that rows are made with."""
        return dict(self._means or {name: each.means for name, each in self._counters.items()})

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
                weigh(post.about, means[ABOUT]),
                {number: weigh(words, means[TERMS]) for number, words in post.chunks.items()},
            )

    def close(self) -> None:
        """Delete what was put aside."""
        self._file.close()
