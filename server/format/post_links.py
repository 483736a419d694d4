"""Find what the links inside a post lead to: a post of the index, or a page elsewhere.

A target is what a site's generator would make of it: an address of the site, a file beside the
post, or a file by its name. Only `http` and `https` lead out; where nothing is sure there is no
link, since a wrong one is worse than none.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from blog_search_mcp.index.store.listing import PostLists
from blog_search_mcp.index.types import Post

FILES = ("", ".md", ".mdx", "/index.md", "/_index.md", "/index.mdx")
"""What may follow a link's path in the name of the file it leads to."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a link leads: out if it has an `href`, else to a place in a post."""

    href: str = ""
    source: str = ""
    anchor: str = ""
    """As a chunk has it; empty for the post's beginning."""


@dataclass(frozen=True, slots=True)
class Places:
    """What can be linked to among the posts that are served."""

    root: str
    """What the sources of the linking post's blog begin with, empty where there is only one."""
    sources: frozenset[str]
    """Of that blog: a file of another one is nothing that a site's generator would link to."""
    urls: Mapping[str, str]
    """Source by address, as `_comparable` writes it."""
    names: Mapping[str, str]
    """Source by the file's name in lower case, of names that one post alone has."""


def places_of(posts: Iterable[tuple[str, str | None]], root: str = "") -> Places:
    """Gather the places of posts, given by source and URL; files of the blog at `root` alone."""
    urls: dict[str, str] = {}
    names: dict[str, str] = {}
    sources = []
    for source, url in posts:
        if url:
            urls.setdefault(_comparable(url), source)
        if not source.startswith(root):
            continue
        sources.append(source)
        name = source.rpartition("/")[2].lower()
        names[name] = "" if name in names else source
    return Places(root, frozenset(sources), urls, names)


def find_target(written: str, post: Post, places: Places) -> Target | None:
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
        return Target(source=post.source, anchor=parts.fragment) if parts.fragment else None
    source = "" if parts.netloc else _find_file(unquote(parts.path), post.source, places)
    if not source and host:
        source = places.urls.get(_comparable(absolute), "")
    if source:
        return Target(source=source, anchor=parts.fragment)
    return Target(href=absolute) if scheme in ("http", "https") and host else None


def _find_file(path: str, source: str, places: Places) -> str:
    folder = places.root if path.startswith("/") else posixpath.dirname(source)
    beside = posixpath.normpath(posixpath.join(folder, path.strip("/") or "."))
    for end in FILES:
        if f"{beside}{end}" in places.sources:
            return f"{beside}{end}"
    name = path.rpartition("/")[2].lower()
    return places.names.get(name, "") if name.endswith((".md", ".mdx")) else ""


def _comparable(url: str) -> str:
    """Write an address without what does not tell two posts apart."""
    parts = urlsplit(url)
    path = unquote(parts.path).removesuffix("index.html").removesuffix(".html").rstrip("/")
    return f"{parts.netloc.lower()}{path}"


def resolve_links(
    links: Sequence[list[Any]], post: Post, listing: Callable[[], PostLists], root: str = ""
) -> None:
    """Put in each link of a rendered passage where it leads, as `href` or `source` and `chunk`.

    A place in another post that is not known is that post's beginning. Raises IndexProblem.
    """
    if not links:
        return
    places = places_of(listing().addresses(), root)
    targets = [find_target(link[1]["href"], post, places) for link in links]
    sources = {found.source for found in targets if found and found.source and found.anchor}
    chunks = listing().anchored_chunks(sources) if sources else {}
    for link, target in zip(links, targets, strict=True):
        link[1] = _link_facts(target, post, chunks) if target else {}


def _link_facts(
    target: Target, post: Post, chunks: Mapping[tuple[str, str], int]
) -> dict[str, str | int]:
    if target.href:
        return {"href": target.href}
    chunk = chunks.get((target.source, target.anchor))
    if chunk is None and target.source == post.source:
        return {}
    return {"source": target.source, "chunk": chunk or 0}
