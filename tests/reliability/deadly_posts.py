"""What an ingest does to a post, ending its process at one post: processes import it by name."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

from blog_search_mcp.index.lexical.documents import post_terms as make_terms
from blog_search_mcp.index.store.catalog import open_catalog
from blog_search_mcp.ingest.prepare import prepare_post as read_post

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blog_search_mcp.index.lexical.documents import PostTerms, RefusedPost
    from blog_search_mcp.index.store.disk import GenerationFiles
    from blog_search_mcp.ingest.plan import FileToRead
    from blog_search_mcp.ingest.prepare import ParsedResult, ReadOptions

POISON = "poison"


def prepare_post(file_to_read: FileToRead, options: ReadOptions) -> ParsedResult:
    """Read a post, and end this process at the word, as a fault in a native library does."""
    if POISON in file_to_read.file.path.read_text("utf-8"):
        os._exit(139)
    return read_post(file_to_read, options)


def post_terms(files: GenerationFiles, post_ids: Sequence[int]) -> list[PostTerms | RefusedPost]:
    """Make the terms of posts, and end this process at the word."""
    with closing(open_catalog(files)) as catalog:
        chunks = [chunk for each in post_ids for chunk in catalog.chunks_of(each).values()]
    if any(POISON in chunk.plain for chunk in chunks):
        os._exit(139)
    return make_terms(files, post_ids)
