"""Parse CommonMark with tables and strikethrough; the one configuration of markdown-it.

Blocks are parsed without their inline content, which is parsed a paragraph at a time where its
words are needed. A body knows its link definitions. In a passage they are text, since it rarely
holds those of its own links and `[^1]: word` is a footnote; in MDX there is neither indented code
nor a block of HTML. Code between backticks is paired here, one paragraph at a time, because the
inline parser has no positions.

What only a site generator or an editor understands is taken out of a passage before Markdown is
read: a shortcode inside a link target would keep the link from being seen, the `>` that ends a tag
at the start of a line would be a quotation, and what a component encloses would be HTML. Code is
found first and is never touched.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise, takewhile
from typing import Any, Literal, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token as Token

from blog_search_mcp.index.posts.markdown.rules import RULES, looks_like_mdx

MAX_NESTING = 20
"""Nested blocks and spans read, CommonMark presets' own limit; what lies deeper is dropped."""

Dialect: TypeAlias = Literal["body", "passage", "mdx"]

_TAG = re.compile(
    r"(?:\{%-? *(end)?(highlight|codeblock)\b[^{}\n]*%\}"
    r"|\{\{[<%] *(/ *)?(highlight|mermaid)\b[^\n]*[>%]\}\})[ \t]*$",
    re.MULTILINE,
)
"""Around code of Jekyll, Hexo and Hugo, alone on its line."""


def _tagged_code(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read code between tags as a fence; one that is never closed, which `env` knows, is text."""
    tag = _TAG.match(state.src, state.bMarks[start] + state.tShift[start])
    if tag is None or tag[1] or tag[3] or state.is_code_block(start):
        return False
    unclosed = state.env.setdefault("unclosed", [])
    for last in range(start + 1, end) if (tag[2], tag[4], end) not in unclosed else ():
        closing = _TAG.match(state.src, state.bMarks[last] + state.tShift[last])
        if closing and (closing[1] or closing[3]) and closing.group(2, 4) == tag.group(2, 4):
            break
    else:
        unclosed.append((tag[2], tag[4], end))
        return False
    if not silent:
        token = state.push("fence", "code", 0)
        token.content = state.getLines(start + 1, last, state.sCount[start], True)
        token.map, state.line = [start, last + 1], last + 1
    return True


_INDENTED = 4
"""Spaces that MkDocs asks for."""
_CONTAINER = re.compile(
    r"(?:(?:!!!|\?\?\?\+?) ?[\w-]++(?: ++[\w-]++)*+(?: ++\"([^\"\n]*)\")?"
    r"|===[!+]? +\"([^\"\n]*)\")[ \t]*$",
    re.MULTILINE,
)


def _container(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read an admonition or a tab of MkDocs as its title and the blocks indented below it."""
    mark = _CONTAINER.match(state.src, state.bMarks[start] + state.tShift[start])
    if mark is None or state.is_code_block(start):
        return False
    if silent:
        return True
    least, last = state.blkIndent + _INDENTED, start + 1
    for number in range(start + 1, end):
        if not state.isEmpty(number):
            if state.sCount[number] < least:
                break
            last = number + 1
    title = state.push("inline", "", 0)
    title.content, title.map, title.children = mark[1] or mark[2] or "", [start, start + 1], []
    above = state.blkIndent, state.lineMax, state.parentType
    state.blkIndent, state.lineMax, state.parentType = least, last, "container"
    state.md.block.tokenize(state, start + 1, last)
    state.blkIndent, state.lineMax, state.parentType = above
    state.line = last
    return True


def _block_parser(*without: str) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    parser.disable(without)
    parser.core.ruler.enableOnly(["normalize", "block"])
    interrupts: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "tagged_code", _tagged_code, interrupts)
    if without:
        parser.block.ruler.before("fence", "container", _container, interrupts)
    return parser


