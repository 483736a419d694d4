"""The catalog: posts and chunks in SQLite, read side.

Text is served from here and not from the content folder, so that the text shown is the text that
was searched. The files belong to an immutable generation, so they are opened without locks or a
journal, by any number of servers. Most texts lie in a second file, which many generations share.
"""

import json
import re
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property, partial
from itertools import accumulate, groupby, starmap
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.errors import IndexBroken, NotInIndex, find_nearest
from blog_search_mcp.index.store.disk import GenerationFiles, make_disk_error
from blog_search_mcp.index.store.manifest import REBUILD
from blog_search_mcp.index.text.display import compose
from blog_search_mcp.index.text.tokenizer import name_key, split_name
from blog_search_mcp.index.types import (
    Chunk,
    Filters,
    Ids,
    Link,
    Order,
    Post,
    Posts,
    Replacement,
    Series,
    SeriesPart,
    Translation,
    Translations,
)


@dataclass(frozen=True, slots=True)
class ChunkTable:
    """Chunk ids of one generation, ascending, with the post and vocabulary coverage of each.

    Chunk ids ascend with post ids, and within a post in the order of the text.
    """

    chunks: Ids
    posts: Ids
    vocabulary_coverage: npt.NDArray[np.float64]
    """Share of each chunk that the embedder's vocabulary covers, in [0, 1]."""

    def posts_of_chunks(self, chunk_ids: Ids) -> Ids:
        """Return the post of each of these chunks, which all exist."""
        return self.posts.take(np.searchsorted(self.chunks, chunk_ids))

    def chunk_ids_by_post(self, post_ids: Ids) -> tuple[Ids, Ids]:
        """Return all chunk ids of these posts, post by post, and how many each post has."""
        places, counts = locate_ids(self.posts, post_ids)
        return self.chunks[places], counts

    def chunk_ids_of(self, post_ids: Sequence[int]) -> Ids:
        """Return all chunk ids of these posts, ascending."""
        return self.chunk_ids_by_post(np.unique(np.asarray(post_ids, dtype=np.int64)))[0]

    def vocabulary_coverage_of(self, chunk_ids: Ids) -> npt.NDArray[np.float64]:
        """Return the vocabulary coverage of each of these chunks, in [0, 1]."""
        return self.vocabulary_coverage.take(np.searchsorted(self.chunks, chunk_ids))


def locate_ids(ascending: Ids, wanted: Ids) -> tuple[Ids, Ids]:
    """Return the indexes of each wanted id in a sorted array, and their counts.

    For `[1, 1, 3]` and `[3, 1]` these are `[2, 0, 1]` and `[1, 2]`.
    """
    low, high = (np.searchsorted(ascending, wanted, side=side) for side in ("left", "right"))
    counts = high - low
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(low, counts) + within, counts


POST_FIELDS, CHUNK_FIELDS = ([field.name for field in fields(kind)] for kind in (Post, Chunk))
_POST_COLUMNS = ", ".join(f"posts.{name}" for name in ("post_id", *POST_FIELDS))
_CHUNK_ROWS = (
    "SELECT chunk_id, source, position, coalesce(newer.text, earlier.text), "
    "coalesce(newer.plain, earlier.plain), headings, first_line, last_line, chunks.anchors, "
    "inner_headings, readable, lead FROM chunks JOIN posts USING (post_id) "
    "LEFT JOIN main.texts newer USING (chunk_id) LEFT JOIN shared.texts earlier USING (chunk_id)"
)
"""Columns in the order of `Chunk`'s fields: `position` is `index`, `readable` is `coverage`."""
IN_LIST = "IN (SELECT value FROM json_each(?))"
_NEWEST = "coalesce(date, '') DESC, source"
_ORDERS: dict[Order, str] = {
    "newest": _NEWEST,
    "oldest": "date IS NULL, date, source",
    "title": "title COLLATE NOCASE, source",
}
"""SQL of each order. Posts without a date come last in both orders by date."""


