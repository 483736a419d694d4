"""Link a post and its chunks, these at their headings by the ids that Hugo or Jekyll makes.

Both make them of a heading's text, as GitHub does. An id that is not sure is `""`: the link then
leads to the post alone.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter

from blog_search_mcp.index.types import Chunk, Post
from blog_search_mcp.ingest.posts.document import Document
from blog_search_mcp.ingest.posts.markdown.body import LONGEST_HEADING, Body, Heading
from blog_search_mcp.ingest.posts.metadata import normalize_names
from blog_search_mcp.ingest.sites.site import Site

_BRACES = re.compile(r"\{\{|\{%|\}\s*$")
"""Also what attributes may stand in."""
_AMBIGUOUS = re.compile(r"\[\^|<<|>>|\w://|\bwww\.|\w@\w|\t|^\s|\s$")
"""What parsers differ on: notes, quotation marks, bare links, blanks."""
_EXPLICIT_ID = re.compile(r"[\t ]\{#([A-Za-z_][\w-]*)\}$")
_DASHES = re.compile("-{2,3}")


def link_post(
    document: Document, chunks: tuple[Chunk, ...], site: Site
) -> tuple[Post, tuple[Chunk, ...], tuple[str, ...]]:
    """Return the post with its URL, its chunks with their anchors, and what links to it may name.

    That is what may stand behind `#`: nothing if one heading's id is not sure. Raises NoLink.
    """
    fields = normalize_names(document.fields, str.lower)
    url = site.post_url(document.post.source, fields)
    letters = site.links.letters_of_ids
    body, ids = document.body, dict(find_anchors(document.body, letters))
    titles = {body.line_at(block.start): block.heading for block in body.blocks if block.heading}
    headings = [(document.first_line + at, title, ids.get(at, "")) for at, title in titles.items()]
    anchored = tuple(replace(chunk, anchors=_anchors_of(chunk, headings)) for chunk in chunks)
    names = (*ids.values(), *body.links[1]) if letters and all(ids.values()) else ()
    return replace(document.post, url=url), anchored, (*dict.fromkeys(names),)


def _anchors_of(chunk: Chunk, headings: Sequence[tuple[int, str, str]]) -> tuple[str, ...]:
    """Find the anchors of a chunk's headings among all with their lines, from its end upwards."""
    above = reversed(headings[: bisect_right(headings, chunk.last_line, key=itemgetter(0))])
    anchors = [
        next((anchor for _, title, anchor in above if title == heading), "")
        for heading in reversed(chunk.all_headings)
    ]
    return tuple(reversed(anchors))


def find_anchors(body: Body, letters: tuple[str, ...]) -> list[tuple[int, str]]:
    """Return line, from 0, and id of each heading outside lists and quotations.

    An id is made of what is of these of Unicode's categories; equal ones are numbered. Where a
    number is taken parsers differ, as on what follows a heading whose id is not sure. A heading too
    long to be one (`LONGEST_HEADING`) has none, since every link would carry it.
    """
    taken, unsure, counts = set[str](), set[str](), Counter[str]()
    anchors: list[tuple[int, str]] = []
    for heading in body.headings if letters else ():
        explicit, slug, made = _EXPLICIT_ID.search(heading.source), _make_slug(heading, letters), ""
        if explicit:
            made = explicit[1]
        elif not _is_doubtful(heading) and slug and slug not in unsure:
            made = f"{slug}-{counts[slug]}" if counts[slug] else slug
            counts[slug] += 1
        if not made or (made in taken and not explicit):
            unsure.add(slug)
            made = ""
        taken.add(made)
        if heading.is_top:
            is_long = len(heading.source) > LONGEST_HEADING
            anchors.append((heading.line, "" if is_long else made))
    return anchors


def _make_slug(heading: Heading, letters: tuple[str, ...]) -> str:
    """Keep letters, spaces as hyphens; two or three hyphens of text are a dash."""
    texts = (
        token.content if token.type == "code_inline" else _DASHES.sub("", token.content)
        for token in heading.tokens
        if token.type != "html_inline"
    )
    return "".join(
        char
        for char in "".join(texts).strip().lower().replace(" ", "-")
        if char in "-_" or unicodedata.category(char).startswith(letters)
    )


def _is_doubtful(heading: Heading) -> bool:
    """Whether parsers differ on what a heading holds, or on what gives it an id."""
    text = "".join(token.content for token in heading.tokens if token.type != "html_inline")
    is_odd = any(
        token.type in ("image", "softbreak", "hardbreak") or token.markup == "autolink"
        for token in heading.tokens
    )
    is_open = _AMBIGUOUS.search(text) or _BRACES.search(heading.source)
    return is_odd or heading.is_marked or bool(is_open)
