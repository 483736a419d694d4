"""Rows of the catalog: what is selected of posts and chunks in, values of `index.types` out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from index.types import Chunk, Post

POST_COLUMNS = (
    "posts.post_id, source, title, day, tags, description, slug, language, url, translation_key"
)
CHUNK_ROWS = (
    "SELECT chunk_id, source, position, coalesce(newer.text, earlier.text), "
    "coalesce(newer.plain, earlier.plain), headings, first_line, last_line, anchor "
    "FROM chunks JOIN posts USING (post_id) LEFT JOIN main.texts newer USING (chunk_id) "
    "LEFT JOIN shared.texts earlier USING (chunk_id)"
)


def post_of(row: Sequence[Any]) -> Post:
    """The post in a row of POST_COLUMNS."""
    _, source, title, day, tags, *rest = row
    return Post(source, title, day, tuple(json.loads(tags)), *rest)


def chunk_of(row: Sequence[Any]) -> Chunk:
    """The chunk in a row of CHUNK_ROWS."""
    _, source, position, text, plain, headings, first_line, last_line, anchor = row
    path = tuple(json.loads(headings))
    return Chunk(source, position, text, plain, path, first_line, last_line, anchor)
