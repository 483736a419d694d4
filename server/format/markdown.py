"""Render a passage as a blog shows it: as a tree that the search page makes elements of.

A node is text, or a list of a name, its facts and its children. Names are those of ELEMENTS, so
nothing that a post says becomes markup: tags of HTML are left out, their words kept. A picture is
its alternative text. Generator syntax is read as the ingest reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from blog_search_mcp.index.analysis.query import Query
from blog_search_mcp.index.posts.markdown.inline import (
    CJK_BREAK,
    CONTROL,
    html_inline_words,
    html_words,
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
)
from blog_search_mcp.index.posts.markdown.rules import restore_braces
from blog_search_mcp.index.search.highlight import Span, highlight
from blog_search_mcp.index.types import Chunk, Passage
from blog_search_mcp.server.format.post_links import resolve_links

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.store.listing import Listing

Node: TypeAlias = "str | list[Any]"
FindMarks: TypeAlias = Callable[[str], Sequence[Span]]
"""Which characters of a text match the query, as spans that ascend and do not touch."""

ELEMENTS = {
    **{f"h{level}": f"h{min(level + 1, 6)}" for level in range(2, 7)},
    **{name: name for name in ("p", "ul", "ol", "li", "blockquote", "hr", "em", "strong", "s")},
    **{name: name for name in ("table", "thead", "tbody", "tr", "th", "td", "a")},
    "h1": "h3",
}
"""By the name that the parser gives a block or span, what it is shown as: the post's own title
is the page's second heading. Besides there are `pre`, `code`, `br`, `img` and `mark`."""

_ALIGNED = re.compile(r"text-align:(center|right)")
_BOX = re.compile(r"\[([ xX])\] ")
_WIDE = r"[\u3000-\u303f\uff00-\uffef]"
_LEFT = re.compile(
    r"https?://[^\s<>\"'`（）「」，。、；：！？]+"
    rf"|\*\*(?=\S)(?P<strong>{_WIDE}[^*\n]*|[^*\n]*{_WIDE})(?<=\S)\*\*"
)
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
) -> list[list[Node]]:
    """Render each chunk of a passage, what matches the query marked in it.

    `read_post` reads the whole post, whose other chunks may define what links of these lead to,
    which is then looked up in `corpus` and `listing`. Raises BlogSearchError.
    """
    whole = passage if len(passage.chunks) == passage.count else read_post()
    definitions = find_definitions("\n\n".join(chunk.text for chunk in whole.chunks))

    def find_marks(text: str) -> tuple[Span, ...]:
        return () if query is None else highlight(text, query, passage.post.language)

    rendered = [_render_chunk(chunk, definitions, find_marks) for chunk in passage.chunks]
    if passage.chunks[0].index == 0:
        rendered[0] = _without_title(rendered[0], passage.post.title)
    links = [link for nodes in rendered for link in _walk_links(nodes)]
    resolve_links(links, passage.post, corpus, listing)
    return rendered


def _render_chunk(
    chunk: Chunk, definitions: Mapping[str, Any], find_marks: FindMarks
) -> list[Node]:
    """Render a chunk; the `href` of each link is the target as it is written."""
    root: list[Any] = ["div", {}]
    opened = [root]
    for token in parse_passage(_resolve_targets(_as_in_post(chunk))):
        above = opened[-1]
        if token.nesting < 0:
            opened.pop()
        elif token.nesting > 0:
            # The paragraphs of a tight list are not shown as such.
            opened.append(above if token.hidden else [ELEMENTS[token.tag], _facts(token)])
            if not token.hidden:
                above.append(opened[-1])
        elif token.type == "inline":
            words = _check_box(above, token.content)
            above += _mark(_inline(parse_paragraph(words, definitions)), find_marks)
        elif token.type in ("fence", "code_block"):
            code = _clean(token.content).rstrip()
            above.append(["pre", {}, *_Marker(find_marks(code), ()).mark([code])])
        elif token.type == "html_block":
            lines = filter(None, _clean(html_words(token.content)).split("\n"))
            above += (["p", {}, *_mark([line], find_marks)] for line in lines)
        elif token.type == "hr":
            above.append(["hr", {}])
    return root[2:]


def _walk_links(nodes: Sequence[Node]) -> Iterator[list[Any]]:
    for node in nodes:
        if not isinstance(node, str):
            if node[0] == "a":
                yield node
            yield from _walk_links(node[2:])


def _without_title(nodes: list[Node], title: str) -> list[Node]:
    """Leave out a first heading that repeats the post's title, which stands above the passage."""
    is_title = nodes and nodes[0][0] == "h3" and "".join(_texts(nodes[:1])).strip() == title
    return nodes[1:] if is_title else nodes


_INDENT = re.compile(r"(?:[ \t]*\n)*( +)\S")


