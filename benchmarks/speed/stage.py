"""What every row measures on: a made blog and its index, made once and kept in the user's cache.

The index is made by the real ingest with the embedder that costs nothing.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from benchmarks.speed.free_embedder import FreeEmbedder, keep
from benchmarks.speed.made_posts import CHUNKS_PER_POST, material_of, write_posts
from benchmarks.speed.process import with_free_embedder
from blog_search_mcp.index.embedders.registry import Choice
from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.stores import Location
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import Progress

NOW = datetime(2025, 6, 1, tzinfo=UTC)
"""Of every ingest, so that an index is the same on any day."""

EMBEDDED = 384
"""Dimension of the English embedder in the package, which the real programs open by themselves."""

SEED = 1
"""Of the made posts."""


def say(sentence: str) -> None:
    """Tell of progress."""
    sys.stderr.write(f"  {sentence}\n")
    sys.stderr.flush()


@dataclass(frozen=True)
class Stage:
    """Sizes, seed and places."""

    blog: Path
    """The folder whose blocks posts are made of."""
    cache: Path
    """Where made blogs and their indexes are kept."""
    work: Path
    """An empty folder for whatever a row makes."""
    chunks: int = 24_000
    """Asked for; `counted` has what came out."""
    dimension: int = 768
    runs: int = 30
    """Of what takes less than a second; rows take fewer of what takes longer."""

    @property
    def posts(self) -> int:
        """How many the blog has."""
        return max(1, round(self.chunks / CHUNKS_PER_POST))

    @cached_property
    def content(self) -> Path:
        """The made blog."""
        folder = self._place / "content"
        if not (self._place / "made").exists():
            shutil.rmtree(self._place, ignore_errors=True)
            self.write_blog(folder, self.posts)
            (self._place / "made").touch()
        return folder

    def write_blog(self, folder: Path, posts: int) -> None:
        """Write another blog of so many posts."""
        write_posts(folder, material_of(self.blog), posts, SEED)

    def index(self, dimension: int | None = None) -> Path:
        """The index of `content`, of vectors of this dimension, in today's format."""
        wanted = dimension or self.dimension
        folder = self._place / f"index-{wanted}"
        if wanted not in self._fresh:
            self.ingest(folder, wanted, rebuild=not _is_usable(folder))
            self._fresh.add(wanted)
        return folder

    def command(self) -> tuple[str, ...]:
        """Python's arguments for the server of `index()` with the embedder that costs nothing."""
        table = self.work / f"directions-{self.dimension}.npy"
        if not table.exists():
            keep(self.dimension, table)
        return with_free_embedder(self.index(), self.dimension, table)

    def ingest(self, index: Location, dimension: int, *, rebuild: bool = False) -> None:
        """Bring `index` up to date with `content`."""
        choice = Choice(FreeEmbedder(dimension), "as the benchmark wants")
        job = Job(self.content, index, lambda *_: choice, NOW, rebuild=rebuild)
        ingest(job, Progress())

    def vectors(self) -> list[Path]:
        """The files with the vectors of `index()`, all in one folder."""
        store = FolderStore(self.index())
        return sorted(store.layout.generation(store.current_number()).vectors.glob("*.rows"))

    def counted(self) -> int:
        """How many chunks the index holds."""
        store = FolderStore(self.index())
        return store.read_manifest(store.current_number()).chunks

    def queries(self, count: int) -> Sequence[str]:
        """What is asked: headings of the blog, and questions made of its paragraphs' beginnings."""
        material = material_of(self.blog)
        asked = [heading for heading in material.headings if len(heading.split()) > 1]
        for block in material.blocks:
            words = block.split()
            if block[:1].isalpha() and len(words) > 12:
                asked.append(f"how does {' '.join(words[3:11])}?")
        step = max(1, len(asked) // count)
        return (asked[::step] * (count // max(len(asked[::step]), 1) + 1))[:count]

    @cached_property
    def _fresh(self) -> set[int]:
        """Dimensions of the indexes that this run has brought up to date."""
        return set()

    @property
    def _place(self) -> Path:
        key = hashlib.sha256(f"{self.blog.resolve()}".encode()).hexdigest()[:8]
        return self.cache / "speed" / f"{key}-{self.posts}-{SEED}"


def _is_usable(folder: Path) -> bool:
    store = FolderStore(folder)
    try:
        store.read_manifest(store.current_number())
    except IndexProblem:
        return False
    return True
