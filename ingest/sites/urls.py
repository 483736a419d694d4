"""Give a post and its chunks their links on the published site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from blog_search_mcp.index.types import Chunk, Post
from blog_search_mcp.ingest.documents.address import read_address
from blog_search_mcp.ingest.documents.base import Document
from blog_search_mcp.ingest.sites.anchors import add_anchors
from blog_search_mcp.ingest.sites.base import Site


def link_post(
    document: Document, chunks: Sequence[Chunk], site: Site | None
) -> tuple[Post, tuple[Chunk, ...]]:
    """Return the post with its URL and its chunks with their anchors, or both without."""
    url = site.post_url(document.post.source, read_address(document.fields)) if site else None
    if site is None or url is None:
        return document.post, tuple(chunks)
    anchored = add_anchors(chunks, document.body, document.first_line, site.generator)
    return replace(document.post, url=url), anchored
