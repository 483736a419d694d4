"""The catalog, write side: the next generation's SQLite file.

The file starts as a copy of the previous generation's and takes the plan on top, with the texts
of new chunks; those of earlier ones lie in a file that the two share (`index.store.disk`).
Neither needs a journal while it is written: until CURRENT names its generation nobody reads it,
and a torn one is thrown away whole.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

from blog_search_mcp.index.analysis.tokenizer import name_key
from blog_search_mcp.index.store.catalog import POST_FIELDS, Catalog, immutable
from blog_search_mcp.index.store.disk import GenerationFiles, link_or_copy
from blog_search_mcp.index.store.manifest import PendingPost
from blog_search_mcp.index.types import Chunk, Series, Translation

SCHEMA = """
CREATE TABLE posts (
    post_id INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    date TEXT,
    tags TEXT NOT NULL,
    description TEXT NOT NULL,
    slug TEXT NOT NULL,
    language TEXT NOT NULL,
    url TEXT,
    translation_key TEXT NOT NULL,
    series TEXT NOT NULL,
    part INTEGER,
    aliases TEXT NOT NULL,
    canonical_url TEXT NOT NULL,
    anchors TEXT NOT NULL
);
CREATE TABLE links (
    post_id INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE,
    href TEXT NOT NULL,
    words TEXT NOT NULL,
    line INTEGER NOT NULL
);
CREATE INDEX links_by_post ON links (post_id);
CREATE TABLE tags (
    post_id INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (tag, post_id)
) WITHOUT ROWID;
CREATE INDEX tags_by_post ON tags (post_id);
CREATE TABLE headings (
    post_id INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE,
    key TEXT NOT NULL,
    PRIMARY KEY (key, post_id)
) WITHOUT ROWID;
CREATE INDEX headings_by_post ON headings (post_id);
CREATE TABLE chunks (
    chunk_id INTEGER PRIMARY KEY AUTOINCREMENT,
    post_id INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE,
    position INTEGER NOT NULL,
    headings TEXT NOT NULL,
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    readable REAL NOT NULL,
    anchor TEXT NOT NULL,
    inner_headings TEXT NOT NULL,
    UNIQUE (post_id, position)
);
CREATE TABLE texts (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    text TEXT NOT NULL,
    plain TEXT NOT NULL
);
CREATE TABLE translations (
    post_id INTEGER PRIMARY KEY REFERENCES posts ON DELETE CASCADE,
    family INTEGER NOT NULL,
    place INTEGER NOT NULL,
    language TEXT NOT NULL
);
CREATE TABLE series (
    post_id INTEGER PRIMARY KEY REFERENCES posts ON DELETE CASCADE,
    number INTEGER NOT NULL,
    place INTEGER NOT NULL,
    name TEXT NOT NULL,
    part INTEGER NOT NULL
);
"""
"""Ids are never used twice (AUTOINCREMENT): they name vectors and lexical documents too.

