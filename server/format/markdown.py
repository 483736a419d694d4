"""A passage as HTML, for the reading pane of the search page.

markdown-it renders the passage, and nh3 keeps only ELEMENTS and ATTRIBUTES, so that no post can run
a script, load a resource or set a style. An image keeps only its alternative text. The syntax of
site generators is handled as in an ingest.
"""

import posixpath
import re
from collections.abc import Callable, Collection, Mapping
from html import escape, unescape
from typing import Any
from urllib.parse import unquote, urlencode, urljoin, urlsplit

import nh3

from blog_search_mcp.index.search.previews import highlight
from blog_search_mcp.index.text.display import replace_surrogates
from blog_search_mcp.index.text.query import Query
from blog_search_mcp.index.types import Chunk, Passage, Post
from blog_search_mcp.ingest.posts.markdown.body import Body
from blog_search_mcp.ingest.posts.markdown.inline import (
    CJK_BREAK,
    CONTROL,
    strip_editor_syntax,
    strip_markup,
)
from blog_search_mcp.ingest.posts.markdown.parser import parse_inline, parse_passage, write_html

ELEMENTS = {
    *("p", "ul", "ol", "li", "blockquote", "hr", "br", "pre", "h3", "h4", "h5", "h6"),
    *("a", "em", "strong", "s", "code", "img", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href"}, "img": {"alt"}, "ol": {"start"}}
HEADINGS = {f"h{level}": f"h{min(max(level, 2) + 1, 6)}" for level in range(1, 7)}
"""Element on the page (`h3` to `h6`) by heading element of the post; the page's title is `h2`."""


def render_passage(
    passage: Passage,
    query: Query | None,
    read_post: Callable[[], Passage],
    list_sources: Callable[[], Collection[str]],
) -> list[str]:
    """Render each chunk of a passage as HTML, with matches of the query, if any, marked.

    `read_post` reads the whole post, since other chunks may define the targets of links.
    `list_sources` lists the sources of all posts. Raises BlogSearchError.
    """
    whole = passage if len(passage.chunks) == passage.count else read_post()
    definitions = Body("\n\n".join(chunk.text for chunk in whole.chunks)).references
    post = passage.post
    rendered = [_write_html(chunk, post.title, definitions) for chunk in passage.chunks]
    sources = list_sources() if any("<a" in html.lower() for html in rendered) else ()

    def filter_value(_tag: str, name: str, value: str) -> str | None:
        return find_href(value, post, sources) if name == "href" else value

    cleaned = (
        nh3.clean(
            CONTROL.sub("", replace_surrogates(html)),
            tags=ELEMENTS,
            attributes=ATTRIBUTES,
            attribute_filter=filter_value,
            link_rel="noreferrer",
        )
        for html in rendered
    )
    return [_mark(html, query, post.language) if query else html for html in cleaned]


def _mark(html: str, query: Query, language: str) -> str:
    pieces = re.split(r'(<(?:[^<>"]|"[^"]*")*+>)', html)  # text, tag, text …
    for place in range(0, len(pieces), 2):
        text, at, pieces[place] = unescape(pieces[place]), 0, ""
        for start, end in highlight(text, query, language):
            pieces[place] += f"{escape(text[at:start])}<mark>{escape(text[start:end])}</mark>"
            at = end
        pieces[place] += escape(text[at:])
    return "".join(pieces)


def find_href(href: str, post: Post, sources: Collection[str]) -> str | None:
    """Return the `href` for a link in `post`: a query of the search page for a post, else a URL.

    Returns `None` if the target is unknown or invalid, or its scheme neither `http` nor `https`.
    """
    try:
        link = urlsplit(href.strip())
        target = urlsplit(urljoin(post.url or "", href.strip()))
    except ValueError:
        return None
    if link.scheme and not link.netloc:
        return None
    path = posixpath.join("/", posixpath.dirname(post.source), unquote(link.path))
    source = posixpath.normpath(path).lstrip("/")
    if link.path and not (link.scheme or link.netloc) and source in sources:
        return f"?{urlencode({'source': source, 'chunk': 0})}"
    return target.geturl() if target.scheme in ("http", "https") and target.netloc else None


def _write_html(chunk: Chunk, title: str, definitions: Mapping[str, Any]) -> str:
    """Render a chunk as HTML that is not cleaned yet; links keep their targets."""
    tokens = list(parse_passage(chunk.lead + chunk.text, keeps_braces="{{" in chunk.plain))
    if not chunk.index and tokens[:1] and tokens[0].type == "heading_open":
        # The search page already shows the title above the passage.
        tokens = tokens[3:] if strip_markup(tokens[1].content) == title else tokens
    for token in tokens:
        if token.type == "inline":
            words = strip_editor_syntax(CJK_BREAK.sub("", token.content))
            token.children = parse_inline(words, definitions)
            for child in token.children:
                child.type = "text" if child.type == "text_special" else child.type
        token.tag = HEADINGS.get(token.tag, token.tag)
    return write_html(tokens)
