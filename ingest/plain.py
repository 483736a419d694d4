"""A passage of Markdown comes in; its words go out, for embedding, analysis and previews.

markdown-it-py finds the blocks, so nothing inside code is ever taken for markup. The source of
each paragraph is then cleaned of what a site generator or an editor adds (shortcodes, Liquid,
MDX, admonition marks, wiki links) and parsed inline. That order matters: a shortcode inside a
link target would otherwise keep the link from being seen.

Reference definitions are dropped by pattern, not by the parser: a passage rarely holds the
definitions of its own links, and `[^1]: word` is a footnote, not a definition.
"""

import html
import re
from collections.abc import Iterator, MutableMapping
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

MAX_NESTING = 20
"""Nested blocks and spans read, CommonMark presets' own limit; what lies deeper is dropped."""

_BLOCKS = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table").disable("reference")
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])
_INLINE = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("strikethrough")

_MARKED = re.compile(r"[\\`*_~\[\]<&{]|^:::|^import |^export |;base64,", re.MULTILINE)
"""What a paragraph without markup does not hold."""
_GENERATED = re.compile(
    r"\{[{%/]|<[A-Z/>]|\[\[|\[\^|\]:|^:::|^import |^export |;base64,", re.MULTILINE
)
"""What a paragraph that needs cleaning holds."""

_RAW_TEMPLATE = re.compile(r"\{\{ *raw +`|^`\}\}|\{\{ *raw +\"([^\"{}]*)\" *\}\}", re.MULTILINE)
"""Go templates' `{{raw …}}`: what it quotes is text."""
_GONE = re.compile(
    r"""
      \{\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}\}      # shortcodes, Liquid and template output
    | \{%[^{}]*%\}                             # Liquid tags
    | \{/\*[^{}]*\*/\}                         # MDX comments
    | </?[A-Z][\w.]*(?:\s[^<>]*)?>|</?>        # JSX tags
    | ^:::+\ *\{?[\w-]*\}?(?:\[([^\[\]\n]*)\])?  # admonition marks; a title in them is text
    | ^import\s+(?:[\w*{}\s,$]{1,300}?\sfrom\s+)?["'][^"'\n]+["'];?[ \t]*$
    | ^export\s+(?:const|let|var)\s+\w+\s*=[^\n]*$
    | ^export\s+default\s+\w+;?[ \t]*$
    | ^[ ]{0,3}\[(?!\^)[^\[\]\n]+\]:[ ]*\S+(?:\s+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*$
    | \[\^[^\[\]\s]+\]:?                       # footnote references and marks
    | data:[\w/+.-]+;base64,[A-Za-z0-9+/=]+
    """,
    re.VERBOSE | re.MULTILINE,
)
_WIKI_LINK = re.compile(r"!?\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]\]")
_REFERENCE = re.compile(r"(?<![\w\]])\[([^\[\]]+)\]\[([^\[\]]*)\]")
_BACKTICKS = re.compile(r"(?<!\\)(`+)")

_HTML_GONE = re.compile(
    r"""<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)|</?[A-Za-z](?:[^<>"']|"[^"<]*"|'[^'<]*')*+>""",
    re.DOTALL | re.IGNORECASE,
)

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
"""Characters no reader sees; an escape would let a post colour a terminal."""
_SPACE = re.compile(r"[ \t\u00a0\u3000]+")
_BLANK = re.compile(r" *\n[\n ]*")
_CJK = r"[\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
_CJK_BREAK = re.compile(rf"(?<={_CJK})\n(?={_CJK})")


def plain(markdown: str) -> str:
    """Give the words of a passage, one line for each paragraph, item, row or line of code.

    Kept: text, code verbatim, the text of links and images, table cells. Dropped: targets,
    tags, comments, scripts, footnote and reference marks, generator syntax. Never raises.
    """
    lines = (line for line in _lines(_BLOCKS.parse(markdown)) if line.strip())
    return _CONTROL.sub("", "\n".join(lines))


def _lines(tokens: list[Token]) -> Iterator[str]:
    cells: list[str] | None = None
    for token in tokens:
        if token.type == "inline":
            words = _paragraph(token.content)
            if cells is None:
                yield words
            else:
                cells.append(words)
        elif token.type in ("fence", "code_block"):
            yield token.content.strip("\n").rstrip()
        elif token.type == "html_block":
            yield _tidy(html.unescape(_HTML_GONE.sub(" ", _outside_code(token.content))))
        elif token.type == "tr_open":
            cells = []
        elif token.type == "tr_close" and cells is not None:
            yield " ".join(filter(None, cells))
            cells = None


def _paragraph(source: str) -> str:
    if not _MARKED.search(source):
        return _unwrap(source)
    cleaned = _outside_code(source)
    tokens: list[Token] = []
    _INLINE.inline.parse(cleaned, _INLINE, _references(cleaned), tokens)
    return _unwrap("".join(map(_words, tokens)))


def _references(source: str) -> MutableMapping[str, Any]:
    """Count every `[text][label]` as defined; its definition may lie in another passage."""
    labels = (label or text for text, label in _REFERENCE.findall(source))
    nowhere = {"href": "", "title": ""}
    return {"references": {normalizeReference(label): nowhere for label in labels}}


def _words(token: Token) -> str:
    if token.type == "code_inline":
        return token.content
    if token.type == "image":
        return "".join(map(_words, token.children or ()))
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    return token.content if token.type.startswith("text") else ""


def _outside_code(source: str) -> str:
    """Clean a paragraph everywhere but between backticks that pair up."""
    if not _GENERATED.search(source):
        return source
    parts = _BACKTICKS.split(_RAW_TEMPLATE.sub(r"\1", source))
    closing = _closing_backticks(parts)
    cleaned, at = [], 0
    while at < len(parts):
        end = closing.get(at)
        if end is None:
            cleaned.append(_clean(parts[at]))
            at += 1
        else:
            cleaned.extend(parts[at : end + 1])
            at = end + 1
    return "".join(cleaned)


def _closing_backticks(parts: list[str]) -> dict[int, int]:
    """Where each run of backticks (odd places of `parts`) finds its next equal."""
    closing: dict[int, int] = {}
    latest: dict[str, int] = {}
    for at in range(1, len(parts), 2):
        if parts[at] in latest:
            closing[latest[parts[at]]] = at
        latest[parts[at]] = at
    return closing


def _clean(source: str) -> str:
    return _WIKI_LINK.sub(_wiki_words, _GONE.sub(r"\1", source))


def _wiki_words(link: re.Match[str]) -> str:
    page, label = link[1], link[2]
    embedded = link[0].startswith("!")
    return label if label and not embedded else re.sub(r"[#^]", " ", page)


def _unwrap(words: str) -> str:
    """Undo hard wrapping: a line break is a space, and nothing between Chinese characters."""
    return _tidy(_CJK_BREAK.sub("", words).replace("\n", " "))


def _tidy(words: str) -> str:
    return _BLANK.sub("\n", _SPACE.sub(" ", words)).strip()
