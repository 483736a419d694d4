"""All vectors of a generation as one row of places, whichever of its files they lie in.

Most lie in a file that many generations share, some of whose rows no longer count; those that
came since lie in a file of this generation alone. Both are memory-mapped, so that opening them
costs nothing and every server on the machine shares their pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import faiss
import numpy as np

if TYPE_CHECKING:
    from blog_search_mcp.index.store.layout import GenerationFiles
    from blog_search_mcp.index.types import Ids, Vectors


AT_ONCE = 4096
"""Rows that are copied or added up at a time."""

_faiss: Any = faiss
"""Its types lack these loops."""

Where: TypeAlias = "Ids | slice"


@dataclass(frozen=True, slots=True)
class _File:
    """One mapped file."""

    index: Any
    """What owns the mapping."""
    rows: Vectors
    """All that it holds: a view."""
    alive: Ids | None
    """Numbers of the rows that count, ascending; `None` for all."""
    ids: Ids
    """Chunk ids of those, ascending."""

    def numbers(self, places: Ids) -> Ids:
        """The numbers of the rows at these places among those that count."""
        return places if self.alive is None else self.alive[places]


class VectorRows:
    """Chunk ids and unit vectors by place; safe for concurrent use."""

    def __init__(self, paths: Sequence[Path], gone: Ids) -> None:
        """Map these files, whose ids ascend together; rows of chunks that are `gone` do not count.

        The caller has verified their checksums. Raises RuntimeError.
        """
        self._files = [_mapped(path, gone) for path in paths]
        self.dimension = int(self._files[0].index.d)
        self.ids: Ids = np.concatenate([file.ids for file in self._files])
        self._ends = np.cumsum([len(file.ids) for file in self._files])

    def at(self, places: Ids) -> Vectors:
        """Copies of the vectors at these places, of shape (len(places), dimension)."""
        found = np.empty((len(places), self.dimension), dtype=np.float32)
        for file, numbers, where in self._lying(places):
            found[where] = file.rows[numbers]
        return found

    def run(self, start: int, end: int) -> Vectors:
        """The vectors from `start` to before `end`: a view where they lie in one piece."""
        first = self._files[0]
        if first.alive is None and end <= len(first.ids):
            return first.rows[start:end]
        return self.at(np.arange(start, end))

    def blocks(self) -> Iterator[Vectors]:
        """All vectors in order, AT_ONCE of them at a time."""
        for start in range(0, len(self.ids), AT_ONCE):
            yield self.run(start, min(start + AT_ONCE, len(self.ids)))

    def cosines(self, query: Vectors, places: Ids | None = None) -> Vectors:
        """The cosine to `query` of the vector at each of `places`, of all without them.

        By FAISS's own loops: numpy's product of a matrix and one vector takes four times as
        long, and picking the rows out would copy them first.
        """
        one_thread()
        wanted = np.ascontiguousarray(query, dtype=np.float32)
        if places is None:
            return np.concatenate([_of_all(file, wanted) for file in self._files])
        found = np.empty(len(places), dtype=np.float32)
        for file, numbers, where in self._lying(places):
            found[where] = _of_some(file, wanted, numbers)
        return found

    def _lying(self, places: Ids) -> Iterator[tuple[_File, Ids, Where]]:
        """Each file with the numbers of its rows, and where these stand in `places`."""
        if len(self.ids) == self._ends[0]:
            yield self._files[0], self._files[0].numbers(places), slice(None)
            return
        which = np.searchsorted(self._ends, places, side="right")
        for number, (file, end) in enumerate(zip(self._files, self._ends, strict=True)):
            where = np.flatnonzero(which == number)
            if len(where):
                yield file, file.numbers(places[where] - (end - len(file.ids))), where


def rows_of(files: GenerationFiles) -> VectorRows:
    """All vectors of a generation, whose checksums hold. Raises OSError or RuntimeError."""
    return VectorRows([files.vectors, files.newer], np.load(files.gone, allow_pickle=False))


def _mapped(path: Path, gone: Ids) -> _File:
    index: Any = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
    ids: Ids = faiss.vector_to_array(index.id_map)
    rows = np.zeros((0, index.d), dtype=np.float32)
    if len(ids):
        flat: Any = faiss.downcast_index(index.index)
        rows = faiss.rev_swig_ptr(flat.get_xb(), len(ids) * index.d).reshape(len(ids), index.d)
    dead = np.isin(ids, gone)
    if not dead.any():
        return _File(index, rows, None, ids)
    alive = np.flatnonzero(~dead)
    return _File(index, rows, alive, ids[alive])


def _of_all(file: _File, query: Vectors) -> Vectors:
    found = np.empty(len(file.rows), dtype=np.float32)
    if len(found):
        out, one, rows = (faiss.swig_ptr(array) for array in (found, query, file.rows))
        _faiss.fvec_inner_products_ny(out, one, rows, len(query), len(found))
    return found if file.alive is None else found[file.alive]


def _of_some(file: _File, query: Vectors, numbers: Ids) -> Vectors:
    found = np.empty(len(numbers), dtype=np.float32)
    if len(found):
        picked = np.ascontiguousarray(numbers)
        out, one, rows, which = (
            faiss.swig_ptr(array) for array in (found, query, file.rows, picked)
        )
        _faiss.fvec_inner_products_by_idx(out, one, rows, which, len(query), 1, len(found))
    return found


def one_thread() -> None:
    """Let FAISS search in the calling thread alone from now on.

    It gives its threads whole queries, so with one query the others have nothing to do but be
    waited for: on a machine with other work that was 13 of 16 ms of a first pass.
    """
    faiss.omp_set_num_threads(1)
