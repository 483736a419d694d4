"""What an ingest does to a post, with faults at words: processes import it by name."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from blog_search_mcp.index.lexical.documents import post_terms as make_terms
from blog_search_mcp.index.store.catalog import open_catalog
from blog_search_mcp.ingest.prepare import prepare_post as read_post

if TYPE_CHECKING:
    from blog_search_mcp.index.lexical.documents import PostTerms
    from blog_search_mcp.index.store.disk import GenerationFiles
    from blog_search_mcp.ingest.plan import FileToRead
    from blog_search_mcp.ingest.prepare import ParsedResult


def suffer(text: str, deadly: str, endless: str) -> None:
    """End this process as a fault in a native library does, or stand still."""
    if deadly in text:
        os._exit(139)
    if endless in text:
        time.sleep(600)


def prepare_post(file_to_read: FileToRead, **options: Any) -> ParsedResult:
    """Read a post, and suffer from it."""
    suffer(file_to_read.file.path.read_text("utf-8"), "poison", "tarpit")
    return read_post(file_to_read, **options)


def post_terms(files: GenerationFiles, post_id: int) -> PostTerms:
    """Make the terms of a post, and suffer from it."""
    chunks = open_catalog(files).chunks_of(post_id).values()
    suffer(" ".join(chunk.plain for chunk in chunks), "venom", "quicksand")
    return make_terms(files, post_id)