@contextmanager
def translate_disk_errors() -> Iterator[None]:
    """Raise IndexProblem for disk errors of the system, SQLite or tantivy in this block."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        raise make_disk_error(error) from error
    except ValueError as error:  # tantivy's only exception, here for a failure of the disk
        if not re.search(r"os error \d|IoError|io::Error|IO error", str(error)):
            raise
        raise make_disk_error(error) from error


def _read_fields(names: Sequence[str], lists: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    """Return the columns after the id by `names`; those in `lists` are parsed as JSON."""
    columns = dict(zip(names, row[1:], strict=True))
    return columns | {name: tuple(json.loads(columns[name])) for name in lists}


class Catalog:
    """One opened catalog; safe for concurrent use."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._one_at_a_time = threading.Lock()

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        """Run a query on the tables of `index.store.catalog_writer`; one query runs at a time.

        Raises IndexBroken for a damaged file, and sqlite3.OperationalError for errors of the disk.
        """
        try:
            with self._one_at_a_time:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            raise IndexBroken("The index's texts cannot be read.", REBUILD) from error

    def matching_posts(self, filters: Filters, links_to: str = "") -> list[int] | None:
        """Return ids of posts that meet all filters and link to `links_to`; `None` means all."""
        section, tag, author = filters.section, filters.tag, filters.author
        conditions = {
            "EXISTS (SELECT 1 FROM json_each(?) WHERE instr(source, value || '/') = 1)": section
            and find_folders(section, self._folders()),
            f"post_id IN (SELECT post_id FROM tags WHERE tag {IN_LIST})": tag
            and find_tags(tag, (row[0] for row in self.rows("SELECT DISTINCT tag FROM tags"))),
            "date >= ?": filters.after,
            "date <= ?": filters.before,
            "source IN (SELECT source FROM linked WHERE kind = '' AND target = ?)": links_to,
            f"EXISTS (SELECT 1 FROM json_each(authors) WHERE value {IN_LIST})": author
            and _find_names(author, self.authors, split_name, set.issuperset),
        }
        applied = {condition: it for condition, it in conditions.items() if it not in (None, "")}
        if not applied:
            return None
        query = f"SELECT post_id FROM posts WHERE {' AND '.join(applied)}"
        values = [json.dumps(it) if isinstance(it, list) else it for it in applied.values()]
        return [row[0] for row in self.rows(query, values)]

    def _folders(self) -> set[str]:
        paths = (row[0].split("/")[:-1] for row in self.rows("SELECT source FROM posts"))
        return {folder for path in paths for folder in accumulate(path, "{}/{}".format)}

    @cached_property
    def authors(self) -> list[str]:
        """Names of all authors."""
        return [row[0] for row in self.rows("SELECT DISTINCT value FROM posts, json_each(authors)")]

    def posts(self, post_ids: Iterable[int]) -> dict[int, Post]:
        """Return these posts by id."""
        return self._posts(f"WHERE post_id {IN_LIST}", json.dumps(list(post_ids)))

    def every_post(self) -> dict[int, Post]:
        """Return all posts by id."""
        return self._posts("")

    def list_posts(
        self, filters: Filters, order: Order, limit: int, offset: int, links_to: str = ""
    ) -> Posts:
        """List up to `limit` posts from `offset` on that meet all filters and link to a source."""
        among = self.matching_posts(filters, links_to)
        where = "" if among is None else f"WHERE post_id {IN_LIST}"
        values = [] if among is None else [json.dumps(among)]
        ordered = f"{where} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?"
        [[total]] = self.rows(f"SELECT count(*) FROM posts {where}", values)
        return Posts(tuple(self._posts(ordered, *values, limit, offset).values()), total, offset)

    def posts_after(self, cursor: tuple[str, str] | None, limit: int) -> tuple[Post, ...]:
        """List posts, newest first, after the post of `cursor`: (its ISO day or `""`, its source).

        `None` starts the list. Unlike an offset, a cursor is valid in every generation.
        """
        day, source = cursor or ("~", "")  # "~" sorts behind every day
        selection = (
            "WHERE coalesce(date, '') < ? OR (coalesce(date, '') = ? AND source > ?) "
            f"ORDER BY {_NEWEST} LIMIT ?"
        )
        return tuple(self._posts(selection, day, day, source, limit).values())

    def years(self) -> list[tuple[int, int]]:
        """List the years in which posts are dated, newest first, each with its number of posts."""
        return self.rows(
            "SELECT CAST(substr(date, 1, 4) AS INTEGER) AS year, count(*) FROM posts "
            "WHERE date <> '' GROUP BY year ORDER BY year DESC"
        )

    def titles_by_source(self) -> list[tuple[str, str]]:
        """List every post's source and title, newest first."""
        return self.rows(f"SELECT source, title FROM posts ORDER BY {_NEWEST}")

    def names_by_post(self) -> list[tuple[int, str]]:
        """List (post id, name) rows: each post's title, aliases that are no paths, and authors."""
        return self.rows(
            "SELECT post_id, title FROM posts UNION SELECT post_id, value FROM posts, "
            "json_each(aliases) WHERE value NOT LIKE '%/%' "
            "UNION SELECT post_id, value FROM posts, json_each(authors)"
        )

    def posts_with_heading(self, keys: Sequence[str]) -> list[int]:
        """Return ids of posts with the first of these keys that any heading has, else `[]`."""
        for key in keys:
            if rows := self.rows("SELECT post_id FROM headings WHERE key = ?", [key]):
                return [row[0] for row in rows]
        return []

    def require_post(self, source: str) -> tuple[int, Post]:
        """Return the id and the post with exactly this source. Raises NotInIndex."""
        for post in self._posts("WHERE source = ?", source).items():
            return post
        sources = self.rows("SELECT source FROM posts ORDER BY source")
        nearest = ", ".join(find_nearest(source, (row[0] for row in sources)))
        advice = f" Nearest: {nearest}." if nearest else ""
        raise NotInIndex(f"No post {source!r} in the index.{advice} Use the source of a hit.")

    def find_post(self, name: str) -> tuple[int, Post]:
        """Find a post by source, URL, alias, an end of these, or a path that ends with its source.

        The match must be unique. Case, file suffix and quotes are ignored. Raises NotInIndex.
        """
        for post in self._posts("WHERE source = ?", name).items():
            return post
        sources = self.find_sources(name)
        return self.require_post(sources[0] if len(sources) == 1 else name)

    def find_sources(self, name: str) -> list[str]:
        """Return the sources of all posts that match a name as in `find_post`."""
        place, union = _normalize_path(name), "SELECT source, value FROM posts, json_each(aliases)"
        rows = self.rows(f"SELECT source, url FROM posts UNION {union}")
        is_path = re.match(r"\W*(?:/|~|[a-z]:|file:)", name, re.IGNORECASE)
        same, ends = list[str](), list[str]()
        for source, url in rows:
            file, page = _normalize_path(source), _normalize_path(url or "")
            is_longer = is_path and place.endswith(file or "?")
            if place in (file, page):
                same.append(source)
            if is_longer or file.endswith(place) or page.endswith(place):
                ends.append(source)
        return list(dict.fromkeys(same or ends)) if len(place) > 1 else []

    def chunks(self, chunk_ids: Iterable[int]) -> dict[int, Chunk]:
        """Return these chunks by id, ascending."""
        return self._chunks(f"WHERE chunk_id {IN_LIST} ORDER BY chunk_id", list(chunk_ids))

    def chunks_of(self, *post_ids: int) -> dict[int, Chunk]:
        """Return the chunks of these posts by id, post by post, in the order of the text."""
        return self._chunks(f"WHERE post_id {IN_LIST} ORDER BY post_id, position", post_ids)

    def chunk_table(self) -> ChunkTable:
        """Read the ids, posts and vocabulary coverage of all chunks."""
        rows = self.rows("SELECT chunk_id, post_id, readable FROM chunks ORDER BY chunk_id")
        chunks, posts, coverage = zip(*rows, strict=True) if rows else ((), (), ())
        ids, owners = (np.asarray(column, dtype=np.int64) for column in (chunks, posts))
        return ChunkTable(ids, owners, np.asarray(coverage, dtype=np.float64))

    def links(self) -> dict[int, tuple[Link, ...]]:
        """Return links by post id, in the order of the text; posts without links are absent."""
        query = "SELECT post_id, href, words, line, kind FROM links ORDER BY post_id, rowid"
        rows = self.rows(query)
        by_post = groupby(rows, key=itemgetter(0))
        return {post: tuple(Link(*row[1:]) for row in of_post) for post, of_post in by_post}

    def anchors(self) -> dict[int, tuple[str, ...]]:
        """Return the fragments that links to a post may have, by post id, where they are known."""
        rows = self.rows("SELECT post_id, anchors FROM posts WHERE anchors <> '[]'")
        return {post: tuple(json.loads(anchors)) for post, anchors in rows}

    def translations(self) -> Translations:
        """Read each post's group of translations, by post id."""
        relations = self._relations("translations")
        groups = (tuple(starmap(Translation, group)) for _, group in relations)
        return {post.post: group for group in groups for post in group}

    def series(self) -> dict[int, Series]:
        """Read the series of each post that is in one, by its id."""
        relations = self._relations("series")
        series = [Series(name, tuple(starmap(SeriesPart, parts))) for name, parts in relations]
        return {part.post: one for one in series for part in one.parts}

    def replaced(self, today: str) -> dict[int, Replacement]:
        """Return, by id, posts replaced, or whose `outdated` is a word or a day up to `today`."""
        rows = self.rows(
            "SELECT post_id, old.source, new.id, coalesce('replaced by ' || target, "
            "iif(outdated < 'a', 'since ', '') || outdated) FROM posts old "
            "LEFT JOIN linked ON linked.source = old.source AND kind = 'newer' "
            "LEFT JOIN (SELECT post_id id, source FROM posts) new ON new.source = target "
            "WHERE target <> '' OR outdated >= 'a' OR outdated BETWEEN '0' AND ?",
            [today],
        )
        return {row[0]: Replacement(*row[1:]) for row in rows}

    def _relations(self, kind: str) -> Iterator[tuple[str, list[tuple[int, str, Any]]]]:
        """Yield (name, members); a member is (post id, source, its language or its part number)."""
        ids = dict(self.rows("SELECT source, post_id FROM posts"))
        query = "SELECT name, members FROM relations WHERE kind = ?"
        for name, members in self.rows(query, [kind]):
            yield name, [(ids[source], source, it) for source, it in json.loads(members)]

    def post_with_links(self, source: str) -> tuple[list[Post], list[tuple[str, str]]]:
        """Return the post of this source (a list of at most one) and its links as (href, kind)."""
        query = "SELECT DISTINCT href, kind FROM links JOIN posts USING (post_id) WHERE source = ?"
        posts = self._posts("WHERE source = ?", source).values()
        return [*posts], self.rows(f"{query} ORDER BY href, kind", [source])

    @cached_property
    def languages(self) -> dict[str, int]:
        """Count the posts in each language."""
        return dict(self.rows("SELECT language, count(*) FROM posts GROUP BY language"))

    def _posts(self, selection: str, *values: object) -> dict[int, Post]:
        rows = self.rows(f"SELECT {_POST_COLUMNS} FROM posts {selection}", values)
        lists = ("tags", "aliases", "authors")
        return {row[0]: Post(**_read_fields(POST_FIELDS, lists, row)) for row in rows}

    def _chunks(self, selection: str, ids: Sequence[int]) -> dict[int, Chunk]:
        rows = self.rows(f"{_CHUNK_ROWS} {selection}", [json.dumps(ids)])
        lists = ("headings", "anchors", "inner_headings")
        return {row[0]: Chunk(**_read_fields(CHUNK_FIELDS, lists, row)) for row in rows}


