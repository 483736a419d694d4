"""The body of a post in Markdown or MDX: its blocks, headings, links and words."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from blog_search_mcp.index.types import Link
from blog_search_mcp.ingest.posts.markdown.inline import (
    find_links_and_ids,
    read_words,
    strip_editor_syntax,
    strip_markup,
)
from blog_search_mcp.ingest.posts.markdown.parser import (
    CODE,
    FENCE,
    Token,
    is_ordinary,
    line_offsets,
    parse_body,
    parse_inline,
    parse_passage,
)

MAX_HASHTAG = 60
"""Maximum characters of a hashtag; a longer one is text without spaces."""
_HASHTAG = re.compile(
    r"#(?<![^\s（，。、]#)(?<!\]: #)(?=\[|[\w/-]*[^\W\d_])"
    r"(\w[\w/-]*(?![\w/#-])|\[[^\[\]\n]+\](?=\(<))"
)
"""A hashtag of one word, or Logseq's of several, which `strip_editor_syntax` has made a link."""
_HTML_HEADING = re.compile(
    r"(?:<(?:div|center|header|section)\b[^<>]*>\s*+){0,4}<h([1-6])(?=[\s>])[^<>]*>"
    r"((?:(?!</?h[1-6]).){1,900})</h\1>",
    re.DOTALL | re.IGNORECASE,
)
_COLOR = re.compile(r"(?=.*\d)(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|([0-9a-f])\1{2,5}", re.I)
_DIVISIBLE = {
    "bullet_list",
    "ordered_list",
    "list_item",
    "blockquote",
    "table",
    "thead",
    "tbody",
    "container",
}
"""Kinds of blocks that may be cut between their children."""
_LIST_MARK = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]*")
MAX_LEAD_BYTES = 3_000
"""Maximum bytes of a lead. A longer lead, such as the head of a wide table, is left out."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block and its span of the body, up to the next block."""

    kind: str
    """`heading`, `paragraph`, `fence`, `table`, `tr`, …; only a `paragraph` is cut by sentence."""
    start: int
    end: int
    """Both are character offsets into the body; `end` is exclusive."""
    level: int = 0
    """1 to 6 for a heading, else 0."""
    heading: str = ""
    """A heading's words without markup."""
    children: tuple["Block", ...] = ()
    """Inner blocks, between which the block may be cut; if empty, it is cut by sentence or line."""


MAX_HEADING = 300
"""Maximum characters of a Markdown heading. A longer one, such as a paragraph above `---`, is a
paragraph: it must not be repeated above every passage below it."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, with the facts from which a site generator makes its ID."""

    line: int
    """Line of the body, from 0."""
    source: str
    """Markup of the heading, without the marks that make it a heading."""
    tokens: tuple[Token, ...]
    """Inline tokens of its text."""
    is_top: bool
    """Whether the heading is outside lists and quotations."""
    is_marked: bool
    """Whether kramdown attributes are above or below the heading."""


