"""The dense leg on disk: chunk ids and unit vectors in, nearest chunks out.

A chunk may have several vectors, one for each window of its text, and is as
near as the nearest of them; in the file they all bear the chunk's id.

The vectors lie whole in FAISS's IndexFlatIP behind an id map (`index.vectors.writer`,
`index.vectors.memmap`), memory-mapped. Cosines are always those of the whole vectors. Where there
are many, `index.vectors.rabitq` says which to look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.vectors.norms import Sums, lengths_of, total_of
from blog_search_mcp.index.vectors.rabitq import MANY, FirstPass

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Ids as Ids
    from blog_search_mcp.index.types import Vectors
    from blog_search_mcp.index.vectors.memmap import VectorRows
    from blog_search_mcp.index.vectors.norms import Lengths


class VectorSearcher:
    """The opened vectors of one generation; safe for concurrent searches."""

    def __init__(
        self, rows: VectorRows, first_pass: FirstPass | None = None, sums: Sums | None = None
    ) -> None:
        """`first_pass` and `sums` are what was worked out from `rows`, if anything was."""
        self.rows = rows
        self.ids = rows.ids
        self._first_pass = first_pass
        self._sums = sums
        self._last: tuple[Vectors, Vectors] | None = None

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.rows.dimension

    def search(self, query: Vectors, limit: int, among: Ids | None = None) -> dict[int, float]:
        """The chunks of the `limit` nearest vectors with their cosines, nearest first.

        `query` is a unit vector of shape (dimension,); `among` restricts the search
        to these chunk ids before ranking.
        """
        places = self._candidates(query) if among is None else self.of(among)
        cosines = self.cosines(query, places)
        nearest = _largest(cosines, limit)
        ids = self.ids[nearest if places is None else places[nearest]]
        found: dict[int, float] = {}
        for chunk, cosine in zip(ids.tolist(), cosines[nearest].tolist(), strict=True):
            found.setdefault(chunk, cosine)
        return found

    def cosines(self, query: Vectors, places: Ids | None = None) -> Vectors:
        """The cosine to `query` of the vector at each of `places`, of all without them.

        Where all are asked for, a search asks for some of them again.
        """
        last = self._last
        if last is not None and last[0] is query:
            return last[1] if places is None else last[1][places]
        found = self.rows.cosines(query, places)
        if places is None:
            self._last = (query, found)
        return found

    def of(self, chunk_ids: Sequence[int] | Ids) -> Ids:
        """Places, in `ids` and `rows`, of every vector of these chunks, chunk by chunk."""
        return self.runs(chunk_ids)[0]

    def runs(self, chunk_ids: Sequence[int] | Ids) -> tuple[Ids, Ids]:
        """The same, and for each of these chunks how many vectors it has."""
        wanted = np.asarray(chunk_ids, dtype=np.int64)
        low, high = (np.searchsorted(self.ids, wanted, side=side) for side in ("left", "right"))
        counts = high - low
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(low, counts) + offsets, counts

    @cached_property
    def mean(self) -> Vectors:
        """The mean of all vectors, of shape (dimension,); zeros if there are none."""
        if not len(self.ids):
            return np.zeros(self.dimension, dtype=np.float32)
        if self._sums is not None:
            return (self._sums.total / len(self.ids)).astype(np.float32)
        return (total_of(self.rows.blocks(), self.dimension) / len(self.ids)).astype(np.float32)

    def lengths(self, posts: Sequence[int] | Ids, places: Ids, counts: Ids) -> Lengths:
        """The length of the sum of each post's vectors, which lie at `places`, `counts` each."""
        if self._sums is not None:
            return self._sums.lengths_of(posts)
        return lengths_of(self.rows.at(places), counts)

    def _candidates(self, query: Vectors) -> Ids | None:
        """Places among which the nearest are; `None` for all."""
        if self._first_pass is None or len(self.ids) < MANY:
            return None
        return self._first_pass.nearest(query)


def _largest(values: Vectors, count: int) -> Ids:
    """Places of the `count` largest, the largest first; of equal ones the earlier first."""
    count = min(count, len(values))
    if not count:
        return np.zeros(0, dtype=np.int64)
    places = np.argpartition(values, len(values) - count)[-count:]
    ordered: Ids = places[np.lexsort((places, -values[places]))]
    return ordered
