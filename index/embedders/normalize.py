"""What every embedder does to texts and vectors: replace what UTF-8 lacks, average, check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blog_search_mcp.index.types import Vectors

NORM_TOLERANCE: Final = 1e-3
"""How far from 1 a row's length may lie: float32 rounding stays below 1e-6, faults do not."""


def replace_surrogates(text: str) -> str:
    """Return the text with `?` for each lone surrogate, which UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def mean_direction(rows: Sequence[Vectors], dimension: int) -> Vectors:
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


def find_fault(rows: Sequence[object], count: int, dimension: int) -> str | None:
    """Say why `rows` are not `count` unit vectors of `dimension` numbers; `None` if they are."""
    if len(rows) != count:
        return f"{len(rows)} vectors for {count} texts"
    faults = (_find_row_fault(row, dimension) for row in rows)
    return next((fault for fault in faults if fault), None)


def _find_row_fault(row: object, dimension: int) -> str | None:
    import numpy as np

    values = np.asarray(row, dtype=np.float64)
    if values.shape != (dimension,):
        return f"a vector of {values.size} numbers instead of {dimension}"
    if not np.isfinite(values).all():
        return "a vector with a number that is not finite"
    norm = float(np.linalg.norm(values))
    return f"a vector of length {norm:.3g} instead of 1" if abs(norm - 1) > NORM_TOLERANCE else None
