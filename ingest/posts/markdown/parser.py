"""Parse CommonMark with tables and strikethrough. Only this module configures markdown-it.

Blocks are parsed without their inline content. A paragraph is parsed inline when its words are
needed. Link definitions are read in a body only; in a passage they are text, since a passage rarely
holds the definitions of its links, and `[^1]: word` is a footnote. MDX has neither indented code
nor blocks of HTML. Formulas and containers of MkDocs are blocks.

Syntax that only a site generator or editor understands is removed from a passage before Markdown is
read: otherwise a shortcode inside a link target would hide the link, the `>` that ends a tag at the
start of a line would be a quotation, and the content of a component would be HTML. Code is found
first and is never changed.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, Literal, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token as Token

from blog_search_mcp.ingest.posts.markdown.extensions import LABEL, MDX, SYNTAX, read_syntax
from blog_search_mcp.ingest.posts.paths import PATTERNS

Dialect: TypeAlias = Literal["body", "passage", "mdx"]
Span: TypeAlias = tuple[int, int]
"""Character offsets, half open."""
_BLOCK_OPENING = re.compile(PATTERNS["opening of code or formula"], re.MULTILINE)
"""Line before code in Jekyll, Hexo and Hugo, or the start of a formula."""
_CLOSING = re.compile(PATTERNS["closing of code or formula"], re.MULTILINE)
"""Line that ends a block of _BLOCK_OPENING if the same group has the same text."""


@lru_cache(maxsize=1)
def _list_closings(text: str) -> Mapping[tuple[str, str], Sequence[Span]]:
    """Return the spans of lines that match _CLOSING, keyed by the name and text of the group."""
    spans: dict[tuple[str, str], list[Span]] = {}
    for closing in _CLOSING.finditer(text):
        kind = str(closing.lastgroup)
        spans.setdefault((kind, closing[kind]), []).append(closing.span())
    return spans


def _enclosed(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read code between tags, or a formula, as a fence. If it is never closed, it is text."""
    opening = _BLOCK_OPENING.match(state.src, state.bMarks[start] + state.tShift[start])
    if opening is None or state.is_code_block(start):
        return False
    kind = str(opening.lastgroup)
    spans = _list_closings(state.src).get((kind, opening[kind]), ())
    at = bisect_right(spans, (opening.end(), 0))
    if at == len(spans) or spans[at][1] > state.eMarks[end - 1]:
        return False
    if not silent:
        last = start + state.src.count("\n", opening.end(), spans[at][0])
        is_code = kind in ("liquid", "hugo")
        token = state.push("fence", "code", 0)
        lines = (start + 1, last) if is_code else (start, last + 1)
        token.content = state.getLines(*lines, state.sCount[start], True)
        token.map, state.line = [start, last + 1], last + 1
    return True


