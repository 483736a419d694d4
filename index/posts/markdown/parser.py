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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise, takewhile
from typing import Any, Literal, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token as Token

from blog_search_mcp.index.posts.markdown.rules import (
    ADMONITIONS,
    COMPONENTS,
    EXPRESSIONS,
    SHORTCODES,
    Replacement,
    Rule,
    dedent_admonitions,
    has_indented_admonition,
    looks_like_mdx,
)

MAX_NESTING = 20
"""Nested blocks and spans read, CommonMark presets' own limit; what lies deeper is dropped."""

Dialect: TypeAlias = Literal["body", "passage", "mdx"]


def _block_parser(*without: str) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    parser.disable(without)
    parser.core.ruler.enableOnly(["normalize", "block"])
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
    found: dict[str, Any] = {}
    for label, target in _DEFINITION.findall(markdown):
        found.setdefault(normalizeReference(label), {"href": target, "title": ""})
    return found


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
"""Opens code between template tags; longer than any fence in that code."""

_MARK = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)$"
    r"|^(?P<indent> {0,3})(?:\{%-? *(?P<end>end)?(?P<liquid>highlight|codeblock)\b[^{}\n]*%\}"
    r"|\{\{[<%] *(?P<close>/ *)?(?P<hugo>highlight|mermaid)\b[^\n]*[>%]\}\})[ \t]*$",
    re.MULTILINE,
)
_NAMES = ("highlight", "codeblock", "mermaid")
_CLOSING = re.compile(r"endhighlight|endcodeblock|/ *(?:highlight|mermaid)")


def fence_tagged_code(markdown: str) -> str:
    """Write code between tags that stand alone on their lines as a fence.

    What stands in a fence already is left as it is, and so is a tag that is never closed.
    """
    if not any(word in markdown for word in _NAMES) or not _CLOSING.search(markdown):
        return markdown
    marks = list(_MARK.finditer(markdown))
    last = {_name(mark): mark.start() for mark in marks if mark["end"] or mark["close"]}
    pieces, written, inside = [], 0, ""
    for mark in marks:
        name, is_closing = _name(mark), mark["end"] or mark["close"]
        if inside and mark["fence"]:
            acts = mark["fence"].startswith(inside) and not mark["info"].strip()
        elif inside:
            acts = is_closing and name == inside
        else:
            acts = mark["fence"] or (not is_closing and last.get(name, -1) > mark.start())
        if not acts:
            continue
        if name:
            pieces += [markdown[written : mark.start()], mark["indent"], FENCE]
            written = mark.end()
        inside = "" if inside else name or mark["fence"]
    return "".join([*pieces, markdown[written:]])


def _name(mark: re.Match[str]) -> str:
    return mark["liquid"] or mark["hugo"] or ""


_ROW = re.compile(r" {0,3}\|.*\|[ \t]*")
_BEGINS = re.compile(r"\n* {0,3}\|")
_DELIMITERS = re.compile(r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+")


def add_table_head(passage: str) -> str:
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
    r"[{<]|%%|(?<![\w:]):[a-z]"
    r"|\\?\[(?=/[a-z]|embed|gallery|[a-z][\w-]*(?: [^\[\]\n]*=|[ =]https?:))"
    r"|^(?=[ \t>]*::|[ \t>]*> ?\[!|import\s|export\s| {0,3}(?:[*+-]|\d+\.) [^\n]*\n *\{: *toc)",
    re.MULTILINE,
)
"""Where a rule can apply: looking here first spares trying each rule at each character."""

_ALWAYS = (*SHORTCODES, *COMPONENTS, *ADMONITIONS)
_READERS = [rule.read for rule in (*_ALWAYS, *EXPRESSIONS)]


def _combine(rules: Sequence[Rule]) -> re.Pattern[str]:
    """Make one pattern, in which the first rule that fits wins and the last group names it."""
    named = (f"(?P<r{number}>{rule.opening})" for number, rule in enumerate(rules))
    return re.compile("|".join(named), re.MULTILINE)


_RULES: dict[Dialect, re.Pattern[str]] = {
    "passage": _combine(_ALWAYS),
    "mdx": _combine((*_ALWAYS, *EXPRESSIONS)),
}


def parse_passage(passage: str, known: Sequence[Token] | None = None) -> Sequence[Token]:
    """Parse the blocks of a passage, without generator syntax outside code. Never raises.

    `known` are the tokens of the passage as a part of its body, if it is whole top-level blocks and
    no definition; they are used where the passage reads the same by itself. Braces that are text
    may be marks (`index.posts.markdown.rules.protect_braces`).
    """
    markdown = fence_tagged_code(add_table_head(passage))
    dialect: Dialect = "mdx" if looks_like_mdx(markdown) else "passage"
    indents = has_indented_admonition(markdown)
    as_it_stands = markdown == passage and dialect == "passage" and not indents
    known = known if as_it_stands else None
    tokens = known or parse_blocks(markdown, dialect)
    if indents:
        markdown = dedent_admonitions(markdown, _code_lines(tokens))
        tokens = parse_blocks(markdown, dialect)
    if not _CANDIDATE.search(markdown):
        return tokens
    lines = known[0].map if known else None
    find = partial(find_code, markdown, tokens, lines[0] if lines else 0)
    replaced = _replace_syntax(markdown, find, _RULES[dialect])
    return tokens if replaced == markdown else parse_blocks(replaced, dialect)


def _code_lines(tokens: Sequence[Token]) -> set[int]:
    code = (token.map for token in tokens if token.type in ("fence", "code_block") and token.map)
    return {line for start, end in code for line in range(start, end)}


def _replace_syntax(
    markdown: str, find: Callable[[], Sequence[Span]], rules: re.Pattern[str]
) -> str:
    """Replace all syntax that begins outside code, which `find` finds where there is any syntax."""
    pieces, at = [], 0
    code: Sequence[Span] | None = None
    for candidate in _CANDIDATE.finditer(markdown):
        place = candidate.start()
        beginning = rules.match(markdown, place) if place >= at else None
        if beginning is None or beginning.lastgroup is None:
            continue
        code = find() if code is None else code
        if is_inside(place, code):
            continue
        if found := _READERS[int(beginning.lastgroup[1:])](beginning):
            pieces += [markdown[at:place], _on_own_lines(markdown, place, found)]
            at = found.end
    return "".join([*pieces, markdown[at:]])


def _on_own_lines(markdown: str, place: int, found: Replacement) -> str:
    """Make the words a paragraph where the syntax has its lines for itself."""
    if not found.words.strip() or "\n" in found.words:
        return found.words
    before = markdown[markdown.rfind("\n", 0, place) + 1 : place]
    end = markdown.find("\n", found.end)
    after = markdown[found.end : end if end >= 0 else None]
    if before.strip(" \t>") or after.strip():
        return found.words
    return f"\n{before}{found.words.strip()}\n{before}"
