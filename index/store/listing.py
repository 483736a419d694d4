"""Lists of what a generation holds, for which no query is needed."""

from __future__ import annotations

import json
from collections.abc import Iterable

from blog_search_mcp.index.store.catalog import POST_COLUMNS, Catalog, post_of
from blog_search_mcp.index.types import Filters, Order, Part, Post, Posts

_ORDERS: dict[Order, str] = {
    "newest": "date IS NULL, date DESC, source",
    "oldest": "date IS NULL, date, source",
    "title": "title COLLATE NOCASE, source",
}
"""Posts without a date come last, whichever way dates run."""


class Listing:
    """Lists over one catalog; safe for concurrent use."""

    def __init__(self, catalog: Catalog, owner: object) -> None:
        """Read from `catalog`, which is open as long as `owner` is referred to."""
        self._catalog = catalog
        self._owner = owner

    def posts(self, filters: Filters, order: Order, limit: int, offset: int) -> Posts:
        """List the posts that pass, from `offset` on, `limit` at most."""
        among = self._catalog.matching_posts(filters)
        query, values = "FROM posts", []
        if among is not None:
            query += " WHERE post_id IN (SELECT value FROM json_each(?))"
            values = [json.dumps(among)]
        found = self._catalog.rows(
            f"SELECT {POST_COLUMNS} {query} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?",
            [*values, limit, offset],
        )
        total = self._catalog.rows(f"SELECT count(*) {query}", values)[0][0]
        return Posts(tuple(post_of(row) for row in found), total, offset)

    def following(self, post: tuple[str, str] | None, limit: int) -> tuple[Post, ...]:
        """List the posts after the one of this ISO day (or `""`) and source, newest first.

        A place in this order means the same in every generation, unlike an offset.
        """
        where, values = "", list[str]()
        if post is not None:
            day, source = post
            where = "WHERE coalesce(date, '') < ? OR (coalesce(date, '') = ? AND source > ?)"
            values = [day, day, source]
        found = self._catalog.rows(
            f"SELECT {POST_COLUMNS} FROM posts {where} "
            "ORDER BY coalesce(date, '') DESC, source LIMIT ?",
            [*values, limit],
        )
        return tuple(post_of(row) for row in found)

    def parts(self, post_id: int) -> tuple[Part, ...]:
        """List a post's chunks in order, without their text."""
        rows = self._catalog.rows(
            "SELECT position, headings, first_line, last_line, inner_headings FROM chunks "
            "WHERE post_id = ? ORDER BY position",
            [post_id],
        )
        return tuple(
            Part(position, tuple(json.loads(above)), first, last, tuple(json.loads(inner)))
            for position, above, first, last, inner in rows
        )

    def anchored_chunks(self, sources: Iterable[str]) -> dict[tuple[str, str], int]:
        """Return the first chunk of these posts below each anchor, by source and anchor."""
        rows = self._catalog.rows(
            "SELECT source, anchor, min(position) FROM chunks JOIN posts USING (post_id) "
            "WHERE anchor <> '' AND source IN (SELECT value FROM json_each(?)) "
            "GROUP BY source, anchor",
            [json.dumps(list(sources))],
        )
        return {(source, anchor): position for source, anchor, position in rows}

    def years(self) -> list[tuple[int, int]]:
        """List the years that posts are dated, the newest first, each with its posts."""
        query = "SELECT CAST(substr(date, 1, 4) AS INTEGER) AS year, count(*) FROM posts "
        rows = self._catalog.rows(query + "WHERE date <> '' GROUP BY year ORDER BY year DESC")
        return [(year, posts) for year, posts in rows]

    def names(self) -> list[tuple[str, str]]:
        """List every post's source and title, newest first."""
        query = "SELECT source, title FROM posts ORDER BY coalesce(date, '') DESC, source"
        return [(source, title) for source, title in self._catalog.rows(query)]
