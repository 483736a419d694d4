"""A blog in a temporary folder, ingested by the real pipeline with the fake embedder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from index.embedder.base import EmbedderIdentity
from index.embedder.choose import Choice
from index.generations import live_number, load_manifest
from index.layout import GenerationFiles, Layout
from index.live import LiveIndex
from index.manifest import Manifest
from index.reader import Reader
from ingest.pipeline import Job, ingest
from ingest.progress import NoProgress
from ingest.report import Report
from tests.fakes import FakeEmbedder

if TYPE_CHECKING:
    from index.embedder.base import Vectors
    from index.legs import Legs


@dataclass
class Blog:
    """A content folder and its index."""

    content: Path
    index: Path
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    today: date = date(2026, 1, 15)
    live: list[LiveIndex] = field(default_factory=list)

    @property
    def layout(self) -> Layout:
        return Layout(self.index)

    @property
    def files(self) -> GenerationFiles:
        """The live generation's."""
        return self.layout.generation(live_number(self.layout))

    @property
    def manifest(self) -> Manifest:
        return load_manifest(self.layout, live_number(self.layout))

    def write(self, posts: Mapping[str, str]) -> None:
        for source, text in posts.items():
            path = self.content / source
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def ingest(
        self,
        *,
        include_drafts: bool = False,
        rebuild: bool = False,
        index_descriptions: bool = True,
        processes: int = 0,
    ) -> Report:
        job = Job(
            self.content,
            self.index,
            self._choose,
            self.today,
            include_drafts=include_drafts,
            rebuild=rebuild,
            index_descriptions=index_descriptions,
            processes=processes,
        )
        return ingest(job, NoProgress())

    def _choose(self, _existing: EmbedderIdentity | None) -> Choice:
        return Choice(self.embedder, "as the test wants")

    def follow(self) -> LiveIndex:
        """The index as a server opens it."""
        self.live.append(LiveIndex(self.index, lambda _identity: self.embedder))
        return self.live[-1]

    def reader(self) -> Reader:
        """The live generation, opened; let go of with the last reference to it."""
        return LiveIndex(self.index, lambda _identity: self.embedder).reader()


def every_row(legs: Legs) -> Vectors:
    """All vectors of an opened generation, by place."""
    return legs.vectors.rows.at(np.arange(len(legs.vectors.ids)))


MakeBlog = Callable[[Mapping[str, str]], Blog]