_PATH_SUFFIX = re.compile(
    r"(?:/(?:_?index|readme))?(?:\.(?:mdx?|markdn?|m(?:ark)?down|mkdn?|mkdown|qmd|rst|html?))?"
    r"(?::[\d:-]+)?$"
)
"""Endings ignored when names are compared: `/index`, `/readme`, file suffixes, line numbers."""


def _normalize_path(text: str) -> str:
    path = re.sub(r"^(?:blog://post|[a-z]+:/)/", "", text.strip(" \t\r\n\"'`<>()[]").casefold())
    path = "/" + unquote(re.split(r"[?#]", path)[0]).replace("\\", "/").strip("/.")
    return _PATH_SUFFIX.sub("", compose(path))


def _find_names(
    text: str, names: Iterable[str], key: Callable[[str], Any], fits: Callable[[Any, Any], bool]
) -> list[str]:
    """Return the names that match `text`, else those of its parts (at `,;|#`, `and`, `or`)."""
    keys = [(name, key(name)) for name in names]
    parts = text, *re.split(r"[,;|，、；]|\s(?:and|or)\s|\s(?=#)", text)
    meant = (key(part.strip(" \t\r\n\"'“”`[]")) for part in parts)
    whole, *several = ([name for name, has in keys if one and fits(has, one)] for one in meant)
    return whole or [name for names in several for name in names]


