"""Vector stores that tests write, and the vectors in them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.vectors.writer import VectorWriter

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Ids, Vectors

DIMENSION = 48


def unit_rows(count: int, seed: int) -> Vectors:
    """Near to a few hundred centres, as texts are."""
    chance = np.random.default_rng(seed)
    centres = np.random.default_rng(9).normal(size=(300, DIMENSION))
    rows = centres[chance.integers(0, 300, count)] + chance.normal(size=(count, DIMENSION)) + 0.5
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def write(
    parent: Path,
    generation: int,
    ids: Ids,
    rows: Vectors,
    base: Path | None = None,
    deleted: Sequence[int] = (),
) -> Path:
    """Write a store into a folder of its own in `parent`."""
    parent.mkdir(exist_ok=True)
    folder = parent / "vectors"
    with closing(VectorWriter(folder, base, rows.shape[1], generation)) as writer:
        for start in range(0, len(ids), 200):
            writer.add(ids[start : start + 200], rows[start : start + 200])
        writer.commit(deleted)
    return folder
