"""The catalog: posts and chunks in SQLite, read side.

Text is served from here and not from the content folder, so that what is read
and what was searched can never disagree. The file belongs to an immutable
generation, so it is opened as one: no locks, no journal, any number of servers. Most texts lie
in a second file, which many generations share.
"""

from __future__ import annotations

import difflib
import json
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.errors import IndexBroken, UnknownPost
from blog_search_mcp.index.store.disk import GenerationFiles, make_disk_error
from blog_search_mcp.index.store.manifest import REBUILD
from blog_search_mcp.index.types import (
    Chunk,
    Filters,
    Ids,
    Link,
    Post,
    Series,
    SeriesPart,
    Translation,
    Translations,
)


@dataclass(frozen=True, slots=True)
class ChunkTable:
    """All chunks of one generation, in the order of posts and of chunks in them.

    A post's chunks get their ids after those of every earlier post, in their own order, so that
    ids ascend too.
    """

    chunks: Ids
    posts: Ids
    """By place, the post that the chunk is of."""
    vocabulary_coverage: npt.NDArray[np.float64]
    """By place, the share of the chunk that the embedder's vocabulary covers, in [0, 1]."""

    def posts_of(self, chunk_ids: Ids) -> Ids:
        """Return the post of each of these chunks, which all exist."""
        posts: Ids = self.posts[np.searchsorted(self.chunks, chunk_ids)]
        return posts

    def of_posts(self, post_ids: Ids) -> tuple[Ids, Ids]:
        """Return all chunk ids of these posts, post by post in order, and how many each has."""
        places, counts = places_of(self.posts, post_ids)
        return self.chunks[places], counts

    def chunks_of(self, post_ids: Sequence[int]) -> Ids:
        """Return all chunk ids of these posts, ascending."""
        return self.of_posts(np.unique(np.asarray(post_ids, dtype=np.int64)))[0]

    def vocabulary_coverage_of(self, chunk_ids: Ids) -> npt.NDArray[np.float64]:
        """Return the vocabulary coverage of each of these chunks, in [0, 1]."""
        places = np.searchsorted(self.chunks, chunk_ids)
        coverage: npt.NDArray[np.float64] = self.vocabulary_coverage[places]
        return coverage


def places_of(ascending: Ids, wanted: Ids) -> tuple[Ids, Ids]:
    """Return the places of all that equal each wanted id, id by id, and how many each has."""
    low, high = (np.searchsorted(ascending, wanted, side=side) for side in ("left", "right"))
    counts = high - low
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(low, counts) + within, counts


def write_chunk_table(path: Path, table: ChunkTable) -> None:
    """Write the table. Raises OSError."""
    with path.open("wb") as file:
        np.savez(file, table.chunks, table.posts, table.vocabulary_coverage)


def read_chunk_table(path: Path) -> ChunkTable:
    """Read the table. The caller has verified the file's checksum. Raises OSError or ValueError."""
    with np.load(path, allow_pickle=False) as columns:
        return ChunkTable(*(columns[name] for name in columns.files))


POSTS_AT_ONCE = 128
"""Whose chunks are read by one query: some 5 MB."""

NEAREST, COMPARED = 3, 50
"""Sources named when the one asked for is not there; those compared with it letter by letter, which
takes some .1 ms for each."""

POST_FIELDS = tuple(field.name for field in fields(Post))
POST_COLUMNS = ", ".join(f"posts.{name}" for name in ("post_id", *POST_FIELDS))
CHUNK_ROWS = (
    "SELECT chunk_id, source, position, coalesce(newer.text, earlier.text), "
    "coalesce(newer.plain, earlier.plain), headings, first_line, last_line, anchor, "
    "inner_headings FROM chunks JOIN posts USING (post_id) "
    "LEFT JOIN main.texts newer USING (chunk_id) LEFT JOIN shared.texts earlier USING (chunk_id)"
)
OF_LIST = "IN (SELECT value FROM json_each(?))"

_DISK_ERRORS = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
_READ_ERRORS = {sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ}


@contextmanager
def translate_disk_errors() -> Iterator[None]:
    """Raise IndexProblem for what the system or SQLite reports of the disk in this block.

    Anything else is raised as it is.
    """
    try:
        yield
    except OSError as error:
        raise make_disk_error(error) from error
    except sqlite3.OperationalError as error:
        if not is_disk_error(error):
            raise
        raise make_disk_error(error) from error


