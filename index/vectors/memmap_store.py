"""Exact search over memory-mapped vectors; where there are many, of those that RaBitQ proposes.

A generation's vectors lie in its `vectors/` folder:

    000007.npy        rows of unit vectors, float32: a segment, never changed once written
    000007.rabitq     its RaBitQ codes, if it has MANY rows
    directory.npz     which segments there are, whose chunks their rows are and which are deleted

A segment bears the number of the generation that wrote it; the generations after it have it too,
as a hard link, until it is merged with others into a new one. Only the directory, 9 bytes a
vector, is written with each generation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from blog_search_mcp.index.types import Ids, Vectors
from blog_search_mcp.index.vectors.base import Bools, Floats, Rows

BLOCK = 4096
"""Rows that are copied or added up at a time."""

_DIRECTORY = "directory.npz"


@dataclass(frozen=True, slots=True)
class Directory:
    """Rows stand in the order of segments, deleted ones too; those of a chunk stand together."""

    segments: Ids
    """Numbers of the segments, ascending."""
    counts: Ids
    """Rows in each, deleted ones too."""
    ids: Ids
    """By row, the chunk that the vector is of."""
    deleted: Bools
    """By row, whether it no longer counts: a tombstone."""
    total: Floats
    """Sum of the rows that are not deleted, of shape (dimension,)."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return len(self.total)


def empty_directory(dimension: int) -> Directory:
    """Make the directory of no vectors."""
    none = np.zeros(0, dtype=np.int64)
    return Directory(none, none, none, none.astype(bool), np.zeros(dimension))


def read_directory(folder: Path) -> Directory:
    """Read the directory, whose checksum holds. Raises OSError or ValueError."""
    with np.load(folder / _DIRECTORY, allow_pickle=False) as found:
        return Directory(*(found[name] for name in found.files))


def write_directory(folder: Path, directory: Directory) -> None:
    """Write the directory. Raises OSError."""
    columns = (getattr(directory, name) for name in Directory.__slots__)
    with (folder / _DIRECTORY).open("wb") as file:
        np.savez(file, *columns)


def rows_path(folder: Path, segment: int) -> Path:
    """Return where the rows of a segment lie."""
    return folder / f"{segment:06d}.npy"


def codes_path(folder: Path, segment: int) -> Path:
    """Return where the RaBitQ codes of a segment lie, if it has any."""
    return folder / f"{segment:06d}.rabitq"


def map_rows(path: Path, count: int, dimension: int) -> Vectors:
    """Map a segment's rows, which end its file, into memory. Raises OSError or ValueError."""
    header = path.stat().st_size - 4 * count * dimension
    return np.asarray(np.memmap(path, "<f4", "r", header, (count, dimension)))


def blocks_of(rows: Vectors) -> Iterator[Vectors]:
    """Yield all rows in order, BLOCK of them at a time."""
    return (rows[start : start + BLOCK] for start in range(0, len(rows), BLOCK))


MANY = 10_000
"""Vectors from which on the prefilter pays: below, all cosines take a millisecond or two."""

CANDIDATES = 1_000
"""Vectors proposed. Of the true nearest 150, .999 are among them with 21,000 real vectors of 384
numbers and 1.000 with 85,000 made ones of 768; 1,000 gives .991 of the former."""


def map_codes(path: Path) -> Any:
    """Map the codes of a segment, whose checksum holds. Raises RuntimeError."""
    return faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)


def propose_rows(codes: Any, query: Vectors) -> Ids:
    """Return the numbers of the rows, ascending, among which the nearest are."""
    use_one_thread()
    _, rows = codes.search(query[np.newaxis], min(CANDIDATES, codes.ntotal))
    found: Ids = np.sort(rows[0])
    return found[found >= 0]


def write_codes(path: Path, mean: Floats, blocks: Iterable[Vectors]) -> None:
    """Write the codes of all rows of these blocks. Raises OSError.

    All that FAISS trains is the mean, so that is all it is given to train with.
    """
    codes = faiss.IndexRaBitQ(len(mean), faiss.METRIC_INNER_PRODUCT)
    codes.train(mean[np.newaxis].astype(np.float32))
    for rows in blocks:
        codes.add(np.ascontiguousarray(rows))
    with path.open("wb") as file:
        faiss.write_index(codes, faiss.PyCallbackIOWriter(file.write))  # type: ignore[attr-defined]


_faiss: Any = faiss
"""Its types lack these loops."""


def all_products(rows: Vectors, query: Vectors) -> Vectors:
    """Return the inner product of `query` with every row of a C-contiguous float32 matrix."""
    use_one_thread()
    found = np.empty(len(rows), dtype=np.float32)
    if len(found):
        out, one, matrix = (faiss.swig_ptr(array) for array in (found, query, rows))
        _faiss.fvec_inner_products_ny(out, one, matrix, len(query), len(found))
    return found


