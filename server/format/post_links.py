"""Find where a link inside a post leads: to a post of the index, or to a page elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode, urljoin, urlsplit

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.store.listing import Listing
    from blog_search_mcp.index.types import Post


def find_href(written: str, post: Post, corpus: Corpus, listing: Listing) -> str | None:
    """Return the address that a link of `post` leads to, a post's being one of the search page.

    `None` where that is not sure, since a wrong link is worse than none, and for what is neither
    `http` nor `https`.
    """
    try:
        parts = urlsplit(written.strip())
        absolute = urljoin(post.url or "", written.strip())
        scheme, host = urlsplit(absolute)[:2]
    except ValueError:
        return None
    if parts.scheme not in ("", "http", "https"):
        return None
    if not (parts.netloc or parts.path or parts.query):
        return _find_place(post.source, parts.fragment, listing)
    if target := corpus.addresses.find_target(written, post.source):
        source = corpus.posts[target.post].source
        beginning = None if source == post.source else 0
        return _find_place(source, parts.fragment, listing, beginning)
    return absolute if scheme in ("http", "https") and host else None


def _find_place(
    source: str, anchor: str, listing: Listing, beginning: int | None = None
) -> str | None:
    """Return the address of the chunk below an anchor; if none is, of `beginning`."""
    chunks = listing.anchored_chunks([source]) if anchor else {}
    chunk = chunks.get((source, anchor), beginning)
    return None if chunk is None else f"/?{urlencode({'source': source, 'chunk': chunk})}"
