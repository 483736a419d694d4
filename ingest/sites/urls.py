"""A post and its chunks come in; they go out with the links that the site gives them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from blog_search_mcp.index.types import Chunk, Post
from blog_search_mcp.ingest.documents.read_post import ParsedPost
from blog_search_mcp.ingest.sites.anchors import with_anchors
from blog_search_mcp.ingest.sites.base import Site
from blog_search_mcp.ingest.sites.hugo import Hugo


def linked(
    parsed: ParsedPost, passages: Sequence[Chunk], site: Site | None
) -> tuple[Post, tuple[Chunk, ...]]:
    """The post with its URL and its chunks with their anchors; as they are if it has no URL."""
    url = post_url(parsed, site) if site else None
    if site is None or url is None:
        return parsed.post, tuple(passages)
    anchored = with_anchors(passages, parsed.body, parsed.first_line, site.anchors)
    return replace(parsed.post, url=url), anchored


def post_url(parsed: ParsedPost, site: Site) -> str | None:
    """Where the site shows the post; `None` if that is not sure."""
    place = site.prefix + parsed.post.source
    path = site.rules.path(place, parsed.address)
    return site.base_url + path if path else None


def knowing(site: Site, sources: Iterable[str]) -> Site:
    """The site with what only the blog's other posts tell: for Hugo, which folders are bundles."""
    if not isinstance(site.rules, Hugo):
        return site
    places = ((site.prefix + source).rpartition("/") for source in sources)
    bundles = frozenset(folder for folder, _, name in places if name.startswith("index."))
    return replace(site, rules=replace(site.rules, bundles=bundles))
