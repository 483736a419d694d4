"""Link chunks at their headings, by the ids that the site's generator makes of them.

Generators differ in which headings they see, what of a heading they take and how they number
equal ones. An id that is not sure is `""`: the link then leads to the post alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from blog_search_mcp.index.posts.markdown.blocks import LONGEST_HEADING, HeadingPart
from blog_search_mcp.index.types import Chunk, Post
from blog_search_mcp.ingest.documents.url_fields import read_url_fields
from blog_search_mcp.ingest.sites.base import Site, SiteGenerator
from blog_search_mcp.ingest.sites.patterns import encode_unsafe

if TYPE_CHECKING:
    from blog_search_mcp.index.posts.document import Document
    from blog_search_mcp.index.posts.markdown.body import Body


def link_post(
    document: Document, chunks: tuple[Chunk, ...], site: Site
) -> tuple[Post, tuple[Chunk, ...], tuple[str, ...]]:
    """Return the post with its URL, its chunks with their anchors, and what links to it may name.

    That is what may stand behind `#`: nothing if one heading's id is not sure. Raises NoLink.
    """
    url = site.post_url(document.post.source, read_url_fields(document.fields, document.body.text))
    found = find_anchors(document.body, site.generator)
    ids = [anchor for _, anchor in found]
    known = (*ids, *document.body.links.ids)
    is_sure = site.generator.has_heading_ids and all(ids)
    anchored = add_anchors(chunks, found, document.first_line)
    return replace(document.post, url=url), anchored, (*dict.fromkeys(known if is_sure else ()),)


def add_anchors(
    chunks: Sequence[Chunk], anchors: Sequence[tuple[int, str]], first_line: int
) -> tuple[Chunk, ...]:
    """Give each chunk the id of the nearest heading at or before its first line.

    `anchors` are those of `find_anchors`, `first_line` is the file's line on which the body begins.
    """
    lines = [first_line + line for line, _ in anchors]
    ids = ["", *(anchor for _, anchor in anchors)]
    return tuple(
        replace(chunk, anchor=ids[bisect_right(lines, chunk.first_line)]) for chunk in chunks
    )


def find_anchors(body: Body, generator: SiteGenerator) -> list[tuple[int, str]]:
    """Return line, from 0, and id of each heading outside lists and quotations.

    A heading too long to be one (`LONGEST_HEADING`) has none, since every link would
    carry it.
    """
    if not generator.has_heading_ids:
        return []
    found = body.headings
    return [
        (heading.line, _encode_id(anchor) if len(heading.source) <= LONGEST_HEADING else "")
        for heading, anchor in zip(found, generator.heading_ids(found), strict=True)
        if heading.is_top and anchor is not None
    ]


def _encode_id(heading_id: str) -> str:
    return encode_unsafe(heading_id.replace("%", "%25"))


_TEMPLATE = re.compile(r"\{\{|\{%")
_SIGNS = re.compile(r"\[\^|<<|>>")
"""Notes, and quotation marks that some parsers take for tags."""
_DASHES = re.compile("-{2,3}")
_ID = re.compile(r"#([^\s#.{}\"'=]+)|\bid=[\"']?([^\s\"']+)")


def has_doubtful_parts(parts: Sequence[HeadingPart], source: str) -> bool:
    """Whether a heading holds template syntax or what Markdown parsers differ on."""
    return bool(_TEMPLATE.search(source) or _SIGNS.search(join_written(parts)))


def join_written(parts: Sequence[HeadingPart]) -> str:
    """Join the parts that are text or HTML."""
    return "".join(part.text for part in parts if part.kind in ("text", "html"))


def join_without_dashes(parts: Sequence[HeadingPart]) -> str:
    """Join the parts; two or three hyphens of text are a dash, which no id holds."""
    return "".join(
        _DASHES.sub("", part.text) if part.kind == "text" else part.text for part in parts
    )


def parse_id(attributes: str) -> str:
    """Return the id in what stands between braces, `""` if there is none."""
    found = _ID.search(attributes)
    return found[1] or found[2] if found else ""
