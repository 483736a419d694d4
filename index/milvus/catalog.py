"""The catalog of an index in Milvus: the same tables in memory, filled from the rows of posts.

A post's row is JSON of its rows in every table. Texts stay on the server, but for those that do
not fit a field, which are part of the post.
"""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.index.milvus.client import Milvus
from blog_search_mcp.index.milvus.schema import (
    CHUNK,
    CHUNKS_FIELDS,
    MOST_TEXT_BYTES,
    PLAIN,
    TEXT,
)
from blog_search_mcp.index.store.catalog_writer import SCHEMA, SHARED
from blog_search_mcp.index.store.manifest import REBUILD

_OF_POST: Final = ("posts", "links", "tags", "headings", "chunks")
"""Tables that each have a post's rows by `post_id`, in an order that references allow."""

_RELATIONS: Final = {"translations": 4, "series": 5}
"""What posts are to each other: tables that each generation has anew, and their columns."""


def dump_post(connection: sqlite3.Connection, post_id: int) -> str:
    """Write a post of the catalog as JSON, with the texts that fit no field."""
    tables: dict[str, Any] = {
        name: connection.execute(f"SELECT * FROM {name} WHERE post_id = ?", [post_id]).fetchall()
        for name in _OF_POST
    }
    tables["texts"] = [
        row
        for schema in ("main", "shared")
        for row in connection.execute(
            f"SELECT t.* FROM {schema}.texts t JOIN chunks USING (chunk_id) WHERE post_id = ?",
            [post_id],
        )
        if not fits_field(*row[1:3])
    ]
    return json.dumps(tables, ensure_ascii=False, separators=(",", ":"))


def fits_field(*texts: str) -> bool:
    """Whether each of these texts fits a field."""
    return all(len(text.encode()) <= MOST_TEXT_BYTES for text in texts)


def load_posts(connection: sqlite3.Connection, posts: Iterable[str]) -> None:
    """Put posts that `dump_post` wrote into the catalog. Raises IndexBroken."""
    try:
        for text in posts:
            for name, rows in json.loads(text).items():
                if name in (*_OF_POST, "texts") and rows:
                    marks = ", ".join("?" * len(rows[0]))
                    connection.executemany(f"INSERT INTO main.{name} VALUES ({marks})", rows)
    except (ValueError, AttributeError, TypeError, sqlite3.Error) as error:
        raise IndexBroken(f"The index's posts cannot be read. {REBUILD}") from error


def dump_relations(connection: sqlite3.Connection) -> str:
    """Write what posts are to each other, and the last ids that were used, as JSON."""
    found = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in _RELATIONS}
    query = "SELECT name, seq FROM main.sqlite_sequence ORDER BY name"
    found["sqlite_sequence"] = connection.execute(query).fetchall()
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def load_relations(connection: sqlite3.Connection, text: str) -> None:
    """Put what `dump_relations` wrote into a catalog that has the posts. Raises IndexBroken."""
    try:
        found = json.loads(text)
        for name, columns in _RELATIONS.items():
            connection.execute(f"DELETE FROM {name}")
            marks = ", ".join("?" * columns)
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", found[name])
        connection.execute("DELETE FROM main.sqlite_sequence")
        connection.executemany(
            "INSERT INTO main.sqlite_sequence VALUES (?, ?)", found["sqlite_sequence"]
        )
        connection.commit()
    except (ValueError, KeyError, TypeError, sqlite3.Error) as error:
        raise IndexBroken(f"The index's posts cannot be read. {REBUILD}") from error


def open_in_memory() -> sqlite3.Connection:
    """Make an empty catalog in memory, for threads that take turns."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute("ATTACH ':memory:' AS shared")
    connection.executescript(SHARED + SCHEMA)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


class TextReader:
    """Reads the texts of chunks from the collections that have them; a ReadTexts."""

    def __init__(self, milvus: Milvus, firsts: Sequence[int], collections: Sequence[str]) -> None:
        """Take collections of chunks with the first id in each, ascending."""
        self._milvus = milvus
        self._firsts = firsts
        self._collections = collections

    def __call__(self, chunk_ids: Sequence[int]) -> Mapping[int, tuple[str, str]]:
        """Read text and plain text by chunk id. Raises IndexProblem."""
        wanted: dict[str, list[int]] = {}
        for chunk in chunk_ids:
            place = bisect_right(self._firsts, chunk) - 1
            if place >= 0:
                wanted.setdefault(self._collections[place], []).append(chunk)
        found = {}
        for name, ids in wanted.items():
            for row in self._milvus.get(name, CHUNKS_FIELDS[0], ids, [CHUNK, TEXT, PLAIN]):
                found[int(row[CHUNK])] = (str(row[TEXT]), str(row[PLAIN]))
        if not found.keys() >= set(chunk_ids):
            raise IndexBroken(f"The index has lost texts. {REBUILD}")
        return found