`family` numbers the translations of one post, and `number` the series, for this generation alone.
`readable` is a chunk's vocabulary coverage.
"""

SHARED = """
CREATE TABLE shared.texts (
    chunk_id INTEGER PRIMARY KEY,
    text TEXT NOT NULL,
    plain TEXT NOT NULL
);
"""
"""Of most chunks, and of some that are no more: a file that generations share is not changed.
Its `user_version` is how many texts it holds."""

REWRITTEN_SHARE = 0.1
"""Share of the chunks that have come, or gone, since the shared texts were written, beyond which
they are written anew: until then as much of them may be copied by each ingest, or lie idle."""


def _unjournaled(connection: sqlite3.Connection, schema: str) -> None:
    connection.execute(f"PRAGMA {schema}.journal_mode = OFF")
    connection.execute(f"PRAGMA {schema}.synchronous = OFF")


class CatalogWriter:
    """An unfinished catalog; use `open_writer`."""

    def __init__(
        self, connection: sqlite3.Connection, files: GenerationFiles, *, is_new: bool
    ) -> None:
        """Write the catalog of `files`; all texts of a new one go into the shared file."""
        self.catalog = Catalog(connection)
        """Reads what is in by now."""
        self._connection = connection
        self._files = files
        self._is_new = is_new
        self._texts = "shared.texts" if is_new else "main.texts"

    def remove(self, source: str) -> tuple[int, list[int]]:
        """Remove a post that is in; return its id and its chunks'."""
        query = "SELECT post_id FROM posts WHERE source = ?"
        post_id = int(self._connection.execute(query, [source]).fetchone()[0])
        query = "SELECT chunk_id FROM chunks WHERE post_id = ?"
        chunks = [row[0] for row in self._connection.execute(query, [post_id])]
        self._connection.execute("DELETE FROM posts WHERE post_id = ?", [post_id])
        return post_id, chunks

    def add(self, pending: PendingPost) -> tuple[int, tuple[int, ...]]:
        """Add a post; return its id and its chunks', in the order of the post.

        If it raises, nothing of the post is in but texts without a chunk.
        """
        post = pending.post
        columns = {name: _column(getattr(post, name)) for name in POST_FIELDS}
        columns["anchors"] = _column(pending.anchors)
        post_id = self._insert("posts", columns)
        try:
            tags = {tag.casefold() for tag in post.tags}
            self._connection.executemany(
                "INSERT INTO tags VALUES (?, ?)", [(post_id, tag) for tag in sorted(tags)]
            )
            self._connection.executemany(
                "INSERT INTO links VALUES (?, ?, ?, ?)",
                [(post_id, link.href, link.words, link.line) for link in pending.links],
            )
            keys = {name_key(each) for chunk in pending.chunks for each in chunk.all_headings}
            self._connection.executemany(
                "INSERT INTO headings VALUES (?, ?)", [(post_id, key) for key in sorted(keys)]
            )
            pairs = zip(pending.chunks, pending.vocabulary_coverage, strict=True)
            return post_id, tuple(self._add_chunk(post_id, chunk, share) for chunk, share in pairs)
        except BaseException:
            # Without a journal SQLite cannot roll back.
            self._connection.execute("DELETE FROM posts WHERE post_id = ?", [post_id])
            raise

    def write_translations(self, found: Iterable[Sequence[Translation]]) -> None:
        """Note which posts are translations of each other."""
        self._connection.execute("DELETE FROM translations")
        self._connection.executemany(
            "INSERT INTO translations VALUES (?, ?, ?, ?)",
            [
                (each.post, family, place, each.language)
                for family, group in enumerate(found)
                for place, each in enumerate(group)
            ],
        )

    def write_series(self, found: Iterable[Series]) -> None:
        """Note which posts are the parts of a series."""
        self._connection.execute("DELETE FROM series")
        self._connection.executemany(
            "INSERT INTO series VALUES (?, ?, ?, ?, ?)",
            [
                (each.post, number, place, series.name, each.part)
                for number, series in enumerate(found)
                for place, each in enumerate(series.parts)
            ],
        )

    def complete_texts(self) -> None:
        """Write all texts into a new shared file, if many have come or gone since the last one.

        They come after every post. Until then the new ones lie in this generation's own file.
        """
        chunks = self._count("SELECT count(*) FROM chunks")
        if self._is_new:
            self._connection.execute(f"PRAGMA shared.user_version = {chunks}")
            return
        newer = self._count("SELECT count(*) FROM main.texts")
        gone = self._count("PRAGMA shared.user_version") - (chunks - newer)
        if max(newer, gone) > REWRITTEN_SHARE * chunks:
            self._rewrite_texts(chunks)

    def _rewrite_texts(self, chunks: int) -> None:
        self._connection.commit()
        path = self._files.texts.with_suffix(".new")
        self._connection.execute("ATTACH ? AS fresh", [path.resolve().as_uri()])
        _unjournaled(self._connection, "fresh")
        self._connection.execute(SHARED.replace("shared.", "fresh."))
        for texts in ("shared.texts", "main.texts"):
            self._connection.execute(
                f"INSERT INTO fresh.texts SELECT chunk_id, text, plain FROM {texts} "
                "WHERE chunk_id IN (SELECT chunk_id FROM chunks) ORDER BY chunk_id"
            )
        self._connection.execute(f"PRAGMA fresh.user_version = {chunks}")
        self._connection.execute("DELETE FROM main.texts")
        self._connection.commit()
        for schema in ("fresh", "shared"):
            self._connection.execute(f"DETACH {schema}")
        path.replace(self._files.texts)
        self._connection.execute("ATTACH ? AS shared", [immutable(self._files.texts)])

    def _count(self, query: str) -> int:
        return int(self._connection.execute(query).fetchone()[0])

    def commit(self) -> None:
        """Let others read what is in by now; the file is as complete as what was put in."""
        self._connection.commit()

    def _add_chunk(self, post_id: int, chunk: Chunk, coverage: float) -> int:
        columns = {
            "post_id": post_id,
            "position": chunk.index,
            "headings": _column(chunk.headings),
            "first_line": chunk.first_line,
            "last_line": chunk.last_line,
            "readable": coverage,
            "anchor": chunk.anchor,
            "inner_headings": _column(chunk.inner_headings),
        }
        chunk_id = self._insert("chunks", columns)
        self._connection.execute(
            f"INSERT INTO {self._texts} VALUES (?, ?, ?)", (chunk_id, chunk.text, chunk.plain)
        )
        return chunk_id

    def _insert(self, table: str, columns: Mapping[str, object]) -> int:
        """Insert a row; return its id."""
        marks = ", ".join("?" * len(columns))
        cursor = self._connection.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", [*columns.values()]
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid


@contextmanager
def open_writer(
    files: GenerationFiles, previous: GenerationFiles | None
) -> Iterator[CatalogWriter]:
    """Open the catalog of `files`, new or with what `previous` holds; complete after the block.

    Raises OSError or sqlite3.OperationalError.
    """
    is_new = previous is None
    if previous is not None:
        shutil.copyfile(previous.catalog, files.catalog)
        link_or_copy(previous.texts, files.texts)
    with closing(sqlite3.connect(files.catalog.resolve().as_uri(), uri=True)) as connection:
        texts = files.texts.resolve().as_uri() if is_new else immutable(files.texts)
        connection.execute("ATTACH ? AS shared", [texts])
        for schema in ("main", "shared"):
            _unjournaled(connection, schema)
        connection.execute("PRAGMA foreign_keys = ON")
        if is_new:
            connection.executescript(SHARED + SCHEMA)
        yield CatalogWriter(connection, files, is_new=is_new)
        connection.commit()


def _column(value: object) -> object:
    """Return what a column holds of a field: JSON of a list."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else value
