"""A blog in a temporary folder, ingested by the real pipeline with the fake embedder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.embedders.registry import Choice, CountLanguages
from blog_search_mcp.index.errors import EmbedderError
from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.reader import Index, IndexReader
from blog_search_mcp.index.store.disk import GenerationFiles, Layout
from blog_search_mcp.index.store.manifest import Manifest
from blog_search_mcp.index.stores import IndexAddress, Location, open_store
from blog_search_mcp.index.types import Answer, EmbedderIdentity, Filters, Ids, Vectors
from blog_search_mcp.index.vectors.segments import VectorStore, read_directory
from blog_search_mcp.ingest.last_ingest import IngestOptions
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import Progress, Report
from blog_search_mcp.server.engine import Engine
from tests.support.fakes import FakeEmbedder

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.embedder import Embedder
    from blog_search_mcp.index.search.snapshot import Snapshot


@dataclass
class Blog:
    """A content folder and its index."""

    content: Path
    index: Path
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    today: date = date(2026, 1, 15)
    live: list[Engine] = field(default_factory=list)
    address: IndexAddress | None = None
    """Address of the index if it is not in the folder."""

    @property
    def location(self) -> Location:
        return self.address or self.index

    @property
    def layout(self) -> Layout:
        """Layout of the index, if it is in a folder."""
        return Layout(self.index)

    @property
    def store(self) -> FolderStore:
        return open_store(self.location)

    @property
    def files(self) -> GenerationFiles:
        """Files of the live generation, if the index is in a folder."""
        return self.layout.generation(FolderStore(self.index).current_number())

    @property
    def manifest(self) -> Manifest:
        return self.store.read_manifest(self.store.current_number())

    @property
    def now(self) -> datetime:
        """Noon of `today`."""
        return datetime.combine(self.today, time(12), UTC)

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
        processes: int = 0,
        progress: Progress | None = None,
        base_url: str = "",
        permalink: str = "",
    ) -> Report:
        job = Job(
            self.content,
            self.location,
            self._choose,
            self.now,
            IngestOptions(include_drafts=include_drafts, base_url=base_url, permalink=permalink),
            rebuild=rebuild,
            processes=processes,
        )
        return ingest(job, progress or Progress())

    def _choose(
        self, _existing: EmbedderIdentity | None, _count_languages: CountLanguages
    ) -> Choice:
        return Choice(self.embedder, "as the test wants")

    def engine(self) -> Engine:
        """Return an engine that answers from the index and follows it, as in a server."""
        self.live.append(Engine(self.location, lambda _identity: self.embedder))
        return self.live[-1]

    def reader(self, *, by_words: bool = False) -> IndexReader:
        """Open the live generation; it is closed with the last reference to it.

        With `by_words` the embedder cannot be reached, so that only keyword search works.
        """
        embedder = FakeEmbedder(failure=EmbedderError("")) if by_words else self.embedder
        return Index(self.location, lambda _identity: embedder).reader()

    def search(self, query: str, limit: int = 10) -> Answer:
        """Search the live generation."""
        return self.reader().search(query, Filters(), limit=limit, offset=0)

    def sources_with(self, word: str) -> list[str]:
        """Return the sources of the hits whose passage has the word itself."""
        hits = self.search(word, 30).hits
        return [hit.post.source for hit in hits if word in hit.chunk.text.lower()]

    def snapshot(self, embedder: Embedder | None = None) -> Snapshot:
        """Return the live generation in the form that searches read."""
        number = self.store.current_number()
        return IndexReader(self.store, number, lambda _: embedder or self.embedder).snapshot


def load_rows(folder: Path) -> tuple[Ids, Vectors]:
    """Return the chunk IDs and vectors in a folder, without deleted ones; row by row."""
    directory = read_directory(folder)
    live = np.flatnonzero(~directory.deleted)
    return directory.ids[live], VectorStore(folder).read(live)


def vectors_in(snapshot: Snapshot) -> tuple[Ids, Vectors]:
    """Return the chunk IDs and vectors of a snapshot, row by row."""
    chunks = snapshot.table.chunks
    rows, counts = snapshot.vectors.vectors(chunks)
    return np.repeat(chunks, counts), rows


def rows_file(files: GenerationFiles) -> Path:
    """Return the path of the first file of vectors."""
    return min(files.vectors.glob("*.faiss"))


MakeBlog = Callable[[Mapping[str, str]], Blog]
