"""Give a post and its chunks their links on the published site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from blog_search_mcp.index.types import Chunk, Post
from blog_search_mcp.ingest.documents.read_post import ParsedPost
from blog_search_mcp.ingest.sites.anchors import add_anchors
from blog_search_mcp.ingest.sites.base import Site


def link_post(
    parsed: ParsedPost, chunks: Sequence[Chunk], site: Site | None
) -> tuple[Post, tuple[Chunk, ...]]:
    """Return the post with its URL and its chunks with their anchors, or both without."""
    url = site.post_url(parsed.post.source, parsed.address) if site else None
    if site is None or url is None:
        return parsed.post, tuple(chunks)
    anchored = add_anchors(chunks, parsed.body, parsed.first_line, site.generator)
    return replace(parsed.post, url=url), anchored
