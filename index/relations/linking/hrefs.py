"""Write links as the blog's own posts write them."""

from __future__ import annotations

import posixpath
from collections import Counter
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, urlsplit

from blog_search_mcp.index.relations.paths import MARKDOWN

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.types import Post

Style = Literal["url", "path", "file", "root_file"]
"""A whole address; its path; a file beside the linking one, or below the content folder."""


def find_style(corpus: Corpus) -> Style:
    """Return how most links between posts are written; paths where there is none."""
    hrefs = (link.href for links in corpus.links.values() for link, target in links if target)
    styles = Counter(style for href in hrefs if (style := _style_of(href)))
    return min(styles, key=lambda style: (-styles[style], style), default="path")


def _style_of(href: str) -> Style | None:
    parts = urlsplit(href)
    if parts.netloc:
        return "url"
    if parts.scheme or not parts.path:
        return None
    if MARKDOWN.search(parts.path):
        return "root_file" if parts.path.startswith("/") else "file"
    return "path"


def write_href(style: Style, source: str, target: Post, anchor: str) -> str:
    """Write a link from the post at `source`; by files to a post whose address is not known."""
    behind = f"#{anchor}" if anchor else ""
    if target.url and style in ("url", "path"):
        return (target.url if style == "url" else urlsplit(target.url).path or "/") + behind
    path = quote(target.source, safe="/~@+,;=!$&'*")
    if style == "root_file":
        return f"/{path}{behind}"
    folder = quote(posixpath.dirname(source), safe="/~@+,;=!$&'*")
    return posixpath.relpath(path, folder or ".") + behind