_BLOCKS: dict[Dialect, MarkdownIt] = {
    "body": _block_parser(),
    "passage": _block_parser("reference"),
    "mdx": _block_parser("reference", "code", "html_block"),
}
_INLINE = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("strikethrough")
_INLINE.normalizeLink = str  # type: ignore[assignment, method-assign]  # targets stay as written


def parse_blocks(markdown: str, dialect: Dialect, env: dict[str, Any] | None = None) -> list[Token]:
    """Parse blocks; of a body, `env` receives the link definitions under `references`."""
    return _BLOCKS[dialect].parse(markdown, {} if env is None else env)


def parse_inline(source: str, references: Mapping[str, Any] | Collection[str] = ()) -> list[Token]:
    """Parse one paragraph; `references` are definitions by label, or labels without a target."""
    known = (
        references
        if isinstance(references, Mapping)
        else {normalizeReference(label): {"href": "", "title": ""} for label in references}
    )
    tokens: list[Token] = []
    _INLINE.inline.parse(source, _INLINE, {"references": known}, tokens)
    return tokens


def write_html(tokens: Sequence[Token]) -> str:
    """Write tokens as HTML; what a text has as HTML stands in it as it is, still to be cleaned."""
    html: str = _INLINE.renderer.render(tokens, _INLINE.options, {})
    return html


_DEFINITION = re.compile(
    r"^ {0,3}\[(?!\^)([^\[\]\n]{1,999})\]:[ \t]*+\n?[ \t]*+<?([^\s<>]+)", re.MULTILINE
)


def find_definitions(markdown: str) -> dict[str, Any]:
    """Find the link definitions anywhere in a post, as `parse_inline` takes them."""
    pairs = reversed(_DEFINITION.findall(markdown))  # the first of a label counts
    return {normalizeReference(label): {"href": target, "title": ""} for label, target in pairs}


Span: TypeAlias = tuple[int, int]
"""Character offsets, half open."""

_BACKTICKS = re.compile(r"`+")


def line_offsets(text: str) -> list[int]:
    """Where each line begins, and the end of the last."""
    offsets = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    offsets[-1] = len(text)
    return offsets


def find_code(markdown: str, tokens: Sequence[Token], first_line: int = 0) -> list[Span]:
    """Find fences, indented code and code between backticks, in order.

    The lines of `tokens` are counted from `first_line`, on which `markdown` begins.
    """
    offsets = line_offsets(markdown)
    lines = [(token, *(token.map or (first_line, first_line))) for token in tokens]
    spans = [
        (offsets[first - first_line], offsets[min(end - first_line, len(offsets) - 1)])
        for token, first, end in lines
        if token.type in ("fence", "code_block")
    ]
    blocks = spans.copy()
    starts = sorted({0, *(offsets[first - first_line] for _, first, _ in lines)})
    for start, end in pairwise([*starts, len(markdown)]):
        if not is_inside(start, blocks):
            spans += find_inline_code(markdown, start, end)
    return sorted(spans)


def is_inside(place: int, spans: Sequence[Span]) -> bool:
    """Whether one of `spans`, which are sorted, holds the character at `place`."""
    at = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return at >= 0 and place < spans[at][1]


def find_inline_code(source: str, start: int = 0, end: int = sys.maxsize) -> Iterator[Span]:
    """Find the spans of a paragraph between backticks that pair up, the backticks included.

    As in CommonMark: an escaped backtick opens nothing, and what is escaped in code is code.
    """
    runs = list(_BACKTICKS.finditer(source, start, end))
    closing: dict[int, int] = {}  # where each run finds the next of its length
    latest: dict[int, int] = {}
    for at, run in enumerate(runs):
        if len(run[0]) in latest:
            closing[latest[len(run[0])]] = at
        latest[len(run[0])] = at
    at = 0
    while at < len(runs):
        before = source[max(0, runs[at].start() - 20) : runs[at].start()]
        is_escaped = (len(before) - len(before.rstrip("\\"))) % 2 == 1
        close = None if is_escaped else closing.get(at)
        if close is not None:
            yield runs[at].start(), runs[close].end()
        at = at + 1 if close is None else close + 1


