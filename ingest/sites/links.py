"""Link a post to its page, and its chunks to their headings by the IDs of Hugo or Jekyll.

Both generators make an ID from a heading's text, as GitHub does. An ID that is not sure is `""`;
the link then leads to the top of the page.
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
from blog_search_mcp.ingest.posts.markdown.body import MAX_HEADING, Body, Heading
from blog_search_mcp.ingest.posts.metadata import normalize_names
from blog_search_mcp.ingest.sites.site import Site

_TEMPLATE_BRACES = re.compile(r"\{\{|\{%|\}\s*$")
"""Template syntax, or attributes at the end, in the source of a heading."""
_AMBIGUOUS = re.compile(r"\[\^|<<|>>|\w://|\bwww\.|\w@\w|\t|^\s|\s$")
"""Text on which parsers differ: footnotes, quotation marks, bare links, blanks."""
_EXPLICIT_ID = re.compile(r"[\t ]\{#([A-Za-z_][\w-]*)\}$")
_DASHES = re.compile("-{2,3}")


def link_post(
    document: Document, chunks: tuple[Chunk, ...], site: Site
) -> tuple[Post, tuple[Chunk, ...], tuple[str, ...]]:
    """Return the post with its URL, its chunks with their anchors, and all fragments of its page.

    There are no fragments if any heading's ID, or the way IDs are made, is not sure. Raises NoLink.
    """
    fields = normalize_names(document.fields, str.lower)
    url = site.post_url(document.post.source, fields)
    letters = site.links.sure_id_categories
    body, ids = document.body, dict(find_anchors(document.body, letters))
    titles = {body.line_at(block.start): block.heading for block in body.blocks if block.heading}
    headings = [(document.first_line + at, title, ids.get(at, "")) for at, title in titles.items()]
    anchored = tuple(replace(chunk, anchors=_anchors_of(chunk, headings)) for chunk in chunks)
    names = (*ids.values(), *body.links[1]) if letters and all(ids.values()) else ()
    return replace(document.post, url=url), anchored, (*dict.fromkeys(names),)


def _anchors_of(chunk: Chunk, headings: Sequence[tuple[int, str, str]]) -> tuple[str, ...]:
    """Return the anchors of a chunk's headings; `headings` are the post's (line, title, ID)."""
    above = reversed(headings[: bisect_right(headings, chunk.last_line, key=itemgetter(0))])
    anchors = [
        next((anchor for _, title, anchor in above if title == heading), "")
        for heading in reversed(chunk.all_headings)
    ]
    return tuple(reversed(anchors))


def find_anchors(body: Body, letters: tuple[str, ...]) -> list[tuple[int, str]]:
    """Return line (from 0) and ID of each heading outside lists and quotations.

    IDs keep characters of the Unicode categories `letters`; without any, the list is empty. Equal
    IDs are numbered. An ID is `""` if parsers differ on it or an equal one, or its number is taken.
    A heading longer than MAX_HEADING has no ID either, since every link would carry it.
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
            is_long = len(heading.source) > MAX_HEADING
            anchors.append((heading.line, "" if is_long else made))
    return anchors


def _make_slug(heading: Heading, letters: tuple[str, ...]) -> str:
    """Return the heading's ID in lower case: `letters`, `-`, `_`, and hyphens for spaces.

    Outside code, two or three hyphens in a row are a dash and are dropped.
    """
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
    text = "".join(token.content for token in heading.tokens if token.type != "html_inline")
    is_odd = any(
        token.type in ("image", "softbreak", "hardbreak") or token.markup == "autolink"
        for token in heading.tokens
    )
    is_open = _AMBIGUOUS.search(text) or _TEMPLATE_BRACES.search(heading.source)
    return is_odd or heading.is_marked or bool(is_open)
