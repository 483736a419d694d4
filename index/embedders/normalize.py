"""What every embedder does to texts and vectors: make sendable, average, centre, check.

Pure functions, so that both embedders promise the same thing in the same words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blog_search_mcp.index.types import Vectors

NORM_TOLERANCE: Final = 1e-3
"""How far from 1 a row's length may lie: float32 rounding stays below 1e-6, faults do not."""


def sendable(text: str) -> str:
    """Return the text with `?` for each lone surrogate, which UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def mean_of(rows: Sequence[Vectors], dimension: int) -> Vectors:
    """Return the unit vector along the mean of unit rows; zeros for no rows.

    One row comes back as it is, bit for bit. Rows that cancel out give zeros.
    """
    import numpy as np

    if len(rows) == 1:
        return rows[0]
    total: Vectors = np.zeros(dimension, dtype=np.float32)
    for row in rows:
        total += row
    norm = np.float32(np.linalg.norm(total))
    return total / norm if norm > NORM_TOLERANCE else np.zeros_like(total)


def layer_normalised(rows: Vectors) -> Vectors:
    """Return rows of shape (n, d) after a LayerNorm without weights, then of unit length.

    LayerNorm takes the mean of a row's numbers from each of them and divides by their
    standard deviation; the division is undone by the unit length, so only the mean
    is taken. A row of equal numbers has no direction left and gives zeros.
    """
    import numpy as np

    centred = rows - rows.mean(axis=1, keepdims=True, dtype=np.float64)
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    unit = np.divide(centred, norms, out=np.zeros_like(centred), where=norms > NORM_TOLERANCE)
    found: Vectors = unit.astype(np.float32)
    return found


def fault_in(rows: Sequence[object], count: int, dimension: int) -> str | None:
    """Say why `rows` are not `count` unit vectors of `dimension` numbers; `None` if they are."""
    if len(rows) != count:
        return f"{len(rows)} vectors for {count} texts"
    faults = (_fault_in_row(row, dimension) for row in rows)
    return next((fault for fault in faults if fault), None)


def _fault_in_row(row: object, dimension: int) -> str | None:
    import numpy as np

    values = np.asarray(row, dtype=np.float64)
    if values.shape != (dimension,):
        return f"a vector of {values.size} numbers instead of {dimension}"
    if not np.isfinite(values).all():
        return "a vector with a number that is not finite"
    norm = float(np.linalg.norm(values))
    return f"a vector of length {norm:.3g} instead of 1" if abs(norm - 1) > NORM_TOLERANCE else None
