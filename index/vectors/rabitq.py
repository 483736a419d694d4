"""Which of many vectors may be the nearest: a query in, the places of a few thousand out.

Of each vector one bit a number is kept (RaBitQ, as FAISS has it): a thirtieth of the memory to
walk through. Whoever asks compares the places with the whole vectors, so that what is lost is
only what was not proposed. docs/performance.md has what else was measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np

from blog_search_mcp.index.vectors.memmap import one_thread

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Ids, Vectors
    from blog_search_mcp.index.vectors.norms import Lengths

MANY = 10_000
"""Vectors from which on a first pass pays: below, all cosines take a millisecond or two."""

CANDIDATES = 1_000
"""Places proposed. Of the true nearest 150, .999 are among them with 21,000 real vectors of 384
numbers and 1.000 with 85,000 made ones of 768; 1,000 gives .991 of the former."""

STALE = 0.05
"""Squared distance between the mean that codes were made with and today's from which on all are
made anew; vectors are of length 1."""


class FirstPass:
    """One opened file of codes; safe for concurrent use."""

    def __init__(self, path: Path) -> None:
        """Map `path` into memory. The caller has verified its checksum."""
        self._codes: Any = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)

    def nearest(self, query: Vectors) -> Ids:
        """Places, ascending, among which the nearest are."""
        one_thread()
        _, places = self._codes.search(query[np.newaxis], min(CANDIDATES, self._codes.ntotal))
        found: Ids = np.sort(places[0])
        return found[found >= 0]


def write(path: Path, mean: Lengths, blocks: Iterable[Vectors]) -> None:
    """Write the codes of all rows of these blocks, whose `mean` is given. Raises OSError.

    All that FAISS trains is the mean, so that is all it is given to train with.
    """
    codes = faiss.IndexRaBitQ(len(mean), faiss.METRIC_INNER_PRODUCT)
    codes.train(mean[np.newaxis].astype(np.float32))
    for rows in blocks:
        codes.add(np.ascontiguousarray(rows))
    _write(path, codes)


def write_changed(path: Path, earlier: Path, gone: Ids, added: Vectors, mean: Lengths) -> bool:
    """Write the codes of `earlier` without the places `gone` and with `added` at the end.

    `mean` is that of all vectors now; returns whether the codes of `earlier` are still good
    for it, and writes nothing if they are not. Raises OSError or RuntimeError.
    """
    codes: Any = faiss.read_index(str(earlier))
    if not codes.ntotal or _distance(faiss.vector_to_array(codes.center), mean) > STALE:
        return False
    if len(gone):
        codes.remove_ids(faiss.IDSelectorBatch(gone))
    if len(added):
        codes.add(np.ascontiguousarray(added))
    _write(path, codes)
    return True


def _write(path: Path, codes: Any) -> None:
    with path.open("wb") as file:
        faiss.write_index(codes, faiss.PyCallbackIOWriter(file.write))  # type: ignore[attr-defined]


def _distance(one: Vectors, other: Lengths) -> float:
    """Squared."""
    return float(((one - other) ** 2).sum())