def _as_in_post(chunk: Chunk) -> str:
    """Write what begins inside a list or inside code so that it reads as in the post.

    Which of these it is, is seen from the words that the ingest found.
    """
    if not chunk.index or _reads_as(chunk.text, chunk):
        return chunk.text
    indented = _INDENT.match(chunk.text)
    most = len(indented[1]) if indented else 0
    others = (
        re.sub(rf"^ {{1,{most}}}", "", chunk.text, flags=re.MULTILINE) if most else chunk.text,
        f"{FENCE}\n{chunk.text}",
    )
    return next((other for other in others if _reads_as(other, chunk)), chunk.text)


def _reads_as(text: str, chunk: Chunk) -> bool:
    """Whether a text has the words of a chunk, of which the post may define links elsewhere."""
    words, plain = (_BRACKETS.sub("", each) for each in (strip_markup(text), chunk.plain))
    return words.endswith(plain)


_BRACKETS = re.compile(r"[\[\]]")


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


def _facts(token: Token) -> dict[str, Any]:
    if token.tag == "ol" and token.attrGet("start"):
        return {"start": token.attrGet("start")}
    aligned = _ALIGNED.search(str(token.attrGet("style") or ""))
    return {"align": aligned[1]} if aligned else {}


def _check_box(above: list[Any], words: str) -> str:
    """Draw the box of a task."""
    box = _BOX.match(words) if above[0] == "li" and len(above) == 2 else None
    return f"{'☐' if box[1] == ' ' else '☑'} {words[box.end() :]}" if box else words


def _inline(tokens: Sequence[Token]) -> list[Node]:
    root: list[Any] = ["div", {}]
    opened = [root]
    for token in tokens:
        above = opened[-1]
        if token.nesting > 0:
            facts = {"href": str(token.attrGet("href") or "")} if token.tag == "a" else {}
            opened.append([ELEMENTS[token.tag], facts])
            above.append(opened[-1])
        elif token.nesting < 0:
            opened.pop()
        elif token.type == "code_inline":
            above.append(["code", {}, _clean(token.content)])
        elif token.type == "image":
            above.append(["img", {}, _clean(_words(token.children or ()))])
        elif token.type == "softbreak":
            above.append("\n")
        elif token.type == "hardbreak" or token.content.lower().startswith("<br"):
            above.append(["br", {}])
        elif token.type == "html_inline":
            above.append(_clean(html_inline_words(token.content)))
        elif any(node[0] == "a" for node in opened):
            above.append(_clean(token.content))
        else:
            above += _read_text(_clean(token.content))
    return root[2:]


def _words(tokens: Sequence[Token]) -> str:
    return "".join(token.content or _words(token.children or ()) for token in tokens)


def _clean(text: str) -> str:
    return CONTROL.sub("", restore_braces(text))


def _read_text(text: str) -> Iterator[Node]:
    """Find what the parser leaves in a text: addresses, and emphasis beside full-width signs.

    A sign that ends a sentence belongs to no address.
    """
    at = 0
    for found in _LEFT.finditer(text):
        yield text[at : found.start()]
        if strong := found["strong"]:
            yield ["strong", {}, strong]
            at = found.end()
        else:
            address = found[0].rstrip(".,;:!?)]*_")
            yield ["a", {"href": address}, address]
            at = found.start() + len(address)
    yield text[at:]


def _mark(nodes: Sequence[Node], find_marks: FindMarks) -> list[Node]:
    """Mark what matches in the text of these nodes together, across emphasis and links."""
    text = "".join(_texts(nodes))
    breaks = [found.start() for found in CJK_BREAK.finditer(text)]
    return _Marker(find_marks(text), breaks).mark(nodes)


def _texts(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
        elif node[0] == "br":
            yield "\n"
        else:
            yield from _texts(node[2:])


class _Marker:
    """Goes through nodes in order and cuts their texts at the marks."""

    def __init__(self, marks: Sequence[Span], breaks: Sequence[int]) -> None:
        self._edges = [edge for mark in marks for edge in mark]
        self._breaks = set(breaks)
        self._passed = 0  # of the edges; inside a mark while it is odd
        self._at = 0

    def mark(self, nodes: Sequence[Node]) -> list[Node]:
        made: list[Node] = []
        for node in nodes:
            if isinstance(node, str):
                made += self._cut(node)
            elif node[0] == "br":
                self._at += 1
                made.append(node)
            else:
                made.append([*node[:2], *self.mark(node[2:])])
        return made

    def _cut(self, text: str) -> Iterator[Node]:
        """Cut a text; a line break between Chinese characters is no space and is left out."""
        start, end = self._at, self._at + len(text)
        if text == "\n" and start in self._breaks:
            start = end
        while start < end:
            while self._passed < len(self._edges) and self._edges[self._passed] <= start:
                self._passed += 1
            edge = self._edges[self._passed] if self._passed < len(self._edges) else end
            stop = min(edge, end)
            is_marked = self._passed % 2
            piece = text[start - self._at : stop - self._at]
            yield ["mark", {}, piece] if is_marked else piece
            start = stop
        self._at = end
