"""The layout of an index on disk: one typed object that names every file.

INDEX/
  CURRENT                 the current generation's name, replaced by an atomic rename
  generations/000042/     immutable once CURRENT names it
    manifest.json         what this generation is, with a checksum for every other file
    vectors/              the vectors of chunks (`index.vectors`); most of it shared
    lexical/              tantivy
    chunks.db             SQLite: posts, chunks, metadata for filters, newer chunks' texts
    texts.db              SQLite: texts of most chunks; shared with other generations
    table.npz             which chunk is whose
    overview.json         what the blog is, in numbers
  embeddings.db           SQLite: (embedder, text) → vector; survives rebuilds
  last_ingest.json        the content folder as the last ingest saw it
  lock                    one writer at a time
  readers/                one locked file for each generation that a process has open
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_FEWEST_DIGITS = 6
_MOST_DIGITS = 17
"""So that the number after any name has at most 18 digits and fits wherever integers do."""

DEFAULT_FOLDER = ".blog-index"
"""Where the index lies unless the author says otherwise, below the current folder."""


@dataclass(frozen=True, slots=True)
class GenerationFiles:
    """The files of one generation."""

    folder: Path

    @property
    def manifest(self) -> Path:
        """JSON, written last."""
        return self.folder / "manifest.json"

    @property
    def vectors(self) -> Path:
        """A folder of the vector store's."""
        return self.folder / "vectors"

    @property
    def lexical(self) -> Path:
        """A folder of tantivy's."""
        return self.folder / "lexical"

    @property
    def catalog(self) -> Path:
        """SQLite database of posts and chunks."""
        return self.folder / "chunks.db"

    @property
    def texts(self) -> Path:
        """SQLite database of texts; of a kept generation, never written again."""
        return self.folder / "texts.db"

    @property
    def table(self) -> Path:
        """NumPy's archive of `index.store.catalog.ChunkTable`."""
        return self.folder / "table.npz"

    @property
    def overview(self) -> Path:
        """JSON of `index.store.statistics.Overview`."""
        return self.folder / "overview.json"


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of an index folder."""

    root: Path

    @property
    def current(self) -> Path:
        """One line: the current generation's name."""
        return self.root / "CURRENT"

    @property
    def generations(self) -> Path:
        """One folder for each generation that is kept."""
        return self.root / "generations"

    @property
    def cache(self) -> Path:
        """The embedding cache."""
        return self.root / "embeddings.db"

    @property
    def last_ingest(self) -> Path:
        """The content folder as the last ingest saw it."""
        return self.root / "last_ingest.json"

    @property
    def lock(self) -> Path:
        """Held by the one ingest that writes."""
        return self.root / "lock"

    @property
    def readers(self) -> Path:
        """Holds of those who read; ours to delete once they are not locked."""
        return self.root / "readers"

    def generation(self, number: int) -> GenerationFiles:
        """The files of generation `number`."""
        return GenerationFiles(self.generations / generation_name(number))


def generation_name(number: int) -> str:
    """`000042`: sorts as it counts."""
    return f"{number:0{_FEWEST_DIGITS}d}"


def is_generation_name(name: str) -> bool:
    """Whether `name` is one that `generation_name` gives; any other folder is not ours."""
    is_number = name.isascii() and name.isdecimal()
    return is_number and _FEWEST_DIGITS <= len(name) <= _MOST_DIGITS
