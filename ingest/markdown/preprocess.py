"""A passage of a post comes in, as its generator reads it; plain Markdown goes out, in blocks.

Generator syntax is taken out before Markdown is read: a shortcode inside a link target would keep
the link from being seen, the `>` that ends a tag at the start of a line would be a quotation, and
what a component encloses would be HTML. Code is found first and is never touched. MDX knows no
indented code and no blocks of HTML, so a passage that looks like MDX is read without them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from markdown_it import MarkdownIt
from markdown_it.token import Token

from blog_search_mcp.ingest.markdown.admonitions import NOTES, dedented, is_indenting
from blog_search_mcp.ingest.markdown.blocks import fenced
from blog_search_mcp.ingest.markdown.code_spans import Code
from blog_search_mcp.ingest.markdown.mdx import COMPONENTS, EXPRESSIONS, looks_like_mdx
from blog_search_mcp.ingest.markdown.rules import Rule, Shown
from blog_search_mcp.ingest.markdown.shortcodes import SHORTCODES

_ROW = re.compile(r" {0,3}\|.*\|[ \t]*")
_BEGINS = re.compile(r"\n* {0,3}\|")
_DELIMITERS = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")


def headed(passage: str) -> str:
    """Put an empty head before rows that have none; a row with more cells would lose them."""
    if not _BEGINS.match(passage):
        return passage
    lines = passage.lstrip("\n").split("\n")
    rows = list(takewhile(_ROW.fullmatch, lines))
    if not rows or any(map(_DELIMITERS.fullmatch, lines[1:2])):
        return passage
    columns = max(row.count("|") for row in rows) - 1
    return f"{'|' * (columns + 1)}\n|{'-|' * columns}\n{passage.lstrip(chr(10))}"


MAX_NESTING = 20
"""Nested blocks and spans read, CommonMark presets' own limit; what lies deeper is dropped."""


class _Rules:
    """Rules as one pattern, in which the first that fits wins."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        named = (f"(?P<r{number}>{rule.opening})" for number, rule in enumerate(rules))
        self._pattern = re.compile("|".join(named), re.MULTILINE)
        self._readers = {f"r{number}": rule.read for number, rule in enumerate(rules)}

    def shown(self, markdown: str, place: int) -> Shown | None:
        """Say what a reader sees of the syntax that begins at `place`, `None` if none does."""
        beginning = self._pattern.match(markdown, place)
        if beginning is None or beginning.lastgroup is None:
            return None
        return self._readers[beginning.lastgroup](beginning)


_CANDIDATE = re.compile(
    r"[{<]|%%|^(?=[ \t>]*::|[ \t>]*> ?\[!|import\s|export\s"
    r"| {0,3}(?:[*+-]|\d+\.) [^\n]*\n *\{: *toc)",
    re.MULTILINE,
)
"""Where a rule can apply: looking here first spares trying each rule at each character."""


_DEFINED = "]:"
"""What a definition of a link holds, which a body loses and a passage keeps."""


def _parser(*without: str) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    parser.disable(["reference", *without])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


_MARKDOWN = _parser(), _Rules((*SHORTCODES, *COMPONENTS, *NOTES))
_MDX = _parser("code", "html_block"), _Rules((*SHORTCODES, *COMPONENTS, *NOTES, *EXPRESSIONS))


def block_tokens(passage: str, known: Sequence[Token] | None = None) -> Sequence[Token]:
    """The blocks of a passage, without generator syntax outside code. Never raises.

    `known` are those of the passage as a part of its body (`ingest.markdown.blocks`), if it is one
    that can be read without the rest. Braces that are text may be marks
    (`ingest.markdown.rules.as_text`).
    """
    markdown = fenced(headed(passage))
    parser, rules = _MDX if looks_like_mdx(markdown) else _MARKDOWN
    indents = is_indenting(markdown)
    as_it_stands = markdown == passage and parser is _MARKDOWN[0] and not indents
    is_known = known and as_it_stands and _DEFINED not in passage
    tokens = known if known and is_known else parser.parse(markdown)
    if indents:
        markdown = dedented(markdown, _code_lines(tokens))
        tokens = parser.parse(markdown)
    if not _CANDIDATE.search(markdown):
        return tokens
    cleaned = _cleaned(markdown, Code(markdown, tokens, _first_line(tokens, known)), rules)
    return tokens if cleaned == markdown else parser.parse(cleaned)


def _first_line(tokens: Sequence[Token], known: Sequence[Token] | None) -> int:
    lines = known[0].map if known and tokens is known else None
    return lines[0] if lines else 0


def _code_lines(tokens: Sequence[Token]) -> set[int]:
    code = (token.map for token in tokens if token.type in ("fence", "code_block") and token.map)
    return {line for start, end in code for line in range(start, end)}


def _cleaned(markdown: str, code: Code, rules: _Rules) -> str:
    """Put what a reader sees in the place of all syntax that begins outside code."""
    pieces, at = [], 0
    for candidate in _CANDIDATE.finditer(markdown):
        place = candidate.start()
        if place < at or code.in_block(place):
            continue
        shown = rules.shown(markdown, place)
        if shown and not code.in_line(place):
            pieces += [markdown[at:place], _on_its_lines(markdown, place, shown)]
            at = shown.end
    return "".join([*pieces, markdown[at:]])


def _on_its_lines(markdown: str, place: int, shown: Shown) -> str:
    """Words as a paragraph where the syntax has its lines for itself."""
    if not shown.words.strip() or "\n" in shown.words:
        return shown.words
    before = markdown[markdown.rfind("\n", 0, place) + 1 : place]
    end = markdown.find("\n", shown.end)
    after = markdown[shown.end : end if end >= 0 else None]
    if before.strip(" \t>") or after.strip():
        return shown.words
    return f"\n{before}{shown.words.strip()}\n{before}"
