"""Read the links of Markdown, and its words for embedding, analysis and previews.

`ingest.posts.markdown.parser` finds the blocks and removes generator syntax from them, so nothing
inside code is ever taken for markup. Each paragraph then loses the syntax of editors (wiki links,
attributes, marks of footnotes and blocks) and is parsed inline.

In a passage, a regular expression drops reference definitions, not the parser: a passage rarely
holds the definitions of its links, and `[^1]: word` is a footnote.

Links may be written in Markdown, HTML, or the syntax of an editor or site generator. Link tags of
generators become addresses with schemes of this package: `ref:` for Hugo's `ref` and `relref`,
`link:` for Jekyll's `link`, `post:` for Jekyll's `post_url` and Hexo's `post_link`. A link between
notes (`[[Page]]`) leads to the file `Page.md`.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from blog_search_mcp import index
from blog_search_mcp.index.text.languages import FULL_WIDTH, HAN
from blog_search_mcp.index.types import MAX_ADDRESS, Link
from blog_search_mcp.ingest.posts.markdown.parser import (
    CODE,
    is_inside,
    parse_inline,
    parse_passage,
)
from blog_search_mcp.ingest.posts.paths import PATTERNS

_ICON = r":(?:fontawesome|material|octicons|simple)-[a-z0-9]+(?:-[a-z0-9]+)*:"
"""Icon of MkDocs Material."""
_VALUE = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s{}\"']+)"
_ATTRIBUTE = rf"(?:[#.][\w-][\w:.-]*|[\w-]+={_VALUE}|\w+-toc)"
_ATTRIBUTES = rf"\{{:?[ ]*{_ATTRIBUTE}(?:[ ]+{_ATTRIBUTE})*+[ ]*\}}"
"""`{#id .class key="value"}` of Hugo, Docusaurus and Pandoc; `{: …}` of kramdown and MkDocs."""
_GONE = re.compile(
    rf"""
      (?=[{{:\[^]|^[ \t`@;-])(?:                  # what any of these begins with
      (?:(?<=[\])*_])|\A){_ATTRIBUTES}           # behind a link, an image or emphasised words
    | {_ATTRIBUTES}[ \t]*$                      # behind a heading, or below a block
    | \{{:(?!:)[ ]*{_ATTRIBUTE}(?:[ ]+{_ATTRIBUTE})*+[ ]*\}}
    | ^[ \t]*\{{:(?:[\w-]+:[ ][^{{}}\n]*|[ ]+[\w-]+[ ]*)\}}[ \t]*$  # kramdown: definition, or name
    | {_ICON}(?:{_ATTRIBUTES})?
    | \{{\{{[ ]*raw[ ]+`|^`\}}\}}                 # halves of a Go template's raw text
    | ^[ ]{{0,3}}(?:\[{{1,2}}_?toc_?\]{{1,2}}|@\[toc\])[ \t]*$
    | \[\^[^\[\]\s]+\]:?                         # footnote references and marks
    | (?<!\S)\^(?:[A-Za-z][\w-]+|[A-Za-z0-9]{{6,}})[ \t]*$   # Obsidian's blocks
    | ^[ \t]*;?-+8<-+[^\n]*$)                     # MkDocs snippets, named by their file
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"^ {0,3}\[(?!\^)[^\[\]\n]+\]: *\S+(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*$"
    r"|^ {0,3}\*\[[^\[\]\n]+\]:[^*\n]*$",
    re.MULTILINE,
)
"""Definition of a link (its label may be code) or of an abbreviation."""
_HIGHLIGHT = re.compile(r"==(?<![A-Za-z0-9=]==)(?=[^\s=])([^=\n]*[^\s=])==(?![A-Za-z0-9=])")
_RAISED = re.compile(
    r"(?:(?<=[\w)*])(?<!_)(?P<mark>[~^])|(?<![\w^\\\[])\^(?=[\d+-]))(?!\s)"
    r"((?:\\ |[\w+,.()*=−∗′°-]){1,30})(?(mark)(?P=mark)|\^)(?!(?(mark)(?P=mark)|\^))"
)
"""Subscripts and superscripts of Pandoc, maybe with an escaped blank."""
_READING = re.compile(
    rf"\{{([{HAN}][^{{}}|\n]{{0,30}})\|[^{{}}\n{HAN}]{{1,90}}\}}"
    rf"|(?:[｜|](?=[^\s《]{{1,30}}《))?([{HAN}々]{{1,30}}|(?<=[｜|])[^\s《》|｜]{{1,30}})《[ぁ-ヿㄅ-ㄯ]+》"
    rf"|\[([{HAN}][^\[\]\n]{{0,30}})\](?:\^{{1,2}}\([^()\n]{{0,90}}\)|\{{[ぁ-ヿㄅ-ㄯ ]+\}})"
    r"|(?i:<r[tp]\b[^<>]*>[^<]*(?:</r[tp]>)?)"
)
"""Phonetic readings of characters in markdown-it-ruby, Aozora Bunko, Obsidian's Furigana, HTML."""
_ROLE = re.compile(r"(?<!\\)\{[a-z][\w:.+-]*\}\Z")
"""Name of a MyST role before the backticks that hold its text and maybe its target."""
_NAMED = re.compile(r"\A\s*+(?::::|#!)\w[^\n/]*\n")
"""First line of indented code that names its language, as in Python-Markdown's CodeHilite."""
_WIKI_LINK = re.compile(r"!?\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]\]")
_FILE_SUFFIX = re.compile(r"\.(?!md\s*$)[A-Za-z]\w{2,4}\s*$")
_SIZE = re.compile(r"\d+(?:x\d+)?")
CACHED_PARAGRAPHS = 256
"""Number of paragraphs in each cache. A post's language, chunks and links read the same ones."""


@lru_cache(CACHED_PARAGRAPHS)
def strip_editor_syntax(source: str) -> str:
    """Remove editors' syntax outside code from a paragraph; links of notes become Markdown."""
    if "]:" in source:
        spans = [code.span() for code in CODE.finditer(source)]
        source = _DEFINITION.sub(lambda d: d[0] if is_inside(d.start(), spans) else "", source)
    pieces, at = [], 0
    for code in (*CODE.finditer(source), None):
        words, shown = source[at : code.start() if code else None], code[0] if code else ""
        if shown and (role := _ROLE.search(words)):
            words, shown = words[: role.start()], re.sub(r"\s?<[^<>`]*>(?=`)", "", shown)
        words = _RAISED.sub(
            lambda m: m[2].replace("\\ ", " "), _HIGHLIGHT.sub(r"\1", _GONE.sub("", words))
        )
        words = _READING.sub(r"\1\2\3", words)
        pieces += [_WIKI_LINK.sub(_write_link, words), shown]
        at = code.end() if code else at
    return "".join(pieces)


def _write_link(link: re.Match[str]) -> str:
    """Return a link to the page's file; the text is the label, else the page and heading.

    Embedded pages and names with `<` or `>` give only that text; other embedded files, the label.
    """
    is_embedded, page = link[0].startswith("!"), link[1].rstrip("\\")
    words, (path, _, heading) = (link[2] or "").rpartition("|")[2].strip(), page.partition("#")
    if not words or (is_embedded and _SIZE.fullmatch(words)):
        if is_embedded and _FILE_SUFFIX.search(path):
            return ""
        words = " ".join(re.sub(r"#\^[\w-]+", "", page).replace("#", " ").split())
    if is_embedded or "<" in page or ">" in page:
        return words
    file = f"{path.removesuffix('.md')}.md" if path else ""
    return f"[{words}](<{file}#{heading}>)"


_MARKED = re.compile(rf"[\\`*_~\[\]<&{{=^《]|{_ICON}")
"""Signs of markup. A paragraph without any of them has no markup."""
_BRACKETED_TEXT = re.compile(r"\[([^\[\]]+)\]")
_REFERENCE = re.compile(r"\[(?<![\w\]]\[)([^\[\]]+)\]\[([^\[\]]*)\]")
_IN_TAG = r"(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*+"
_HTML_TAG = re.compile(rf"</?[A-Za-z]{_IN_TAG}>")
_PHRASING = re.compile(PATTERNS["phrasing tags"], re.IGNORECASE)
"""Tags that separate no words (HTML, 3.2.5.2.5)."""
_IN_TITLE = re.compile(rf"{_PHRASING.pattern}|<br\b", re.IGNORECASE)
_START_TAG = re.compile(rf"<([A-Za-z][\w:-]*+)({_IN_TAG})>")
_HTML_ATTRIBUTE = re.compile(
    r"(?<![^\s\"'=<>/])([^\s\"'=<>/]++)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))"
)
_BREAKING_TAG = re.compile(r"</?(?:br|hr|p|div|li|td|th|tr|summary|h[1-6])\b", re.IGNORECASE)
_ALTERNATIVE = re.compile(r"<img\b[^<>]*?\salt=(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u00ad\u034f\u180e\u200b\u2060-\u2064\ufeff]")
"""Invisible characters but TAB, LF and joiners (they shape letters). ESC could color a terminal."""
_SPACES = re.compile("  +")
_BLANK = re.compile(r" ?\n[\n ]*")
CJK_BREAK = re.compile(rf"\n(?<=[{FULL_WIDTH}]\n)(?=[{FULL_WIDTH}])")
"""Line break between two full-width characters; it is not read as a space."""


def strip_markup(
    markdown: str, labels: frozenset[str] = frozenset(), *, keeps_braces: bool = False
) -> str:
    """Return the words of a passage, one line for each paragraph, item, row or line of code.

    Kept: text, code verbatim, the text of links and images, table cells, titles and captions given
    to shortcodes and components. Dropped: targets, tags, footnote and reference marks, generator
    syntax. `labels` are link labels defined elsewhere, in the form of `normalizeReference`; with
    `keeps_braces` `{{ x }}` is text. Never raises.
    """
    return read_words(parse_passage(markdown, keeps_braces=keeps_braces), labels)


def read_words(tokens: Sequence[Token], labels: frozenset[str]) -> str:
    """Return the words of blocks, as `strip_markup` does."""
    lines = (CONTROL.sub("", line).strip("\n") for line in _read_lines(tokens, labels))
    return "\n".join(line for line in lines if line.strip())


_DIRECTIVE = re.compile(PATTERNS["directives read as Markdown"])
"""Info of a fence whose content MyST reads as Markdown (https://mystmd.org/guide/directives)."""
_DIRECTIVE_OPTIONS = re.compile(r"\A(?:[ \t]*:[\w-]+:[^\n]*\n?)*+")
MAX_DIRECTIVES = 4
"""Maximum depth of directives; deeper ones are read as code."""


def _read_lines(tokens: Sequence[Token], defined: frozenset[str], depth: int = 0) -> Iterator[str]:
    cells: list[str] | None = None
    for token in tokens:
        if token.type == "inline":
            words = _read_paragraph(token.content, defined)
            if cells is None:
                yield words
            else:
                cells.append(words)
        elif token.type in ("fence", "code_block"):
            code = token.content if token.type == "fence" else _NAMED.sub("", token.content)
            if depth < MAX_DIRECTIVES and (directive := _DIRECTIVE.fullmatch(token.info)):
                inner = f"{directive['title'] or ''}\n\n{_DIRECTIVE_OPTIONS.sub('', code, count=1)}"
                yield from _read_lines(parse_passage(inner), defined, depth + 1)
            else:
                yield code.strip("\n").rstrip()
        elif token.type == "html_block":
            named = _ALTERNATIVE.sub(r"\1\2\g<0>", _READING.sub(r"\1\2\3", token.content))
            text = _HTML_TAG.sub(lambda tag: "" if _PHRASING.match(tag[0]) else " ", named)
            yield _tidy(html.unescape(text))
        elif token.type == "tr_open":
            cells = []
        elif token.type == "tr_close" and cells is not None:
            yield " ".join(filter(None, cells))
            cells = None


MIN_ENCODED_RUN = 1_000
_ENCODED_RUN = re.compile(rf"[A-Za-z0-9+/]{{{MIN_ENCODED_RUN},}}+=*")
"""Base64 of an embedded file, or a part of it."""


@lru_cache(CACHED_PARAGRAPHS)
def _read_paragraph(source: str, defined: frozenset[str]) -> str:
    source = _ENCODED_RUN.sub("", source) if len(source) >= MIN_ENCODED_RUN else source
    if not _MARKED.search(source):
        return _unwrap(source)
    source = strip_editor_syntax(source)
    # Every `[text][label]` counts as defined: its definition may lie in another passage.
    labels = {normalizeReference(label or text) for text, label in _REFERENCE.findall(source)}
    if defined:
        labels |= defined.intersection(map(normalizeReference, _BRACKETED_TEXT.findall(source)))
    references = {label: {"href": "", "title": ""} for label in labels}
    return _unwrap("".join(map(_read_token, _parse(source, references))))


def _parse(source: str, references: Mapping[str, Any]) -> Sequence[Token]:
    """Parse a paragraph; the result is cached if there are no `references`."""
    return parse_inline(source, references) if references else _parse_alone(source)


@lru_cache(CACHED_PARAGRAPHS)
def _parse_alone(source: str) -> Sequence[Token]:
    return parse_inline(source, {})


def strip_title(title: str) -> str:
    """Return a title's text without markup and inline tags; `__init__` and `Vec<T>` stay."""
    source = re.sub(r"(?<!\w)__\w+__(?!\w)", lambda name: name[0].replace("_", r"\_"), title)
    source = _READING.sub(
        r"\1\2\3", _RAISED.sub(lambda m: m[2].replace("\\ ", " "), _HIGHLIGHT.sub(r"\1", source))
    )
    tokens = parse_inline(_WIKI_LINK.sub(_write_link, source), {})
    kept = (
        token.content
        if token.type == "html_inline" and not _IN_TITLE.match(token.content)
        else _read_token(token)
        for token in tokens
    )
    return CONTROL.sub("", _unwrap("".join(kept)))


def _read_token(token: Token) -> str:
    """Return a token's text: `alt` for an image's tag, a space for a tag that breaks the line."""
    if token.type == "code_inline":
        return token.content
    if token.type == "image":
        return "".join(map(_read_token, token.children or ()))
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    if token.type == "html_inline":
        if image := _ALTERNATIVE.match(token.content):
            return html.unescape(image[1] or image[2] or "")
        return " " if _BREAKING_TAG.match(token.content) else ""
    return token.content if token.type.startswith("text") else ""


def _unwrap(words: str) -> str:
    """Undo hard wrapping: a line break is a space, or nothing between full-width characters."""
    if "\n" in words:
        words = CJK_BREAK.sub("", words).replace("\n", " ")
    return _tidy(words)


def _tidy(words: str) -> str:
    spaced = words.replace("\t", " ").replace("\u00a0", " ").replace("\u3000", " ")
    spaced = _SPACES.sub(" ", spaced)
    return (_BLANK.sub("\n", spaced) if "\n" in spaced else spaced).strip()


_MAY_LINK = re.compile(r"[\]<]|post_link")
_GENERATED = re.compile(PATTERNS["links of generators"], re.VERBOSE)


def find_links_and_ids(
    tokens: Sequence[Token], references: Mapping[str, Any]
) -> tuple[tuple[Link, ...], tuple[str, ...]]:
    """Return a body's links (lines from 1, none longer than MAX_ADDRESS), and its HTML's IDs."""
    links: list[Link] = []
    ids: list[str] = []
    for token in tokens:
        line = 1 + (token.map[0] if token.map else 0)
        if token.type == "html_block":
            links += _read_html(_GENERATED.sub(_write_target, token.content), line, ids)
        elif token.type == "inline" and _MAY_LINK.search(token.content):
            source = strip_editor_syntax(_GENERATED.sub(_write_target, token.content))
            links += _find_in_paragraph(_parse(source, references), line, ids)
    short = (link for link in links if len(link.href) <= MAX_ADDRESS)
    return tuple(short), tuple(dict.fromkeys(ids))


_FILE = Path(index.__file__).parent / "data" / "replacing_words.txt"
_SIGN_ROWS = (row.split("\t")[1:] for row in _FILE.read_text("utf-8").splitlines())
_SIGNS, _OTHERS = (
    "|".join(  # longest first; in scripts without blanks, phrases have no word boundaries
        rf"\b{phrase}\b" if phrase < "\u3000" else phrase
        for phrase in sorted("|".join(column).split("|"), key=len, reverse=True)
    )
    for column in zip(*_SIGN_ROWS, strict=True)
)
_PHRASE = re.compile(f"(?:({_SIGNS})|{_OTHERS}) ?")
MAX_INTRODUCTION = 200


def introduces_newer(words: str) -> bool:
    """Return whether the words before a link only say that it leads to a newer post.

    "was replaced by" may be about anything, "this article was replaced by" is about the post.
    """
    if len(words) > MAX_INTRODUCTION or not words.strip():
        return False
    letters = " ".join(re.findall(r"[^\W\d_]+", words.casefold()))
    place, has_sign = 0, False
    while phrase := _PHRASE.match(letters, place):
        place, has_sign = phrase.end(), has_sign or bool(phrase[1])
    return has_sign and place == len(letters)


def _find_in_paragraph(tokens: Sequence[Token], line: int, ids: list[str]) -> Iterator[Link]:
    """Yield a paragraph's links; add the IDs in its HTML to `ids`."""
    href, words, kind = "", "", ""
    for token in tokens:
        if token.type == "link_open":
            kind = "newer" if introduces_newer(words) else ""
            href, words = str(token.attrs.get("href", "")).removesuffix("#"), ""
        elif token.type == "link_close":
            yield Link(href, " ".join(words.split()), line, kind)
            href = ""
        elif token.type in ("softbreak", "hardbreak"):
            line += 1
            words += " "
        elif token.type == "html_inline":
            yield from _read_html(token.content, line, ids)
        else:
            words += token.content


def _write_target(generated: re.Match[str]) -> str:
    """Return the address that a generator's tag stands for; a whole link for `post_link`."""
    if slug := generated["slug"]:
        words = (generated["words"] or "").removesuffix("-").rstrip()
        quoted = re.match(r"([\"'])(.*?)\1", words)
        words = (quoted[2] if quoted else words) or slug
        return f"[{words}](post:{quote(slug)})"
    scheme = generated.lastgroup
    if scheme is None:
        return ""
    target = quote(generated[scheme], safe="/#.-_~@:%")
    return target if scheme == "path" else f"{scheme}:{target}"


def _read_html(source: str, line: int, ids: list[str]) -> Iterator[Link]:
    """Yield the links of HTML that begins on `line`; add its elements' IDs to `ids`."""
    for tag in _START_TAG.finditer(source):
        attributes: dict[str, str] = {}
        for name, *values in _HTML_ATTRIBUTE.findall(tag[2]):
            attributes.setdefault(name.lower(), html.unescape("".join(values)))
        is_link = tag[1].lower() == "a"
        if is_link and attributes.get("href"):
            yield Link(attributes["href"], "", line + source.count("\n", 0, tag.start()))
        ids += filter(None, (attributes.get("id"), attributes.get("name") if is_link else None))