def _container(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read an admonition or tab of MkDocs: a label, and indented blocks below it."""
    label = LABEL.match(state.src, state.bMarks[start] + state.tShift[start])
    if label is None or state.is_code_block(start):
        return False
    if silent:
        return True
    before = state.blkIndent, state.lineMax
    indent = state.sCount[start] + 4
    after = range(start + 1, end)
    last = next((n for n in after if not state.isEmpty(n) and state.sCount[n] < indent), end)
    state.push("container_open", "div", 1).map = [start, last]
    state.push("paragraph_open", "p", 1)
    words = state.push("inline", "", 0)
    words.content, words.children = label["label"] or "", []
    state.push("paragraph_close", "p", -1)
    state.blkIndent, state.lineMax = indent, last
    state.md.block.tokenize(state, start + 1, last)
    state.blkIndent, state.lineMax = before
    state.push("container_close", "div", -1)
    state.line = last
    return True


_PLAIN = re.compile(r"(?:[^\W\d_][^\n]*(?:\n|\Z))++(?=[ \t]*(?:\n|\Z))")
"""Lines that begin with letters, up to a blank line or the end; they can only be a paragraph."""


def _plain(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """Read a top-level paragraph without trying all rules; that saves a tenth of a post's time."""
    plain = None if silent or state.level else _PLAIN.match(state.src, state.bMarks[start])
    if plain is None:
        return False
    state.line = start + plain[0].rstrip("\n").count("\n") + 1
    state.push("paragraph_open", "p", 1).map = [start, state.line]
    words = state.push("inline", "", 0)
    words.content, words.children = mdTrim(plain[0]), []
    words.map = [start, state.line]
    state.push("paragraph_close", "p", -1)
    return True


def _block_parser(*without: str) -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.disable(without)
    parser.core.ruler.enableOnly(["block"])
    interrupts: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("table", "plain", _plain)
    parser.block.ruler.before("fence", "enclosed", _enclosed, interrupts)
    parser.block.ruler.before("code", "container", _container, interrupts)
    return parser


_BLOCKS: dict[Dialect, MarkdownIt] = {
    "body": _block_parser(),
    "passage": _block_parser("reference"),
    "mdx": _block_parser("reference", "code", "html_block"),
}
_INLINE = MarkdownIt("commonmark").enable("strikethrough")
_INLINE.normalizeLink = str  # type: ignore[assignment, method-assign]  # targets stay as written


def parse_blocks(markdown: str, dialect: Dialect) -> list[Token]:
    """Parse Markdown into blocks."""
    return _BLOCKS[dialect].parse(markdown, {})


@lru_cache(maxsize=1)
def parse_body(text: str) -> tuple[Sequence[Token], Mapping[str, Any]]:
    """Return a body's blocks, and link definitions by normalized label; the last call is cached."""
    env: dict[str, Any] = {}
    return _BLOCKS["body"].parse(text, env), env.get("references", {})


def parse_inline(source: str, references: Mapping[str, Any]) -> list[Token]:
    """Parse one paragraph; `references` are definitions by normalized label."""
    tokens: list[Token] = []
    _INLINE.inline.parse(source, _INLINE, {"references": references}, tokens)
    return tokens


def write_html(tokens: Sequence[Token]) -> str:
    """Return inline tokens as HTML. HTML in the text is unchanged: the caller must sanitize it."""
    return str(_INLINE.renderer.render(tokens, _INLINE.options, {}))


CODE = re.compile(
    r"(?P<ticks>`(?<![`\\]`)`*+)(?:[^`]++|(?!(?P=ticks)(?!`))`++)*+(?P=ticks)(?!`)", re.DOTALL
)
"""Code between matching backticks, including the backticks."""


def line_offsets(text: str) -> list[int]:
    """Return the offset of each line, and the length of the text at the end."""
    offsets = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    offsets[-1] = len(text)
    return offsets


def find_code(markdown: str, tokens: Sequence[Token]) -> list[Span]:
    """Find fences, indented code and code between backticks, in order."""
    offsets = line_offsets(markdown)
    blocks = [
        (offsets[token.map[0]], offsets[min(token.map[1], len(offsets) - 1)])
        for token in tokens
        if token.map and token.type in ("fence", "code_block")
    ]
    spans = blocks.copy()
    starts = sorted({0, *(offsets[token.map[0]] for token in tokens if token.map)})
    for start, end in pairwise([*starts, len(markdown)]):
        if not is_inside(start, blocks):
            spans += (code.span() for code in CODE.finditer(markdown, start, end))
    return sorted(spans)


def find_code_of(markdown: str) -> list[Span]:
    """Find the code of a post, which may have MDX components."""
    is_mdx = MDX.search(markdown)
    return find_code(markdown, parse_blocks(markdown, "mdx") if is_mdx else parse_body(markdown)[0])


def is_inside(place: int, spans: Sequence[Span]) -> bool:
    """Return whether one of the sorted `spans` holds the character at `place`."""
    at = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return at >= 0 and place < spans[at][1]


def find_outside(
    spans: Sequence[Span], pattern: re.Pattern[str], text: str, at: int = 0
) -> Iterator[re.Match[str]]:
    """Yield the matches from `at` on, in order, that begin outside the sorted `spans`."""
    while match := pattern.search(text, at):
        start, at = match.start(), max(match.end(), match.start() + 1)
        if is_inside(start, spans):
            at = spans[bisect_right(spans, (start, sys.maxsize)) - 1][1]
        else:
            yield match


_HASHES = re.compile(r"^(?:> ?)*#{1,6}(?=[^#\s])", re.MULTILINE)


def write_headings(text: str) -> str:
    """Add the missing blank after `#` of headings, as Python-Markdown reads them."""
    code = find_code_of(text)
    return _HASHES.sub(lambda m: m[0] if is_inside(m.start(), code) else f"{m[0]} ", text)


FENCE = "~" * 24
"""Opening fence for a part of a formula or of code between tags, longer than fences in code."""


def is_ordinary(passage: str) -> bool:
    """Return whether a passage parses as in its body: without definitions, MDX and SYNTAX."""
    is_special = _may_have_syntax(passage) and (MDX.search(passage) or SYNTAX.search(passage))
    return "]:" not in passage and not is_special


def _may_have_syntax(passage: str) -> bool:
    """Return whether a passage has one of the signs without which MDX and SYNTAX never match."""
    return any(sign in passage for sign in ("<", "{", "::", "[!"))


def parse_passage(markdown: str, *, keeps_braces: bool = False) -> Sequence[Token]:
    """Parse the blocks of a passage, without generator syntax outside code. Never raises."""
    if not _may_have_syntax(markdown):
        return parse_blocks(markdown, "passage")
    dialect: Dialect = "mdx" if MDX.search(markdown) else "passage"
    tokens = parse_blocks(markdown, dialect)
    if not SYNTAX.search(markdown):
        return tokens
    replaced = _replace_syntax(markdown, find_code(markdown, tokens), keeps_braces)
    return tokens if replaced == markdown else parse_blocks(replaced, dialect)


_TEMPLATE_TAG = re.compile(r"\{(?:\{[ .-]|\{[\w.$]+\}|%)")
"""Braces that a site without templates prints, unlike an outliner's command `{{embed x}}`."""
_REST = re.compile(r"[ \t]*$", re.MULTILINE)


def _replace_syntax(markdown: str, code: Sequence[Span], keeps_braces: bool) -> str:
    """Replace syntax that begins outside code; words of syntax alone on a line stay alone."""
    pieces, kept = [], 0
    for match in find_outside(code, SYNTAX, markdown):
        if keeps_braces and _TEMPLATE_TAG.match(match[0]) and not match["opens"]:
            continue
        start, end = match.span()
        words, line = read_syntax(match), match["indent"]
        before = markdown[markdown.rfind("\n", 0, start) + 1 : start]
        is_alone = _REST.match(markdown, end) and not before.strip(" \t>")
        if words.strip() and "\n" not in words and is_alone:
            line = before if line is None else line
            words = f"\n{line}{words.strip()}\n{line}"
        pieces += [markdown[kept:start], words or line or ""]
        kept = end
    return "".join([*pieces, markdown[kept:]])