def find_tags(text: str, tags: Iterable[str]) -> list[str]:
    """Return the tags that `text` names by their `name_key`, and those below (`a/b` for `a`)."""
    return _find_names(text, tags, _fold_tag, str.startswith)


def _fold_tag(tag: str) -> str:
    parts = compose(tag).strip().removeprefix("#").strip("/ ").split("/")
    return "/".join(name_key(part) or part.casefold() for part in parts) + "/"


def find_folders(text: str, folders: Iterable[str]) -> list[str]:
    """Return the folders at one or more paths (case ignored), else the only folder that ends so."""
    find = partial(_find_names, text, folders, _normalize_path)
    ends = find(str.endswith)
    return find(str.__eq__) or ends[: len(ends) == 1]


def open_catalog(files: GenerationFiles) -> Catalog:
    """Open a generation's verified catalog, read-only, until the last reference to it is gone."""
    connection = sqlite3.connect(immutable_uri(files.catalog), uri=True, check_same_thread=False)
    connection.execute("ATTACH ? AS shared", [immutable_uri(files.texts)])
    catalog = Catalog(connection)
    weakref.finalize(catalog, connection.close)
    return catalog


def immutable_uri(path: Path) -> str:
    """Return the SQLite URI of a finished database, which is opened without locks."""
    return f"{path.resolve().as_uri()}?mode=ro&immutable=1"
