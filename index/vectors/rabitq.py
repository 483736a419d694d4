"""RaBitQ prefilter: which of many vectors may be the nearest.

One bit a number is kept of each vector (FAISS's IndexRaBitQ), a thirtieth of the memory to walk
through. The store compares what is proposed by whole vectors, so that only what is not proposed
is lost. docs/performance.md has what else was measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np

from blog_search_mcp.index.vectors.inner_products import use_one_thread

if TYPE_CHECKING:
    import numpy.typing as npt

    from blog_search_mcp.index.types import Ids, Vectors

MANY = 10_000
"""Vectors from which on the prefilter pays: below, all cosines take a millisecond or two."""

CANDIDATES = 1_000
"""Vectors proposed. Of the true nearest 150, .999 are among them with 21,000 real vectors of 384
numbers and 1.000 with 85,000 made ones of 768; 1,000 gives .991 of the former."""


class RabitqPrefilter:
    """One memory-mapped file of codes; safe for concurrent use."""

    def __init__(self, path: Path) -> None:
        """Map `path`, whose checksum holds. Raises RuntimeError."""
        self._codes: Any = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)

    def propose(self, query: Vectors) -> Ids:
        """Return the row numbers, ascending, among which the nearest are."""
        use_one_thread()
        _, rows = self._codes.search(query[np.newaxis], min(CANDIDATES, self._codes.ntotal))
        found: Ids = np.sort(rows[0])
        return found[found >= 0]


def write_codes(path: Path, mean: npt.NDArray[np.float64], blocks: Iterable[Vectors]) -> None:
    """Write the codes of all rows of these blocks. Raises OSError.

    All that FAISS trains is the mean, so that is all it is given to train with.
    """
    codes = faiss.IndexRaBitQ(len(mean), faiss.METRIC_INNER_PRODUCT)
    codes.train(mean[np.newaxis].astype(np.float32))
    for rows in blocks:
        codes.add(np.ascontiguousarray(rows))
    with path.open("wb") as file:
        faiss.write_index(codes, faiss.PyCallbackIOWriter(file.write))  # type: ignore[attr-defined]
