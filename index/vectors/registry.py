"""The choice of a vector store: every other module opens and writes vectors through here."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing
from pathlib import Path

from blog_search_mcp.index.vectors import memmap_store, memmap_writer
from blog_search_mcp.index.vectors.base import VectorStore, VectorWriter


def open_vectors(folder: Path) -> VectorStore:
    """Open the store in `folder`, whose checksums hold. Raises OSError, ValueError or RuntimeError.

    Opening copies nothing: every process on the machine shares the pages.
    """
    return memmap_store.MemmapStore(folder)


def write_vectors(
    folder: Path, base: Path | None, dimension: int, generation: int
) -> AbstractContextManager[VectorWriter]:
    """Start a store in `folder` from the one in `base`, if any, for the length of a block."""
    return closing(memmap_writer.MemmapWriter(folder, base, dimension, generation))
