"""Render a passage as a blog shows it: as HTML that the search page puts into its reading pane.

markdown-it writes it, and nh3 keeps ELEMENTS and a few attributes of it, so nothing that a post
says can run, load anything or be styled. A picture is its alternative text. Generator syntax is
read as the ingest reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

import nh3

from blog_search_mcp.index.analysis.query import Query
from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.posts.markdown.inline import (
    CJK_BREAK,
    CONTROL,
    parse_paragraph,
    strip_markup,
)
from blog_search_mcp.index.posts.markdown.parser import (
    FENCE,
    Token,
    find_code,
    find_definitions,
    is_inside,
    parse_blocks,
    parse_passage,
    write_html,
)
from blog_search_mcp.index.posts.markdown.rules import restore_braces
from blog_search_mcp.index.search.highlight import highlight
from blog_search_mcp.index.types import Chunk, Passage
from blog_search_mcp.server.format.post_links import find_href
from blog_search_mcp.server.format.results import replace_surrogates

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.store.listing import Listing

Mark: TypeAlias = Callable[[str], str]
"""Puts OPEN and CLOSE around what matches the query in a text."""
FindHref: TypeAlias = Callable[[str], str | None]
"""Gives the address that a link's target, as it is written, leads to."""

OPEN, CLOSE = "\ufdd2", "\ufdd3"
"""Noncharacters that stand for `<mark>` and `</mark>` until the HTML has been cleaned."""
ELEMENTS = {
    *("p", "ul", "ol", "li", "blockquote", "hr", "br", "pre", "h3", "h4", "h5", "h6"),
    *("a", "em", "strong", "s", "code", "img", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {
    "a": {"href"},
    "img": {"alt"},
    "ol": {"start"},
    "td": {"align"},
    "th": {"align"},
}
HEADINGS = {f"h{level}": f"h{min(max(level, 2) + 1, 6)}" for level in range(1, 7)}
"""Levels as they are shown: the post's own title is the page's second heading."""

_BOX = re.compile(r"\[([ xX])\] ")
_WIDE = r"[\u3000-\u303f\uff00-\uffef]"
_STRONG = re.compile(rf"\*\*(?=\S)({_WIDE}[^*\n]*|[^*\n]*{_WIDE})(?<=\S)\*\*")
"""Emphasis beside full-width signs, which CommonMark does not take for any."""
_ADDRESS = re.compile(r"(https?://[^\s<>\"'`（）「」，。、；：！？]+(?<![.,;:!?)\]*_]))")
_INDENT = re.compile(r"(?:[ \t]*\n)*( +)\S")
_BRACKETS = re.compile(r"[\[\]]")
_TARGET = re.compile(
    r"(?<=\]\()(?:\{\{[<%]\s*(?:rel)?ref\s+[\"']?(?P<hugo>[^\"'\s<>{}]+)[\"']?\s*[>%]\}\}"
    r"|\{%-?\s*(?:post_url|link|post_link)\s+(?P<liquid>[^\s<>{}%]+)\s*-?%\})"
)


def render_passage(
    passage: Passage,
    query: Query | None,
    read_post: Callable[[], Passage],
    corpus: Callable[[], Corpus],
    listing: Callable[[], Listing],
) -> list[str]:
    """Render each chunk of a passage as HTML, what matches the query marked in it.

    `read_post` reads the whole post, whose other chunks may define what links of these lead to,
    which is then looked up in `corpus` and `listing`; without a corpus there are no links. Raises
    BlogSearchError.
    """
    whole = passage if len(passage.chunks) == passage.count else read_post()
    definitions = find_definitions("\n\n".join(chunk.text for chunk in whole.chunks))

    def mark(text: str) -> str:
        spans = () if query is None else highlight(text, query, passage.post.language)
        for start, end in reversed(spans):
            text = f"{text[:start]}{OPEN}{text[start:end]}{CLOSE}{text[end:]}"
        return text

    title = passage.post.title
    rendered = [_write_html(chunk, title, definitions, mark) for chunk in passage.chunks]
    find: FindHref = lambda _written: None  # noqa: E731
    if any("<a" in html.lower() for html in rendered):
        with suppress(IndexProblem):
            find = partial(find_href, post=passage.post, corpus=corpus(), listing=listing())
    return [_clean(html, find) for html in rendered]


def _clean(html: str, find: FindHref) -> str:
    cleaned = nh3.clean(
        CONTROL.sub("", replace_surrogates(restore_braces(html))),
        tags=ELEMENTS,
        attributes=ATTRIBUTES,
        attribute_filter=lambda _tag, name, value: find(value) if name == "href" else value,
        link_rel="noreferrer",
    )
    return cleaned.replace(OPEN, "<mark>").replace(CLOSE, "</mark>")


def _write_html(chunk: Chunk, title: str, definitions: Mapping[str, Any], mark: Mark) -> str:
    """Write a chunk; the `href` of each link is the target as it is written."""
    tokens = list(parse_passage(_resolve_targets(_as_in_post(chunk))))
    if not chunk.index and tokens[:1] and tokens[0].type == "heading_open":
        # A first heading that repeats the title stands above the passage already.
        tokens = tokens[3:] if strip_markup(tokens[1].content) == title else tokens
    for place, token in enumerate(tokens):
        if token.type == "inline":
            words = CJK_BREAK.sub("", token.content)
            if place > 1 and tokens[place - 2].type == "list_item_open":
                words = _BOX.sub(_draw_box, words, count=1) if _BOX.match(words) else words
            token.children = list(_read_spans(parse_paragraph(words, definitions), mark))
        elif token.type in ("fence", "code_block"):
            token.content = mark(token.content.rstrip())
        token.tag = HEADINGS.get(token.tag, token.tag)
        if style := token.attrs.pop("style", None):  # of a column
            token.attrs["align"] = str(style).removeprefix("text-align:")
    return write_html(tokens)


def _draw_box(box: re.Match[str]) -> str:
    return "☐ " if box[1] == " " else "☑ "


def _read_spans(tokens: list[Token], mark: Mark) -> Iterator[Token]:
    """Read what the parser leaves in a text, and mark texts and code."""
    in_link = False
    for token in tokens:
        if token.type in ("link_open", "link_close"):
            in_link = token.nesting > 0
        elif token.type == "code_inline":
            token.content = mark(token.content)
        elif token.type in ("text", "text_special"):
            token.type, token.content = "html_inline", _write_text(token.content, mark, in_link)
        yield token


def _write_text(text: str, mark: Mark, in_link: bool) -> str:
    """Escape a text with its marks, its addresses and emphasis beside full-width signs."""
    words, *others = [text] if in_link else _ADDRESS.split(text)
    html = [escape(mark(words))]
    for address, words in zip(others[::2], others[1::2], strict=True):
        href = escape(address)
        html.append(f'<a href="{href}">{href}</a>{escape(mark(words))}')
    return _STRONG.sub(r"<strong>\1</strong>", "".join(html))


def _as_in_post(chunk: Chunk) -> str:
    """Write what begins inside a list or inside code so that it reads as in the post.

    Which of these it is, is seen from the words that the ingest found, of which the post may
    define links elsewhere.
    """
    indented = _INDENT.match(chunk.text)
    texts = [chunk.text]
    if chunk.index and indented:
        texts.append(re.sub(rf"^ {{1,{len(indented[1])}}}", "", chunk.text, flags=re.MULTILINE))
    if chunk.index:
        texts.append(f"{FENCE}\n{chunk.text}")
    words = _BRACKETS.sub("", chunk.plain)
    same = (text for text in texts if _BRACKETS.sub("", strip_markup(text)).endswith(words))
    return next(same, chunk.text)


def _resolve_targets(markdown: str) -> str:
    """Write a generator's reference to a post, as a link's target, as that post's file."""
    if not _TARGET.search(markdown):
        return markdown
    code = find_code(markdown, parse_blocks(markdown, "passage"))

    def file(target: re.Match[str]) -> str:
        if is_inside(target.start(), code):
            return target[0]
        name, hash_, heading = (target["hugo"] or target["liquid"]).partition("#")
        return f"<{name if not name or name.endswith('.md') else name + '.md'}{hash_}{heading}>"

    return _TARGET.sub(file, markdown)