def is_disk_error(error: sqlite3.DatabaseError) -> bool:
    """Whether the disk is the reason, and not the statement or what was read."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DISK_ERRORS


def post_of(row: Sequence[Any]) -> Post:
    """Make the post of a row of POST_COLUMNS."""
    columns = dict(zip(POST_FIELDS, row[1:], strict=True))
    lists = {name: _read_list(columns[name]) for name in ("tags", "aliases")}
    return Post(**columns | lists)


@lru_cache(maxsize=1024)
def _read_list(text: str) -> tuple[str, ...]:
    """Read what many posts have alike: no aliases, and tags."""
    return tuple(json.loads(text))


def chunk_of(row: Sequence[Any]) -> Chunk:
    """Make the chunk of a row of CHUNK_ROWS."""
    _, source, position, text, plain, headings, first_line, last_line, anchor, inner = row
    path, within = tuple(json.loads(headings)), tuple(json.loads(inner))
    return Chunk(source, position, text, plain, path, first_line, last_line, anchor, within)


class Catalog:
    """One opened catalog; safe for concurrent use."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read through `connection`; `open_catalog` makes one for a finished file."""
        self._connection = connection
        self._one_at_a_time = threading.Lock()

    def close(self) -> None:
        """Close the files."""
        self._connection.close()

    def matching_posts(self, filters: Filters) -> list[int] | None:
        """Return the ids of the posts that pass, or `None` if every post does."""
        folder = (filters.section or "").strip("/")
        conditions = {
            "source >= ?": folder and folder + "/",
            "source < ?": folder and folder + "0",  # "0" is the character after "/"
            "post_id IN (SELECT post_id FROM tags WHERE tag = ?)": (filters.tag or "").casefold(),
            "date >= ?": filters.after,
            "date <= ?": filters.before,
        }
        given = {condition: value for condition, value in conditions.items() if value}
        if not given:
            return None
        query = f"SELECT post_id FROM posts WHERE {' AND '.join(given)}"
        return [row[0] for row in self.rows(query, [*given.values()])]

    def chunk_table(self) -> ChunkTable:
        """Read which chunk is whose."""
        rows = self.rows("SELECT chunk_id, post_id, readable FROM chunks ORDER BY chunk_id")
        chunks, posts, coverage = zip(*rows, strict=True) if rows else ((), (), ())
        ids, owners = (np.asarray(column, dtype=np.int64) for column in (chunks, posts))
        return ChunkTable(ids, owners, np.asarray(coverage, dtype=np.float64))

    def chunks(self, chunk_ids: Iterable[int]) -> dict[int, Chunk]:
        """Return these chunks by id."""
        query = f"{CHUNK_ROWS} WHERE chunk_id = ?"
        rows = (row for chunk_id in chunk_ids for row in self.rows(query, [chunk_id]))
        return {row[0]: chunk_of(row) for row in rows}

    def posts(self, post_ids: Iterable[int]) -> dict[int, Post]:
        """Return these posts by id."""
        return self._posts(f"WHERE post_id {OF_LIST}", [json.dumps(list(post_ids))])

    def every_post(self) -> dict[int, Post]:
        """Return all posts by id."""
        return self._posts("", [])

    def _posts(self, where: str, values: Sequence[object]) -> dict[int, Post]:
        rows = self.rows(f"SELECT {POST_COLUMNS} FROM posts {where}", values)
        return {row[0]: post_of(row) for row in rows}

    def titles(self) -> list[tuple[int, str]]:
        """Return every post's id and title."""
        return self.rows("SELECT post_id, title FROM posts")

    def posts_with_heading(self, keys: Sequence[str]) -> list[int]:
        """Return the posts that have the heading of the first of these keys that any has.

        A key is one of `index.analysis.tokenizer.name_key`.
        """
        for key in keys:
            if rows := self.rows("SELECT post_id FROM headings WHERE key = ?", [key]):
                return [row[0] for row in rows]
        return []

    def require_post(self, source: str) -> tuple[int, Post]:
        """Find the post with exactly this source, and its id. Raises UnknownPost."""
        for post in self._posts("WHERE source = ?", [source]).items():
            return post
        raise UnknownPost(source, self._nearest(source))

    def _nearest(self, source: str) -> tuple[str, ...]:
        """Return NEAREST sources at most: those of the same file name first, then those alike.

        Only the COMPARED ones are looked at that have the name, or a half of it.
        """
        name = source.rpartition("/")[2]
        stem = name.rpartition(".")[0] or name
        parts = [name, stem[: len(stem) // 2 + 1], stem[len(stem) // 2 :]]
        has_parts = " + ".join(["(instr(lower(source), lower(?)) > 0)"] * len(parts))
        query = f"SELECT source FROM posts ORDER BY {has_parts} DESC, source LIMIT {COMPARED}"
        likely = [row[0] for row in self.rows(query, parts)]
        ending = f"/{name}".casefold()
        same_name = [each for each in likely if f"/{each}".casefold().endswith(ending)]
        close = difflib.get_close_matches(source, likely, NEAREST, cutoff=0.5)
        return tuple(dict.fromkeys([*same_name, *close]))[:NEAREST]

    def chunks_of(self, *post_ids: int) -> dict[int, Chunk]:
        """Return the chunks of these posts by id, each post's in order."""
        query = f"{CHUNK_ROWS} WHERE post_id {OF_LIST} ORDER BY post_id, position"
        return {row[0]: chunk_of(row) for row in self.rows(query, [json.dumps(post_ids)])}

    def chunks_by_post(self) -> Iterator[tuple[int, list[Chunk]]]:
        """Yield every post's id with its chunks in order, ascending."""
        posts = self.rows("SELECT post_id, source FROM posts ORDER BY post_id")
        for start in range(0, len(posts), POSTS_AT_ONCE):
            block = posts[start : start + POSTS_AT_ONCE]
            by_source: dict[str, list[Chunk]] = {source: [] for _, source in block}
            for chunk in self.chunks_of(*(post_id for post_id, _ in block)).values():
                by_source[chunk.source].append(chunk)
            yield from ((post_id, by_source[source]) for post_id, source in block)

    def vocabulary_coverage(self, post_id: int) -> tuple[float, ...]:
        """Return the vocabulary coverage of each chunk of a post, in the order of the post."""
        query = "SELECT readable FROM chunks WHERE post_id = ? ORDER BY position"
        return tuple(row[0] for row in self.rows(query, [post_id]))

    def links(self) -> dict[int, tuple[Link, ...]]:
        """Return every post's links by its id, in the order of the post; none for most posts."""
        rows = self.rows("SELECT post_id, href, words, line FROM links ORDER BY post_id, rowid")
        by_post = groupby(rows, key=itemgetter(0))
        return {post: tuple(Link(*row[1:]) for row in of_post) for post, of_post in by_post}

    def anchors(self) -> dict[int, tuple[str, ...]]:
        """Return by post what may stand behind `#` in a link to it, where that is known."""
        rows = self.rows("SELECT post_id, anchors FROM posts WHERE anchors <> '[]'")
        return {post: tuple(json.loads(anchors)) for post, anchors in rows}

    def translations(self) -> Translations:
        """Read which posts are translations of one another."""
        rows = self.rows(
            "SELECT family, post_id, source, translations.language FROM translations "
            "JOIN posts USING (post_id) ORDER BY family, place"
        )
        families = groupby(rows, key=itemgetter(0))
        return Translations([Translation(*row[1:]) for row in family] for _, family in families)

    def series(self) -> dict[int, Series]:
        """Read the series of each post that is in one, by its id."""
        rows = self.rows(
            "SELECT number, name, post_id, source, series.part FROM series "
            "JOIN posts USING (post_id) ORDER BY number, place"
        )
        by_post: dict[int, Series] = {}
        for (_, name), members in groupby(rows, key=itemgetter(0, 1)):
            parts = tuple(SeriesPart(*row[2:]) for row in members)
            by_post |= dict.fromkeys((part.post for part in parts), Series(name, parts))
        return by_post

    def languages(self) -> dict[str, int]:
        """Count the posts in each language."""
        return dict(self.rows("SELECT language, count(*) FROM posts GROUP BY language"))

    def headings(self, without: Ids) -> list[str]:
        """Return the innermost heading of every chunk that has one, but for these chunks."""
        left_out = set(without.tolist())
        rows = self.rows("SELECT chunk_id, headings FROM chunks WHERE headings <> '[]'")
        return [json.loads(row[1])[-1] for row in rows if row[0] not in left_out]

    def sample(self, characters: int) -> str:
        """Return text from all over the blog, about `characters` of it."""
        [[chunks]] = self.rows("SELECT max(count(*), 1) FROM chunks")
        length = max(characters // chunks, 40)
        step = max(chunks * length // characters, 1)
        rows = self.rows(f"{CHUNK_ROWS} WHERE chunk_id % ? = 0", [step])
        return "\n".join(row[4][:length] for row in rows)

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        """Run a query of `index.store.catalog_writer`'s tables; one runs at a time.

        Raises IndexBroken for a damaged file, sqlite3.OperationalError for what the disk refuses.
        """
        try:
            with self._one_at_a_time:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            if is_disk_error(error) and error.sqlite_errorcode not in _READ_ERRORS:
                raise
            raise IndexBroken(f"The index's texts cannot be read. {REBUILD}") from error


def open_catalog(files: GenerationFiles) -> Catalog:
    """Open a generation's catalog, read-only, until the last reference to it is gone.

    The caller has verified its files' checksums.
    """
    connection = sqlite3.connect(immutable(files.catalog), uri=True, check_same_thread=False)
    connection.execute("ATTACH ? AS shared", [immutable(files.texts)])
    catalog = Catalog(connection)
    weakref.finalize(catalog, connection.close)
    return catalog


def immutable(path: Path) -> str:
    """Return the address of a database that is read and that nobody changes."""
    return f"{path.resolve().as_uri()}?mode=ro&immutable=1"
