"""Find the links of a post that lead to other pages of the blog."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from blog_search_mcp.ingest.markdown.plain_text import MAX_BRACKETS
from blog_search_mcp.ingest.markdown.preprocess import block_tokens

_INLINE = MarkdownIt("commonmark")

_DEFINITION = re.compile(r"^ {0,3}\[([^\[\]^][^\[\]\n]*)\]:[ \t]*<?([^\s<>]+)[^\n]*$", re.MULTILINE)
_REFERENCE = re.compile(
    r"\{\{[<%]\s*(?:rel)?ref\s+[\"'`]?([^\s\"'`]+)[\"'`]?\s*[%>]\}\}"
    r"|\{%-?\s*(?:post_url|link)\s+([^\s%]+)\s*-?%\}"
)
"""What Hugo and Jekyll write for the address of another file."""
_WIKI_LINK = re.compile(r"(?<!!)\[\[([^\[\]|\n]+?)(?:\\?\|([^\[\]\n]*))?\]\]")

_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_FILE = re.compile(r"\.(?!(?:mdx?|markdown|html?)$)[a-z][a-z0-9]{0,4}$", re.IGNORECASE)
"""The ending of something that is no page."""


def outgoing_links(body: str, source: str, base_url: str = "") -> tuple[str, ...]:
    """Return the paths below the blog's root that a post links to, each once, in its order.

    Relative links are resolved against `source`, the post's path below the content folder; links
    below `base_url`, where the blog is published, count as links inside it.
    """
    definitions = {
        normalizeReference(label): {"href": href, "title": ""}
        for label, href in _DEFINITION.findall(body)
    }
    paths = (_path_of(href, source, base_url) for href in _hrefs(body, definitions))
    return tuple(dict.fromkeys(filter(None, paths)))


def _hrefs(body: str, definitions: dict[str, dict[str, str]]) -> Iterator[str]:
    named = _REFERENCE.sub(lambda found: found[1] or found[2], _DEFINITION.sub("", body))
    markdown = _WIKI_LINK.sub(lambda link: f"[{link[2] or link[1]}](<{link[1].strip()}>)", named)
    for block in block_tokens(markdown):
        if block.type == "inline" and 0 < block.content.count("[") <= MAX_BRACKETS:
            env: dict[str, Any] = {"references": definitions}
            tokens: list[Token] = []
            _INLINE.inline.parse(block.content, _INLINE, env, tokens)
            yield from (str(each.attrs["href"]) for each in tokens if each.type == "link_open")


def _path_of(href: str, source: str, base_url: str) -> str:
    """The path below the blog's root that a link leads to, `""` if it leads elsewhere."""
    path = re.split(r"[#?]", unquote(href), maxsplit=1)[0]
    if base_url and path.startswith(f"{base_url}/"):
        path = path[len(base_url) :]
    if not path or _ELSEWHERE.match(path) or _FILE.search(path):
        return ""
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(source), path)).lstrip("/")
