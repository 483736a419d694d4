"""Find the links of a post, as Markdown, HTML, editors and site generators write them.

What a generator replaces by an address becomes an address with a scheme of ours: `ref:` for Hugo's
`ref` and `relref`, `link:` for Jekyll's `link`, `post:` for its `post_url` and Hexo's `post_link`.
A link between notes (`[[Page]]`) becomes the file `Page.md`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote

from markdown_it.token import Token

from blog_search_mcp.index.markdown.parser import parse_inline
from blog_search_mcp.index.markdown.plain_text import strip_editor_syntax
from blog_search_mcp.index.types import Link

_MAY_LINK = re.compile(r"\]\(|\]\[|\]|<a\b|<[a-z]+:|\bid=|\bname=|post_link", re.IGNORECASE)

_GENERATED = re.compile(
    r"""\{\{[<%]-?\s*(?:rel)?ref\s+(?:path=)?["'`]?(?P<ref>[^"'`\s>%]+)[^}]*?[>%]\}\}
      | \{%-?\s*post_url\s+(?P<post>[^\s%]+)\s*-?%\}
      | \{%-?\s*link\s+(?P<link>[^\s%]+)\s*-?%\}
      | \{\{-?\s*["'](?P<path>/[^"'\s]*)["']\s*\|\s*(?:(?:relative|absolute)_)?url\s*-?\}\}
      | \{\{-?\s*site\.(?:baseurl|url)\s*-?\}\}""",
    re.VERBOSE,
)
_HEXO = re.compile(r"\{%-?\s*post_link\s+(?P<slug>[^\s%]+)(?:\s+(?P<words>[^%]*?))?\s*-?%\}")
_QUOTED = re.compile(r"""^(["'])(.*?)\1.*$""")


@dataclass(frozen=True, slots=True)
class Links:
    """Where a post leads, and where within it one may be led."""

    links: tuple[Link, ...]
    """In order; images are none."""
    ids: tuple[str, ...]
    """Of HTML elements, in order."""


def find_links(
    tokens: Sequence[Token], references: Mapping[str, Any], first_line: int = 1
) -> Links:
    """Find the links among the blocks of a post whose lines are counted from `first_line`."""
    links: list[Link] = []
    ids: list[str] = []
    for token in tokens:
        line = first_line + (token.map[0] if token.map else 0)
        if token.type == "html_block":
            page = _parse_html(_write_targets(token.content), line)
            links += page.links
            ids += page.ids
        elif token.type == "inline" and _MAY_LINK.search(token.content):
            source = strip_editor_syntax(_write_targets(token.content), keep_links=True)
            links += _find_in_paragraph(parse_inline(source, references), line, ids)
    return Links(tuple(links), tuple(dict.fromkeys(ids)))


def _find_in_paragraph(tokens: Sequence[Token], line: int, ids: list[str]) -> Iterator[Link]:
    """Yield a paragraph's links; add the ids of its HTML to `ids`."""
    href, words = "", ""
    for token in tokens:
        if token.type == "link_open":
            href, words = str(token.attrs.get("href", "")).removesuffix("#"), ""
        elif token.type == "link_close":
            yield Link(href, " ".join(words.split()), line)
            href = ""
        elif token.type in ("softbreak", "hardbreak"):
            line += 1
            words += " "
        elif token.type == "html_inline":
            page = _parse_html(token.content, line)
            yield from page.links
            ids += page.ids
        else:
            words += token.content


def _write_targets(markdown: str) -> str:
    """Write what site generators replace by an address as an address."""
    if "{%" not in markdown and "{{" not in markdown:
        return markdown
    return _GENERATED.sub(_write_target, _HEXO.sub(_write_hexo, markdown))


def _write_target(found: re.Match[str]) -> str:
    scheme = found.lastgroup
    if scheme is None:
        return ""
    target = quote(found[scheme], safe="/#.-_~@:%")
    return target if scheme == "path" else f"{scheme}:{target}"


def _write_hexo(found: re.Match[str]) -> str:
    words = _QUOTED.sub(r"\2", found["words"] or "") or found["slug"]
    return f"[{words}](post:{quote(found['slug'])})"


class _Page(HTMLParser):
    """Collects the links and ids of a piece of HTML."""

    def __init__(self, first_line: int) -> None:
        super().__init__()
        self._first_line = first_line
        self.links: list[Link] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take an element's address and ids."""
        found = dict(attrs)
        if tag == "a" and found.get("href"):
            line = self._first_line + self.getpos()[0] - 1
            self.links.append(Link(found["href"] or "", "", line))
        named = (found.get("id"), found.get("name") if tag == "a" else None)
        self.ids += filter(None, named)


def _parse_html(html: str, line: int) -> _Page:
    page = _Page(line)
    page.feed(html)
    page.close()
    return page
