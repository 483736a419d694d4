"""Write side of the catalog: the SQLite file of the next generation.

The file starts as a copy of the previous generation's. It takes the changes and the texts of new
chunks. A rebuild writes its texts into a second file (`index.store.disk`), which later generations
share, so an edit does not copy 93 MB (at 24,000 chunks). Neither file needs a journal: nobody reads
a file until CURRENT names its generation, and a torn file is deleted.
"""

import json
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import astuple

from blog_search_mcp.index.store.catalog import Catalog, immutable_uri
from blog_search_mcp.index.store.disk import GenerationFiles, link_or_copy
from blog_search_mcp.index.store.manifest import PendingPost
from blog_search_mcp.index.text.tokenizer import name_key
from blog_search_mcp.index.types import Chunk, Series, Translation

PRAGMAS = """
PRAGMA main.journal_mode = OFF;
PRAGMA main.synchronous = OFF;
PRAGMA shared.journal_mode = OFF;
PRAGMA shared.synchronous = OFF;
PRAGMA foreign_keys = ON;
"""
SCHEMA = """
CREATE TABLE posts (
    post_id INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL UNIQUE, title TEXT NOT NULL, date TEXT, tags TEXT NOT NULL,
    description TEXT NOT NULL, slug TEXT NOT NULL, language TEXT NOT NULL, url TEXT,
    translation_key TEXT NOT NULL, series TEXT NOT NULL, part INTEGER, aliases TEXT NOT NULL,
    authors TEXT NOT NULL, words TEXT NOT NULL, outdated TEXT NOT NULL, anchors TEXT NOT NULL
);
CREATE TABLE links (
    post_id INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE,
    href TEXT NOT NULL, words TEXT NOT NULL, line INTEGER NOT NULL, kind TEXT NOT NULL
);
CREATE INDEX links_by_post ON links (post_id);
CREATE TABLE tags (
    post_id INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE, tag TEXT NOT NULL,
    PRIMARY KEY (tag, post_id)
) WITHOUT ROWID;
CREATE INDEX tags_by_post ON tags (post_id);
CREATE TABLE headings (
    post_id INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE, key TEXT NOT NULL,
    PRIMARY KEY (key, post_id)
) WITHOUT ROWID;
CREATE INDEX headings_by_post ON headings (post_id);
CREATE TABLE chunks (
    chunk_id INTEGER PRIMARY KEY AUTOINCREMENT,
    post_id INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE, position INTEGER NOT NULL,
    headings TEXT NOT NULL, first_line INTEGER NOT NULL, last_line INTEGER NOT NULL,
    readable REAL NOT NULL, anchors TEXT NOT NULL, inner_headings TEXT NOT NULL,
    lead TEXT NOT NULL,
    UNIQUE (post_id, position)
);
CREATE TABLE texts (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    text TEXT NOT NULL, plain TEXT NOT NULL
);
CREATE TABLE shared.texts (
    chunk_id INTEGER PRIMARY KEY, text TEXT NOT NULL, plain TEXT NOT NULL
);
CREATE TABLE linked (
    target TEXT NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL,
    PRIMARY KEY (target, kind, source)
) WITHOUT ROWID;
CREATE INDEX linked_by_source ON linked (source, kind);
CREATE TABLE relations (kind TEXT NOT NULL, name TEXT NOT NULL, members TEXT NOT NULL);
"""
"""Tables of the catalog. IDs are never reused: they also name vectors and lexical documents.

In `linked`, `source` links to `target` (`kind` is empty) or is replaced by `target` (`newer`).
`relations` has the groups of `translations` and the `series`, by sources. `readable` is a chunk's
vocabulary coverage. `shared.texts` may hold texts of deleted chunks."""


class CatalogWriter(Catalog):
    """An unfinished catalog, which can also be read; use `open_writer`."""

    def __init__(self, connection: sqlite3.Connection, texts: str) -> None:
        """Write new texts into the table `texts`."""
        super().__init__(connection)
        self._texts = texts

    def remove(self, source: str) -> tuple[int, list[int]]:
        """Remove a post; return its id and its chunks' ids."""
        post_id, _ = self.require_post(source)
        rows = self.rows("SELECT chunk_id FROM chunks WHERE post_id = ?", [post_id])
        self._connection.execute("DELETE FROM posts WHERE post_id = ?", [post_id])
        return post_id, [row[0] for row in rows]

    def add(self, pending: PendingPost) -> tuple[int, tuple[int, ...]]:
        """Add a post; return its id and its chunks' ids, in the order of the text."""
        post = pending.post
        post_id = self._insert("posts", None, *astuple(post), pending.anchors)
        for tag in sorted({tag.casefold() for tag in post.tags}):
            self._insert("tags", post_id, tag)
        for link in pending.links:
            self._insert("links", post_id, *astuple(link))
        keys = {name_key(heading) for chunk in pending.chunks for heading in chunk.all_headings}
        for key in sorted(keys):
            self._insert("headings", post_id, key)
        return post_id, tuple(self._add_chunk(post_id, chunk) for chunk in pending.chunks)

    def _add_chunk(self, post_id: int, chunk: Chunk) -> int:
        place = None, post_id, chunk.index, chunk.headings, chunk.first_line, chunk.last_line
        more = chunk.coverage, chunk.anchors, chunk.inner_headings, chunk.lead
        chunk_id = self._insert("chunks", *place, *more)
        self._insert(self._texts, chunk_id, chunk.text, chunk.plain)
        return chunk_id

    def write_relations(
        self,
        translations: Iterable[Sequence[Translation]],
        series: Iterable[Series],
        linked: Iterable[tuple[str, str, str]],
    ) -> None:
        """Replace the translations, series, and distinct `linked` (target, kind, source) rows."""
        for table in ("relations", "linked"):
            self._connection.execute(f"DELETE FROM {table}")
        self._connection.executemany("INSERT INTO linked VALUES (?, ?, ?)", linked)
        for group in translations:
            self._insert("relations", "translations", "", tuple(one[1:] for one in group))
        for one in series:
            self._insert("relations", "series", one.name, tuple(part[1:] for part in one.parts))

    def commit(self) -> None:
        """Make everything written so far readable for other processes."""
        self._connection.commit()

    def _insert(self, table: str, *row: object) -> int:
        """Insert a row, writing tuples as JSON; return its id."""
        values = [
            json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else value
            for value in row
        ]
        marks = ", ".join("?" * len(values))
        cursor = self._connection.execute(f"INSERT INTO {table} VALUES ({marks})", values)
        return cursor.lastrowid or 0


@contextmanager
def open_writer(
    files: GenerationFiles, previous: GenerationFiles | None
) -> Iterator[CatalogWriter]:
    """Open a catalog, empty or copied from `previous`. Raises OSError, sqlite3.OperationalError."""
    if previous is not None:
        shutil.copyfile(previous.catalog, files.catalog)
        link_or_copy(previous.texts, files.texts)
    with closing(sqlite3.connect(files.catalog.resolve().as_uri(), uri=True)) as connection:
        texts = immutable_uri(files.texts) if previous else files.texts.resolve().as_uri()
        connection.execute("ATTACH ? AS shared", [texts])
        connection.executescript(PRAGMAS if previous else PRAGMAS + SCHEMA)
        yield CatalogWriter(connection, "main.texts" if previous else "shared.texts")
