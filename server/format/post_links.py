"""Find what the links inside a post lead to: a post of the index, or a page elsewhere.

Only `http` and `https` lead out; where nothing is sure there is no link, since a wrong one is worse
than none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from blog_search_mcp.index.errors import IndexProblem

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.store.listing import Listing
    from blog_search_mcp.index.types import Post


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a link leads: out if it has an `href`, else to a place in a post."""

    href: str = ""
    source: str = ""
    anchor: str = ""
    """As a chunk has it; empty for the post's beginning."""


def find_destination(written: str, post: Post, corpus: Corpus) -> Destination | None:
    """Return where a link of `post` leads, `None` if that is not known or must not be followed."""
    try:
        parts = urlsplit(written.strip())
        absolute = urljoin(post.url or "", written.strip())
        scheme, host = urlsplit(absolute)[:2]
    except ValueError:
        return None
    if parts.scheme not in ("", "http", "https"):
        return None
    if not (parts.netloc or parts.path or parts.query):
        return Destination(source=post.source, anchor=parts.fragment) if parts.fragment else None
    if target := corpus.addresses.find_target(written, post.source):
        return Destination(source=corpus.posts[target.post].source, anchor=parts.fragment)
    return Destination(href=absolute) if scheme in ("http", "https") and host else None


def resolve_links(
    links: Sequence[list[Any]],
    post: Post,
    corpus: Callable[[], Corpus],
    listing: Callable[[], Listing],
) -> None:
    """Put in each link of a rendered passage where it leads, as `href` or `source` and `chunk`.

    A place in another post that is not known is that post's beginning. While only an earlier
    generation can be used no link leads anywhere.
    """
    if not links:
        return
    try:
        blog = corpus()
    except IndexProblem:
        for link in links:
            link[1] = {}
        return
    found = [find_destination(link[1]["href"], post, blog) for link in links]
    sources = {each.source for each in found if each and each.source and each.anchor}
    chunks = listing().anchored_chunks(sources) if sources else {}
    for link, destination in zip(links, found, strict=True):
        link[1] = _link_facts(destination, post, chunks) if destination else {}


def _link_facts(
    found: Destination, post: Post, chunks: Mapping[tuple[str, str], int]
) -> dict[str, str | int]:
    if found.href:
        return {"href": found.href}
    chunk = chunks.get((found.source, found.anchor))
    if chunk is None and found.source == post.source:
        return {}
    return {"source": found.source, "chunk": chunk or 0}
