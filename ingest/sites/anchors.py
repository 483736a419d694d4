"""A post's headings come in; the ids that its generator renders for them go out.

A chunk is linked at the nearest heading at or before its first line. Generators make ids each
in their own way: of the source or of what is shown, with or without what is not ASCII, and
number repeated ones. An id that is not sure is `""`: the link then names the post alone.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from blog_search_mcp.index.types import Chunk
from blog_search_mcp.ingest.markdown.blocks import LONGEST_HEADING
from blog_search_mcp.ingest.markdown.headings import Heading, Part, headings, parts_of
from blog_search_mcp.ingest.sites import anchors as heading_ids
from blog_search_mcp.ingest.sites.base import Anchors, Maker
from blog_search_mcp.ingest.sites.slugs import hexo_slug, readable, zola_slug

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


def with_anchors(
    chunks: Sequence[Chunk], body: str, first_line: int, how: Anchors
) -> tuple[Chunk, ...]:
    """Give each chunk the anchor of its heading; `body` begins on the file's `first_line`."""
    found = anchors(body, how)
    lines = [first_line + line for line, _ in found]
    ids = ["", *(anchor for _, anchor in found)]
    return tuple(
        replace(chunk, anchor=ids[bisect_right(lines, chunk.first_line)]) for chunk in chunks
    )


def anchors(body: str, how: Anchors) -> list[tuple[int, str]]:
    """The body's own headings: the line of each, from 0, and its id as it stands behind `#`.

    A heading too long to be one (`ingest.markdown.blocks`) has none, since every link would carry
    it.
    """
    if not how.maker:
        return []
    found = [heading for heading in headings(body) if _counts(heading, how)]
    ids = list(_MAKERS[how.maker](found, how))
    return [
        (heading.line, _written(heading_id) if len(heading.source) <= LONGEST_HEADING else "")
        for heading, heading_id in zip(found, ids, strict=True)
        if heading.is_top
    ]


def _written(heading_id: str) -> str:
    return readable(heading_id.replace("%", "%25"))


def _counts(heading: Heading, how: Anchors) -> bool:
    if how.maker not in ("gfm", "kramdown"):
        return True
    return heading_ids.is_kramdown_heading(heading, gfm=how.maker == "gfm")


def _of_goldmark(found: Sequence[Heading], _: Anchors) -> Iterator[str]:
    taken: set[str] = set()
    last: Counter[str] = Counter()
    for heading in found:
        written, source = heading_ids.goldmark_written_id(heading.source)
        slug = None if written else heading_ids.goldmark_id(heading, source)
        chosen = written or (_free(slug, taken, last) if slug else "")
        taken.add(chosen)
        yield chosen


def _of_kramdown(found: Sequence[Heading], how: Anchors) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for heading in found:
        written, source = heading_ids.kramdown_written_id(heading)
        if written is not None:
            yield written
        elif how.maker == "gfm":
            yield _counted(heading_ids.gfm_id(heading), seen)
        else:
            yield _counted(heading_ids.kramdown_id(source), seen)


def _of_marked(found: Sequence[Heading], how: Anchors) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for heading in found:
        slug = heading_ids.marked_id(heading, smart=how.smart, lower=how.lower)
        yield _counted(slug, seen)


def _of_zola(found: Sequence[Heading], how: Anchors) -> Iterator[str]:
    """Zola gives way to every id an author wrote, also to one further down."""
    split = [heading_ids.zola_written_id(heading.source) for heading in found]
    taken = {written for written, _ in split if written}
    last: Counter[str] = Counter()
    spelled = how.maker == "zola"
    for heading, (written, source) in zip(found, split, strict=True):
        slug = heading_ids.zola_id(heading, source, spelled=spelled, smart=how.smart)
        if written or slug is None:
            yield written
            continue
        free = _free(slug, taken, last)
        taken.add(free)
        yield free


_MAKERS: dict[Maker, Callable[[Sequence[Heading], Anchors], Iterator[str]]] = {
    "goldmark": _of_goldmark,
    "gfm": _of_kramdown,
    "kramdown": _of_kramdown,
    "marked": _of_marked,
    "zola": _of_zola,
    "zola-safe": _of_zola,
}


def _counted(slug: str | None, seen: Counter[str]) -> str:
    """Number the second of equal ids `-1`, whether or not another heading is called so."""
    if slug is None:
        return ""
    seen[slug] += 1
    return f"{slug}-{seen[slug] - 1}" if seen[slug] > 1 else slug


def _free(slug: str, taken: set[str], last: Counter[str]) -> str:
    """Number an id that is taken: `-1`, `-2` and so on, from the `last` one given on."""
    free = f"{slug}-{last[slug]}" if last[slug] else slug
    while free in taken:
        last[slug] += 1
        free = f"{slug}-{last[slug]}"
    return free