def some_products(rows: Vectors, query: Vectors, numbers: Ids) -> Vectors:
    """Return the inner product of `query` with the rows of these numbers."""
    use_one_thread()
    found = np.empty(len(numbers), dtype=np.float32)
    if len(found):
        chosen = np.ascontiguousarray(numbers)
        arrays = (found, query, rows, chosen)
        out, one, matrix, which = (faiss.swig_ptr(array) for array in arrays)
        _faiss.fvec_inner_products_by_idx(out, one, matrix, which, len(query), 1, len(found))
    return found


def use_one_thread() -> None:
    """Let FAISS search in the calling thread alone from now on.

    It gives its threads whole queries, so with one query the others have nothing to do but be
    waited for: on a machine with other work that was 13 of 16 ms of a prefilter.
    """
    faiss.omp_set_num_threads(1)


_NOWHERE = -2.0
"""Less than any cosine."""


@dataclass(frozen=True, slots=True)
class _Segment:
    rows: Vectors
    start: int
    """Offset of its first row among those of all segments."""
    codes: Any | None

    def products(self, query: Vectors, numbers: Ids | None = None) -> Vectors:
        """Return the inner products of all its rows or of these."""
        if numbers is None:
            return all_products(self.rows, query)
        return some_products(self.rows, query, numbers)

    def propose(self, query: Vectors) -> Ids:
        """Return the offsets among which its nearest rows are."""
        if self.codes is None:
            return np.arange(self.start, self.start + len(self.rows))
        return self.start + propose_rows(self.codes, query)


class MemmapStore(Rows):
    """The vectors of one generation; implements VectorStore."""

    def __init__(self, folder: Path) -> None:
        """Map the segments. Raises OSError, ValueError or RuntimeError."""
        self._directory = read_directory(folder)
        super().__init__(self._directory.ids, ~self._directory.deleted, self._directory.total)
        self._segments = list(_open(folder, self._directory))
        self._last: tuple[Vectors, Vectors] | None = None

    def search(self, query: Vectors, k: int, among: Ids | None = None) -> dict[int, float]:
        """Find the chunks of the `k` nearest vectors with their cosines, nearest first."""
        ids = self._directory.ids
        offsets = self._prefilter(query) if among is None else self._offsets(among)[0]
        values = self._all(query) if offsets is None else self._products(query, offsets)
        nearest = _largest(values, min(k, len(self)))
        chunks = ids[nearest if offsets is None else offsets[nearest]]
        found: dict[int, float] = {}
        for chunk, cosine in zip(chunks.tolist(), values[nearest].tolist(), strict=True):
            found.setdefault(chunk, cosine)
        return found

    def nearest(self, queries: Sequence[Vectors]) -> list[float]:
        """As VectorStore."""
        return [max(self.search(query, 1).values(), default=0.0) for query in queries]

    def _prefilter(self, query: Vectors) -> Ids | None:
        """Offsets among which the nearest are; `None` for all."""
        if all(segment.codes is None for segment in self._segments):
            return None
        offsets: Ids = np.concatenate([segment.propose(query) for segment in self._segments])
        return offsets[~self._directory.deleted[offsets]]

    def _all(self, query: Vectors) -> Vectors:
        """Cosines by offset; kept, since a search asks for some of them again."""
        products = [each.products(query) for each in self._segments]
        values = np.concatenate([np.zeros(0, dtype=np.float32), *products])
        values[self._directory.deleted] = _NOWHERE
        self._last = (query, values)
        return values

    def _products(self, query: Vectors, offsets: Ids) -> Vectors:
        last = self._last
        if last is not None and last[0] is query:
            return last[1][offsets]
        values = np.empty(len(offsets), dtype=np.float32)
        for segment, inside, numbers in self._split(offsets):
            values[inside] = segment.products(query, numbers)
        return values

    def _read(self, offsets: Ids) -> Vectors:
        rows = np.empty((len(offsets), self.dimension), dtype=np.float32)
        for segment, inside, numbers in self._split(offsets):
            rows[inside] = segment.rows[numbers]
        return rows

    def _split(self, offsets: Ids) -> Iterator[tuple[_Segment, Bools, Ids]]:
        """Yield each segment with which of these offsets are in it, and their numbers there."""
        for segment in self._segments:
            numbers = offsets - segment.start
            inside = (numbers >= 0) & (numbers < len(segment.rows))
            yield segment, inside, numbers[inside]


def _open(folder: Path, directory: Directory) -> Iterator[_Segment]:
    starts = (np.cumsum(directory.counts) - directory.counts).tolist()
    columns = (directory.segments.tolist(), directory.counts.tolist(), starts)
    for number, count, start in zip(*columns, strict=True):
        rows = map_rows(rows_path(folder, number), count, directory.dimension)
        codes = map_codes(codes_path(folder, number)) if count >= MANY else None
        yield _Segment(rows, start, codes)


def _largest(values: Vectors, count: int) -> Ids:
    """Places of the `count` largest, the largest first; of equal ones the earlier first."""
    count = min(count, len(values))
    if not count:
        return np.zeros(0, dtype=np.int64)
    places = np.argpartition(values, len(values) - count)[-count:]
    ordered: Ids = places[np.lexsort((places, -values[places]))]
    return ordered
