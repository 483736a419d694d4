"""One opened generation, as a search reads it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path

from blog_search_mcp.index.embedders.embedder import Embedder
from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.index.store.catalog import Catalog, ChunkTable, open_catalog
from blog_search_mcp.index.store.disk import GenerationFiles
from blog_search_mcp.index.store.manifest import REBUILD
from blog_search_mcp.index.text.languages import common_languages
from blog_search_mcp.index.text.query import PostsByName, index_names
from blog_search_mcp.index.types import Replacement, Series, Translated, Translations
from blog_search_mcp.index.vectors.segments import VectorStore
from blog_search_mcp.index.words.searcher import LexicalSearcher


@dataclass(frozen=True)
class Snapshot:
    """Readers of one generation's files, and the embedder that built it."""

    catalog: Catalog
    lexical: LexicalSearcher
    vectors: VectorStore
    embedder: Embedder
    translations: Translations
    series: Mapping[int, Series]
    """Series by post id, for posts that are in one."""
    table: ChunkTable

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Languages that the blog is written in, the commonest first."""
        return common_languages(self.catalog.languages)

    @cached_property
    def vocabulary_coverage(self) -> float:
        """Mean share of a chunk that the embedder's vocabulary covers, in [0, 1]."""
        return float(self.table.vocabulary_coverage.mean()) if len(self.table.chunks) else 0.0

    @cached_property
    def waiting_chunks(self) -> int:
        """Number of chunks whose vectors are still to come."""
        are_missing = self.vectors.counts(self.table.chunks) == 0
        return int((are_missing & (self.table.vocabulary_coverage > 0.0)).sum())

    @cached_property
    def posts_by_name(self) -> PostsByName:
        """Post ids by the key of a title, an alias that is no path, or an author."""
        return index_names(self.catalog.names_by_post())

    def translations_of(self, post: int) -> Translated:
        """Return language and source of each translation of a post, ordered by language."""
        group = self.translations.get(post, ())
        return tuple(sorted((one.language, one.source) for one in group if one.post != post))

    @property
    def replaced(self) -> Mapping[int, Replacement]:
        """Replacements by post id, for posts that are replaced or outdated today."""
        return self._replaced_by_day(date.today().isoformat())

    @cached_property
    def _replaced_by_day(self) -> Callable[[str], Mapping[int, Replacement]]:
        return lru_cache(maxsize=1)(self.catalog.replaced)


def open_snapshot(
    files: GenerationFiles,
    embedder: Embedder,
    open_vectors: Callable[[Path], VectorStore] = VectorStore,
) -> Snapshot:
    """Open a generation's verified files. Raises IndexProblem or MemoryError."""
    try:
        catalog = open_catalog(files)
        return Snapshot(
            catalog,
            LexicalSearcher(files.lexical),
            open_vectors(files.vectors),
            embedder,
            catalog.translations(),
            catalog.series(),
            catalog.chunk_table(),
        )
    except (OSError, ValueError, RuntimeError, sqlite3.Error) as error:
        raise IndexBroken("The index cannot be opened.", REBUILD) from error