FENCE = "~" * 24
"""Opens code that was cut; longer than any fence in that code."""

_ROW = re.compile(r" {0,3}\|.*\|[ \t]*")
_BEGINS = re.compile(r"\n* {0,3}\|")
_DELIMITERS = re.compile(r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+")


def _add_table_head(passage: str) -> str:
    """Put an empty head before rows that have none, with as many cells as the longest of them."""
    if not _BEGINS.match(passage):
        return passage
    lines = passage.lstrip("\n").split("\n")
    rows = list(takewhile(_ROW.fullmatch, lines))
    if not rows or any(map(_DELIMITERS.fullmatch, lines[1:2])):
        return passage
    columns = max(row.count("|") for row in rows) - 1
    return f"{'|' * (columns + 1)}\n|{'-|' * columns}\n{passage.lstrip(chr(10))}"


_CANDIDATE = re.compile(
    r"[{<]|%%"
    r"|^(?=[ \t>]*::|[ \t>]*> ?\[!|import\s|export\s| {0,3}(?:[*+-]|\d+\.) [^\n]*\n *\{: *toc)",
    re.MULTILINE,
)
"""Where a rule can apply: looking here first spares trying each rule at each character."""

_BEGINNING = re.compile(
    "|".join(f"(?P<r{number}>{rule.opening})" for number, rule in enumerate(RULES)), re.MULTILINE
)
"""The first rule that fits wins, and the last group names it."""


_REST = re.compile(r"[ \t]*$", re.MULTILINE)
_MAY_CONTAIN = re.compile(r"^ *(?:!!!|\?\?\?|===[!+]? +\")", re.MULTILINE)


def parse_passage(passage: str, known: Sequence[Token] | None = None) -> Sequence[Token]:
    """Parse the blocks of a passage, without generator syntax outside code. Never raises.

    `known` are the tokens of the passage as a part of its body, if it is whole top-level blocks and
    no definition; they are used where the passage reads the same by itself. Braces that are text
    may be marks (`index.posts.markdown.rules.protect_braces`).
    """
    markdown = _add_table_head(passage)
    dialect: Dialect = "mdx" if looks_like_mdx(markdown) else "passage"
    if markdown != passage or dialect == "mdx" or _MAY_CONTAIN.search(markdown):
        known = None
    tokens = known or parse_blocks(markdown, dialect)
    if not _CANDIDATE.search(markdown):
        return tokens
    first_line = (known[0].map or [0])[0] if known else 0
    replaced = _replace_syntax(markdown, tokens, first_line)
    return tokens if replaced == markdown else parse_blocks(replaced, dialect)


def _replace_syntax(markdown: str, tokens: Sequence[Token], first_line: int) -> str:
    """Replace all syntax that begins outside code, which is looked for where there is any."""
    pieces, at = [], 0
    code: Sequence[Span] | None = None
    for candidate in _CANDIDATE.finditer(markdown):
        place = candidate.start()
        beginning = _BEGINNING.match(markdown, place) if place >= at else None
        if beginning is None or beginning.lastgroup is None:
            continue
        if code is None:
            code = find_code(markdown, tokens, first_line)
        if is_inside(place, code):
            continue
        if (found := RULES[int(beginning.lastgroup[1:])].read(beginning)) is not None:
            words, end = found
            line = markdown[markdown.rfind("\n", 0, place) + 1 : place]
            is_last = _REST.match(markdown, end)
            if words.strip() and "\n" not in words and is_last and not line.strip(" \t>"):
                words = f"\n{line}{words.strip()}\n{line}"  # what has its line for itself
            pieces += [markdown[at:place], words]
            at = end
    return "".join([*pieces, markdown[at:]])
