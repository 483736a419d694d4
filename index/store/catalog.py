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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.errors import IndexBroken, UnknownPost
from blog_search_mcp.index.store.disk import GenerationFiles, is_disk_error
from blog_search_mcp.index.store.manifest import REBUILD
from blog_search_mcp.index.store.translations import Translation, Translations
from blog_search_mcp.index.types import (
    Chunk,
    Filters,
    Ids,
    Link,
    Post,
    Series,
    SeriesPart,
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
        found: Ids = self.posts[np.searchsorted(self.chunks, chunk_ids)]
        return found

    def of_posts(self, post_ids: Ids) -> tuple[Ids, Ids]:
        """Return all chunk ids of these posts, post by post in order, and how many each has."""
        first, last = (np.searchsorted(self.posts, post_ids, side=s) for s in ("left", "right"))
        counts = last - first
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.chunks[np.repeat(first, counts) + offsets], counts

    def chunks_of(self, post_ids: Sequence[int]) -> Ids:
        """Return all chunk ids of these posts, ascending."""
        found: Ids = self.chunks[np.isin(self.posts, np.asarray(post_ids, dtype=np.int64))]
        return found

    def vocabulary_coverage_of(self, chunk_ids: Ids) -> npt.NDArray[np.float64]:
        """Return the vocabulary coverage of each of these chunks, in [0, 1]."""
        found: npt.NDArray[np.float64] = self.vocabulary_coverage[
            np.searchsorted(self.chunks, chunk_ids)
        ]
        return found


def make_chunk_table(rows: Sequence[Any]) -> ChunkTable:
    """Make the table of rows of chunk id, post id and coverage, by post and place in it."""
    chunks, posts, coverage = zip(*rows, strict=True) if rows else ((), (), ())
    return ChunkTable(
        np.asarray(chunks, dtype=np.int64),
        np.asarray(posts, dtype=np.int64),
        np.asarray(coverage, dtype=np.float64),
    )


def write_chunk_table(path: Path, table: ChunkTable) -> None:
    """Write the table. Raises OSError."""
    with path.open("wb") as file:
        np.savez(file, table.chunks, table.posts, table.vocabulary_coverage)


def read_chunk_table(path: Path) -> ChunkTable:
    """Read the table. The caller has verified the file's checksum. Raises OSError or ValueError."""
    with np.load(path, allow_pickle=False) as found:
        return ChunkTable(*(found[name] for name in found.files))


POSTS_AT_ONCE = 128
"""Whose chunks are read by one query: some 5 MB."""

NEAREST = 3
"""Sources named when the one asked for is not there."""
PIECES, COMPARED = 4, 50
"""Parts of a name that was asked for, of which a few letters spoil few; sources to compare with it
letter by letter, which takes some .1 ms for each."""

POST_COLUMNS = (
    "posts.post_id, source, title, day, tags, description, slug, language, url, translation_key, "
    "series, part, aliases, canonical_url"
)
CHUNK_ROWS = (
    "SELECT chunk_id, source, position, coalesce(newer.text, earlier.text), "
    "coalesce(newer.plain, earlier.plain), headings, first_line, last_line, anchor, "
    "inner_headings FROM chunks JOIN posts USING (post_id) "
    "LEFT JOIN main.texts newer USING (chunk_id) LEFT JOIN shared.texts earlier USING (chunk_id)"
)


def post_of(row: Sequence[Any]) -> Post:
    """Make the post of a row of POST_COLUMNS."""
    _, source, title, day, tags, *texts, aliases, canonical_url = row
    rest = [*texts, _read_list(aliases), canonical_url]
    return Post(source, title, day, _read_list(tags), *rest)


@lru_cache(maxsize=1024)
def _read_list(text: str) -> tuple[str, ...]:
    """Read what many posts have alike: no aliases, and tags."""
    return tuple(json.loads(text))


def chunk_of(row: Sequence[Any]) -> Chunk:
    """Make the chunk of a row of CHUNK_ROWS."""
    _, source, position, text, plain, headings, first_line, last_line, anchor, inner = row
    path, within = (tuple(json.loads(each)) for each in (headings, inner))
    return Chunk(source, position, text, plain, path, first_line, last_line, anchor, within)


ReadTexts: TypeAlias = Callable[[Sequence[int]], Mapping[int, tuple[str, str]]]
"""Reads text and plain text of chunks by id."""

_READ_ERRORS = {sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ}


class Catalog:
    """One opened catalog; safe for concurrent use."""

    def __init__(self, connection: sqlite3.Connection, texts: ReadTexts | None = None) -> None:
        """Read through `connection`; `open_catalog` makes one for a finished file.

        `texts` reads those that its tables do not hold.
        """
        self._connection = connection
        self._texts = texts
        self._one_at_a_time = threading.Lock()

    def close(self) -> None:
        """Close the files."""
        self._connection.close()

    def matching_posts(self, filters: Filters) -> list[int] | None:
        """Return the ids of the posts that pass, or `None` if every post does."""
        conditions: list[str] = []
        values: list[str] = []
        if folder := (filters.section or "").strip("/"):
            conditions.append("(source >= ? AND source < ?)")
            values += [folder + "/", folder + "0"]  # "0" is the character after "/"
        if filters.tag:
            conditions.append("posts.post_id IN (SELECT post_id FROM tags WHERE tag = ?)")
            values.append(filters.tag.casefold())
        if filters.after:
            conditions.append("day >= ?")
            values.append(filters.after)
        if filters.before:
            conditions.append("day <= ?")
            values.append(filters.before)
        if not conditions:
            return None
        where = " AND ".join(conditions)
        return [row[0] for row in self.rows(f"SELECT post_id FROM posts WHERE {where}", values)]

    def chunk_table(self) -> ChunkTable:
        """Read which chunk is whose."""
        query = "SELECT chunk_id, post_id, readable FROM chunks ORDER BY chunk_id"
        return make_chunk_table(self.rows(query, []))

    def chunks(self, chunk_ids: Iterable[int]) -> dict[int, Chunk]:
        """Return these chunks by id. Raises IndexBroken."""
        query = f"{CHUNK_ROWS} WHERE chunk_id = ?"
        rows = [row for chunk_id in chunk_ids for row in self.rows(query, [chunk_id])]
        return {row[0]: chunk_of(row) for row in self._with_texts(rows)}

    def posts(self, post_ids: Iterable[int]) -> dict[int, Post]:
        """Return these posts by id."""
        query = (
            f"SELECT {POST_COLUMNS} FROM posts WHERE post_id IN (SELECT value FROM json_each(?))"
        )
        rows = self.rows(query, [json.dumps(list(post_ids))])
        return {row[0]: post_of(row) for row in rows}

    def every_post(self) -> dict[int, Post]:
        """Return all posts by id."""
        return {row[0]: post_of(row) for row in self.rows(f"SELECT {POST_COLUMNS} FROM posts", [])}

    def titles(self) -> list[tuple[int, str]]:
        """Return every post's id and title."""
        return self.rows("SELECT post_id, title FROM posts", [])

    def posts_with_heading(self, keys: Sequence[str]) -> list[int]:
        """Return the posts that have the heading of the first of these keys that any has.

        A key is one of `index.analysis.tokenizer.name_key`.
        """
        for key in keys:
            rows = self.rows("SELECT post_id FROM headings WHERE key = ?", [key])
            if rows:
                return [row[0] for row in rows]
        return []

    def find_post(self, source: str) -> tuple[int, Post] | None:
        """Find the post with exactly this source, and its id."""
        rows = self.rows(f"SELECT {POST_COLUMNS} FROM posts WHERE source = ?", [source])
        return (rows[0][0], post_of(rows[0])) if rows else None

    def require_post(self, source: str) -> tuple[int, Post]:
        """Find the post with exactly this source, and its id. Raises UnknownPost."""
        found = self.find_post(source)
        if found is None:
            raise UnknownPost(source, self._nearest(source))
        return found

    def _nearest(self, source: str) -> tuple[str, ...]:
        """Return NEAREST sources at most: those of the same file name first, then those alike.

        Only the COMPARED ones are looked at that have the name, or most of its PIECES.
        """
        name = source.rpartition("/")[2]
        stem = name.rpartition(".")[0] or name
        size = -(-len(stem) // PIECES) or 1
        pieces = [stem[start : start + size] for start in range(0, len(stem), size)]
        has_name = "(instr('/' || lower(source), lower(?)) > 0)"
        shared = " + ".join([has_name, *["(instr(source, ?) > 0)"] * len(pieces)])
        query = f"SELECT source FROM posts ORDER BY {shared} DESC, source LIMIT {COMPARED}"
        likely = [row[0] for row in self.rows(query, [f"/{name}", *pieces])]
        same_name = [each for each in likely if _name(each) == _name(source)]
        close = difflib.get_close_matches(source, likely, NEAREST, cutoff=0.5)
        return tuple(dict.fromkeys([*same_name, *close]))[:NEAREST]

    def chunks_of(self, *post_ids: int) -> dict[int, Chunk]:
        """Return the chunks of these posts by id, each post's in order. Raises IndexBroken."""
        posts = "SELECT value FROM json_each(?)"
        query = f"{CHUNK_ROWS} WHERE post_id IN ({posts}) ORDER BY post_id, position"
        rows = self.rows(query, [json.dumps(post_ids)])
        return {row[0]: chunk_of(row) for row in self._with_texts(rows)}

    def chunks_by_post(self) -> Iterator[tuple[int, list[Chunk]]]:
        """Yield every post's id with its chunks in order, ascending. Raises IndexBroken."""
        posts = self.rows("SELECT post_id, source FROM posts ORDER BY post_id", [])
        for start in range(0, len(posts), POSTS_AT_ONCE):
            block = posts[start : start + POSTS_AT_ONCE]
            found: dict[str, list[Chunk]] = {source: [] for _, source in block}
            for chunk in self.chunks_of(*(post_id for post_id, _ in block)).values():
                found[chunk.source].append(chunk)
            for post_id, source in block:
                yield post_id, found[source]

    def _with_texts(self, rows: list[Any]) -> list[Any]:
        """Fill in the texts that the tables do not hold, in rows of CHUNK_ROWS."""
        missing = [row[0] for row in rows if row[3] is None]
        if not missing or self._texts is None:
            return rows
        found = self._texts(missing)
        return [(*row[:3], *found[row[0]], *row[5:]) if row[3] is None else row for row in rows]

    def vocabulary_coverage(self, post_id: int) -> tuple[float, ...]:
        """Return the vocabulary coverage of each chunk of a post, in the order of the post."""
        query = "SELECT readable FROM chunks WHERE post_id = ? ORDER BY position"
        return tuple(row[0] for row in self.rows(query, [post_id]))

    def links(self) -> dict[int, tuple[Link, ...]]:
        """Return every post's links by its id, in the order of the post; none for most posts."""
        query = "SELECT post_id, href, words, line FROM links ORDER BY post_id, rowid"
        by_post = groupby(self.rows(query, []), key=itemgetter(0))
        return {post: tuple(Link(*row[1:]) for row in rows) for post, rows in by_post}

    def anchors(self) -> dict[int, tuple[str, ...]]:
        """Return by post what may stand behind `#` in a link to it, where that is known."""
        rows = self.rows("SELECT post_id, anchors FROM posts WHERE anchors <> '[]'", [])
        return {post: tuple(json.loads(anchors)) for post, anchors in rows}

    def translations(self) -> Translations:
        """Read which posts are translations of one another."""
        rows = self.rows(
            "SELECT family, post_id, source, translations.language FROM translations "
            "JOIN posts USING (post_id) ORDER BY family, place",
            [],
        )
        return Translations(
            [Translation(*row[1:]) for row in family]
            for _, family in groupby(rows, key=itemgetter(0))
        )

    def series(self) -> dict[int, Series]:
        """Read the series of each post that is in one, by its id."""
        rows = self.rows(
            "SELECT number, name, post_id, source, series.part FROM series "
            "JOIN posts USING (post_id) ORDER BY number, place",
            [],
        )
        found: dict[int, Series] = {}
        for (_, name), of_one in groupby(rows, key=itemgetter(0, 1)):
            parts = tuple(SeriesPart(*row[2:]) for row in of_one)
            found |= dict.fromkeys((each.post for each in parts), Series(name, parts))
        return found

    def languages(self) -> dict[str, int]:
        """Count the posts in each language."""
        return dict(self.rows("SELECT language, count(*) FROM posts GROUP BY language", []))

    def count(self) -> int:
        """Count the chunks."""
        return int(self.rows("SELECT count(*) FROM chunks", [])[0][0])

    def headings(self, without: Ids) -> list[str]:
        """Return the innermost heading of every chunk that has one, but for these chunks."""
        left_out = set(without.tolist())
        rows = self.rows("SELECT chunk_id, headings FROM chunks WHERE headings <> '[]'", [])
        return [json.loads(row[1])[-1] for row in rows if row[0] not in left_out]

    def sample(self, characters: int) -> str:
        """Return text from all over the blog, about `characters` of it."""
        count = max(self.count(), 1)
        each = max(characters // count, 40)
        step = max(count * each // characters, 1)
        rows = self._with_texts(self.rows(f"{CHUNK_ROWS} WHERE chunk_id % ? = 0", [step]))
        return "\n".join(row[4][:each] for row in rows)

    def sources(self) -> list[str]:
        """Return every post's source, sorted."""
        return [row[0] for row in self.rows("SELECT source FROM posts ORDER BY source", [])]

    def rows(self, query: str, values: Sequence[object]) -> list[Any]:
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


def _name(source: str) -> str:
    return source.rpartition("/")[2].casefold()


def open_catalog(files: GenerationFiles, texts: ReadTexts | None = None) -> Catalog:
    """Open a generation's catalog, read-only. The caller has verified its files' checksums.

    `texts` reads those that it does not hold.
    """
    connection = sqlite3.connect(immutable(files.catalog), uri=True, check_same_thread=False)
    connection.execute("ATTACH ? AS shared", [immutable(files.texts)])
    return Catalog(connection, texts)


def immutable(path: Path) -> str:
    """Return the address of a database that is read and that nobody changes."""
    return f"{path.resolve().as_uri()}?mode=ro&immutable=1"
