"""One heading comes in; the id that each generator makes of it goes out, before numbering.

`None` is for an id that cannot be told from the heading alone: a template is filled in first,
or a parser may see a note, a link or an entity in it where ours sees text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ingest.headings import Heading, Part, parts_of
from ingest.slugs import hexo_slug, zola_slug

_ATTRIBUTES = re.compile(
    r"\s*\{\s*((?:(?:[#.][^\s#.{}\"'=]+|[\w:-]+=(?:\"[^\"]*\"|'[^']*'|[^\s{}\"']+))[\s,]*)+)\}\s*$"
)
_BRACES = re.compile(r"\s*\{([^{}\n]*)\}\s*$")
_ID = re.compile(r"#([^\s#.{}\"'=]+)|\bid=[\"']?([^\s\"']+)")
_KRAMDOWN_ID = re.compile(r"[\t ]\{#([A-Za-z_:][\w:.-]*)\}$")
_KRAMDOWN_LIST = re.compile(r"^ {0,3}\{:.*\}\s*$")
_TEMPLATE = re.compile(r"\{\{|\{%")
_SIGNS = re.compile(r"\[\^|<<|>>")
"""Notes, and quotation marks that some parsers take for tags."""
_BARE = re.compile(r"\w://|\bwww\.|\w@\w")
_ENTITY = re.compile(r"&(?! )|~")
"""Hexo's renderer escapes the one and strikes out between single ones of the other."""
_DASHES = re.compile("-{2,3}")
_TAG = re.compile(r"<(?=\S)(?:\"[^\"]*\"|'[^']*'|[^<>\"'])*(?:>|$)")
_SPACE = re.compile(r"[ \t\n\r\f\v]")


def goldmark_written_id(source: str) -> tuple[str, str]:
    """Split off what Hugo reads from braces at a heading's end: its id, if any."""
    braces = _ATTRIBUTES.search(source)
    if braces is None:
        return "", source
    named = _ID.search(braces[1])
    return (named[1] or named[2] if named else ""), source[: braces.start()]


def zola_written_id(source: str) -> tuple[str, str]:
    """Split off braces at a heading's end, whatever they hold, and read its id from them."""
    braces = _BRACES.search(source)
    if braces is None:
        return "", source
    named = re.search(r"(?:^|\s)#(\S+)", braces[1])
    return (named[1] if named else ""), source[: braces.start()]


def kramdown_written_id(heading: Heading) -> tuple[str | None, str]:
    """Split off what kramdown reads at a heading's end or below it; `""` if it is not sure."""
    if braces := _KRAMDOWN_ID.search(heading.source):
        return braces[1], heading.source[: braces.start()].rstrip()
    if _KRAMDOWN_LIST.match(heading.before):
        return "", heading.source
    if _KRAMDOWN_LIST.match(heading.after):
        named = _ID.search(heading.after)
        return (named[1] or named[2] if named else None), heading.source
    return None, heading.source


def is_kramdown_heading(heading: Heading, *, gfm: bool) -> bool:
    """Whether kramdown takes it for one: it asks for more than CommonMark does."""
    if "\n" in heading.source:
        return False
    after_blank = not heading.before.strip() or bool(_KRAMDOWN_LIST.match(heading.before))
    return gfm or after_blank or not heading.is_top


def goldmark_id(heading: Heading, source: str) -> str | None:
    """Hugo's, of the words that are shown: letters of any script, in lower case."""
    parts = heading.parts if source == heading.source else parts_of(source)
    if _unsure(parts, heading.source) or _BARE.search(_text(parts)):
        return None
    breaks = [place for place, part in enumerate(parts) if part.kind == "break"]
    last_line = parts[breaks[-1] + 1 :] if breaks else parts
    shown = _undashed([part for part in last_line if part.kind not in ("html", "link")])
    return "".join(map(_github, shown.strip().lower())) or "heading"


def gfm_id(heading: Heading) -> str | None:
    """Kramdown's for GitHub's Markdown, Jekyll's default."""
    if _unsure(heading.parts, heading.source):
        return None
    shown = _undashed([part for part in heading.parts if part.kind not in ("html", "image")])
    return "".join(map(_word, shown.lower()))


def kramdown_id(source: str) -> str | None:
    """Kramdown's own, of the Markdown: ASCII from its first letter on."""
    if _TEMPLATE.search(source):
        return None
    letters = re.sub("^[^a-zA-Z]+", "", source)
    return re.sub("[^a-zA-Z0-9 -]", "", letters).replace(" ", "-").lower() or "section"


def marked_id(heading: Heading, *, smart: bool, lower: bool) -> str | None:
    """Hexo's, of the rendered heading without its tags."""
    if _TEMPLATE.search(heading.source) or _ENTITY.search(heading.source):
        return None
    shown = "".join(
        _typographic(part.text) if part.kind == "text" and smart else part.text
        for part in heading.parts
        if part.kind != "image"
    )
    return hexo_slug(_TAG.sub("", shown).strip(), lower=lower)


def zola_id(heading: Heading, source: str, *, spelled: bool, smart: bool) -> str | None:
    """Zola's, of the words that are shown; with `spelled` in ASCII."""
    parts = heading.parts if source == heading.source else parts_of(source)
    shown = "".join(part.text for part in parts if part.kind != "html")
    if _TEMPLATE.search(source) or (smart and re.search("[\"']|--|\\.\\.\\.", shown)):
        return None
    return zola_slug(shown) if spelled else _SPACE.sub("_", shown)


def _unsure(parts: Sequence[Part], source: str) -> bool:
    return bool(_TEMPLATE.search(source) or _SIGNS.search(_text(parts)))


def _text(parts: Sequence[Part]) -> str:
    return "".join(part.text for part in parts if part.kind in ("text", "html"))


def _undashed(parts: Sequence[Part]) -> str:
    """Join the parts; two or three hyphens of text are a dash, which no id holds."""
    return "".join(
        _DASHES.sub("", part.text) if part.kind == "text" else part.text for part in parts
    )


def _github(char: str) -> str:
    if char in "-_ ":
        return "-" if char == " " else char
    category = unicodedata.category(char)
    return char if category[0] == "L" or category == "Nd" else ""


def _word(char: str) -> str:
    if char in "- \t":
        return "-"
    category = unicodedata.category(char)
    return char if category[0] in "LM" or category in ("Nd", "Nl", "Pc") else ""


def _typographic(text: str) -> str:
    """Put in quotes, dashes and dots in the order in which Hexo's renderer does."""
    text = text.replace("---", "—").replace("--", "–")
    text = re.sub(r"(^|[-—/(\[{\"\s])'", r"\1‘", text).replace("'", "’")
    return re.sub(r"(^|[-—/(\[{‘\s])\"", r"\1“", text).replace('"', "”").replace("...", "…")
