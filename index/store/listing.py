"""Lists of what a generation holds, for which no query is needed."""

from __future__ import annotations

import json

from blog_search_mcp.index.store.catalog import OF_LIST, POST_COLUMNS, Catalog, post_of
from blog_search_mcp.index.types import Filters, Order, Part, Post, Posts

_ORDERS: dict[Order, str] = {
    "newest": "date IS NULL, date DESC, source",
    "oldest": "date IS NULL, date, source",
    "title": "title COLLATE NOCASE, source",
}
"""Posts without a date come last, whichever way dates run."""


class Listing:
    """Lists over one catalog; safe for concurrent use."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def posts(self, filters: Filters, order: Order, limit: int, offset: int) -> Posts:
        """List the posts that pass, from `offset` on, `limit` at most."""
        among = self._catalog.matching_posts(filters)
        where = "" if among is None else f"WHERE post_id {OF_LIST}"
        values = [] if among is None else [json.dumps(among)]
        ordered = f"{where} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?"
        [[total]] = self._catalog.rows(f"SELECT count(*) FROM posts {where}", values)
        return Posts(self._posts(ordered, *values, limit, offset), total, offset)

    def following(self, post: tuple[str, str] | None, limit: int) -> tuple[Post, ...]:
        """List the posts after the one of this ISO day (or `""`) and source, newest first.

        A place in this order means the same in every generation, unlike an offset.
        """
        where, values = "", list[str]()
        if post is not None:
            day, source = post
            where = "WHERE coalesce(date, '') < ? OR (coalesce(date, '') = ? AND source > ?)"
            values = [day, day, source]
        newest_first = f"{where} ORDER BY coalesce(date, '') DESC, source LIMIT ?"
        return self._posts(newest_first, *values, limit)

    def _posts(self, selection: str, *values: object) -> tuple[Post, ...]:
        rows = self._catalog.rows(f"SELECT {POST_COLUMNS} FROM posts {selection}", values)
        return tuple(map(post_of, rows))

    def parts(self, post_id: int) -> tuple[Part, ...]:
        """List a post's chunks in order, without their text."""
        rows = self._catalog.rows(
            "SELECT position, headings, first_line, last_line, inner_headings FROM chunks "
            "WHERE post_id = ? ORDER BY position",
            [post_id],
        )
        return tuple(
            Part(position, tuple(json.loads(headings)), first, last, tuple(json.loads(inner)))
            for position, headings, first, last, inner in rows
        )

    def years(self) -> list[tuple[int, int]]:
        """List the years that posts are dated, the newest first, each with its posts."""
        query = "SELECT CAST(substr(date, 1, 4) AS INTEGER) AS year, count(*) FROM posts "
        return self._catalog.rows(query + "WHERE date <> '' GROUP BY year ORDER BY year DESC")

    def names(self) -> list[tuple[str, str]]:
        """List every post's source and title, newest first."""
        query = "SELECT source, title FROM posts ORDER BY coalesce(date, '') DESC, source"
        return self._catalog.rows(query)