class Body:
    """A post's text, parsed once."""

    def __init__(self, text: str, *, keeps_braces: bool = False) -> None:
        """`text` is Markdown with LF; with `keeps_braces` `{{ x }}` is text."""
        self.text = text
        self._keeps_braces = keeps_braces
        self.references: Mapping[str, Any]
        self._tokens, self.references = parse_body(text)
        """Definitions of links, by normalized label."""
        self._labels = frozenset(self.references)
        self._offsets = line_offsets(text)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Outermost blocks, covering the text; headings in HTML or list items are separate ones."""
        return tuple(part for block in self._tree for part in self._open_sections(block))

    def _open_sections(self, block: Block) -> Iterator[Block]:
        """Yield the block, or the parts of HTML with a heading or of a list with headed items."""
        at, is_html = block.start, block.kind == "html_block"
        if block.kind.endswith("_list") and any(
            i.children[0].level for i in block.children if i.children
        ):
            for item in block.children:
                is_headed = any(child.level for child in item.children[:1])
                for part in item.children if is_headed else ():
                    yield from self._open_sections(part)
                yield from () if is_headed else (item,)
            return
        for match in _HTML_HEADING.finditer(self.text, at, block.end) if is_html else ():
            words = " ".join(self.strip_markup(match[2]).split())
            yield Block(block.kind, at, match.start())
            yield Block("heading", match.start(), match.end(), int(match[1]), words)
            at = match.end()
        yield replace(block, start=at)

    @cached_property
    def _tree(self) -> tuple[Block, ...]:
        blocks = self._tile(0, len(self._tokens), 0, len(self.text))
        is_blank = not self.text.strip()
        return blocks if blocks or is_blank else (Block("paragraph", 0, len(self.text)),)

    @cached_property
    def title(self) -> str:
        """Text of the first nonempty level-1 heading outside lists and quotations."""
        tops = (block for block in self._tree if not block.children)
        parts = (part for block in tops for part in self._open_sections(block))
        return next((part.heading for part in parts if part.level == 1 and part.heading), "")

    @property
    def hashtags(self) -> tuple[str, ...]:
        """Hashtags outside code without `#`, in order; no colors, repeats or long ones."""
        texts = (
            strip_editor_syntax(token.content)
            for paragraph in self._tokens
            if paragraph.type == "inline" and _HASHTAG.search(paragraph.content)
            for token in parse_passage(paragraph.content)
            if token.type == "inline"
        )
        found = (tag for text in texts for tag in _HASHTAG.findall(CODE.sub("`", text)))
        tags = dict.fromkeys(tag.strip("[]") for tag in found)
        return tuple(t for t in tags if len(t) <= MAX_HASHTAG and not _COLOR.fullmatch(t))

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """Every heading in Markdown, also those in lists and quotations; none in HTML."""
        lines = ["", *self.text.split("\n"), ""]
        spans = [(opening, *(opening.map or (0, 0))) for opening in self._tokens]
        return tuple(
            Heading(
                line=first,
                source=content.content,
                tokens=tuple(parse_inline(content.content, self.references)),
                is_top=opening.level == 0,
                is_marked=f"{lines[first][:2]} {lines[end + 1][:2]}".count("{:") > 0,
            )
            for (opening, first, end), content in zip(spans, self._tokens[1:], strict=False)
            if opening.type == "heading_open"
        )

    @cached_property
    def links(self) -> tuple[tuple[Link, ...], tuple[str, ...]]:
        """All links in order, without images, and the IDs of HTML elements."""
        return find_links_and_ids(self._tokens, self.references)

    def line_at(self, place: int) -> int:
        """Return the line, from 0, of the character at offset `place`."""
        return bisect_right(self._offsets, place, hi=len(self._offsets) - 1) - 1

    def lead(self, place: int) -> str:
        """Return text to put before a passage from `place` on, so that it is parsed as in the post.

        A lead may have the head of a table, the label of a container or callout, the mark of a list
        item, and the line that opens a fence. A lead above MAX_LEAD_BYTES gives `""`.
        """
        lead, indent, label_end, blocks = "", 0, 0, self._tree
        while block := next((b for b in blocks if b.start < place < b.end), None):
            inner = self.text[max(block.start, label_end) : block.end].lstrip("\n")
            first, _, rest = inner.partition("\n")
            if block.kind == "table":
                head = f"{first}\n{rest.partition(chr(10))[0]}\n"
                narrow = re.sub(r"(?<=\S)( )+|(---)-+", r"\1\2", head)
                lead += narrow if block.start + len(head) <= place else ""
            elif block.kind == "list_item" and (item := _LIST_MARK.match(first)):
                lead, indent = f"{lead}{item[0].rstrip()}\n", len(item[0])
            elif block.kind == "container":
                lead, indent = f"{lead}{first}\n\n", len(first) - len(first.lstrip()) + 4
                label_end = block.end - len(rest)
            elif block.kind == "fence":
                lead += f"{first if re.match('[ >]*(?:```|~~~)', first) else FENCE}\n"
            elif block.kind == "blockquote" and "[!" in first[:6]:
                lead += f"{first}\n"
            blocks = block.children
        within = place > self.text.rfind("\n", 0, place) + 1
        return lead + " " * (indent * within) if len(lead.encode()) <= MAX_LEAD_BYTES else ""

    def plain_text(self, start: int, end: int) -> str:
        """Return the words of `text[start:end]` and its lead; ordinary whole blocks are reused."""
        places, tokens = self._begins
        first, after = bisect_left(places, start), bisect_left(places, end)
        is_whole = places[first] == start and not self.text[end : places[after]].strip()
        if is_whole and is_ordinary(self.text[start:end]):
            return read_words(self._tokens[tokens[first] : tokens[after]], self._labels)
        return self.strip_markup(self.lead(start) + self.text[start:end])

    @cached_property
    def _begins(self) -> tuple[list[int], list[int]]:
        """Offsets of the top-level blocks and indexes of their first tokens; the ends come last."""
        top = [(token.map[0], at) for at, token in enumerate(self._tokens) if token.map]
        firsts = [(self._offsets[line], at) for line, at in top if not self._tokens[at].level]
        firsts[:1] = [(0, 0)] * bool(firsts)  # blank lines above belong to the first block
        places, tokens = zip(*firsts, (len(self.text), len(self._tokens)), strict=True)
        return list(places), list(tokens)

    def strip_markup(self, markup: str) -> str:
        """Return the words of a piece of Markdown."""
        return strip_markup(markup, self._labels, keeps_braces=self._keeps_braces)

    def _tile(self, first: int, after: int, start: int, end: int) -> tuple[Block, ...]:
        """Divide a span among the outermost tokens; each block ends where the next begins."""
        if first == after:
            return ()
        level = self._tokens[first].level
        places = [at for at in range(first, after) if self._tokens[at].level == level]
        opening = [at for at in places if self._tokens[at].nesting >= 0 and self._tokens[at].map]
        lines = [(self._tokens[at].map or (0,))[0] for at in opening[1:]]
        ends = [*(self._offsets[line] for line in lines), end]
        starts = [start, *ends]
        return tuple(map(self._make_block, opening, [*opening[1:], after], starts, ends))

    def _make_block(self, at: int, after: int, start: int, end: int) -> Block:
        token = self._tokens[at]
        kind = token.type.removesuffix("_open")
        if kind == "heading":
            source = self._tokens[at + 1].content
            if len(source) > MAX_HEADING:
                return Block("paragraph", start, end)
            return Block("heading", start, end, int(token.tag[1]), self.strip_markup(source))
        if kind not in _DIVISIBLE:
            return Block(kind, start, end)
        return Block(kind, start, end, children=self._tile(at + 1, after, start, end))
