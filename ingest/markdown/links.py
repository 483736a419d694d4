"""The links and `#tags` an author wrote among a body's words.

Tags are those of Obsidian: one holds a letter, and a colour, a heading's mark, a part of a link or
of code is none. Their words stay in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from markdown_it.token import Token

from blog_search_mcp.ingest.markdown.parser import parse_inline
from blog_search_mcp.ingest.markdown.plain_text import MAX_BRACKETS, strip_editor_syntax
from blog_search_mcp.ingest.markdown.preprocess import parse_passage


def find_links(tokens: Sequence[Token], references: Mapping[str, Any]) -> tuple[str, ...]:
    """Find the targets of links as written, in order and without repeats.

    `references` are the body's link definitions. Pictures are no links.
    """
    return tuple(dict.fromkeys(filter(None, _targets(tokens, references))))


def _targets(tokens: Sequence[Token], references: Mapping[str, Any]) -> Iterator[str]:
    for paragraph in tokens:
        source = paragraph.content
        if paragraph.type != "inline" or not ("[" in source or "<" in source):
            continue
        if source.count("[") > MAX_BRACKETS:
            continue
        for token in parse_inline(source, references):
            if token.type == "link_open":
                yield str(token.attrs["href"])


MAX_LENGTH = 60
"""Characters; a longer run of words without spaces is text that lacks them."""

_TAG = re.compile(r"#(?<![^\s（，。、]#)(?<!\]: #)(?=[\w/-]*[^\W\d_])([\w/-]+)(?![\w/#-])")
_COLOUR = re.compile(r"(?=.*\d)(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|([0-9a-f])\1{2,5}", re.I)


def find_hashtags(body: str, tokens: Callable[[], Sequence[Token]]) -> tuple[str, ...]:
    """Find the tags in order, without repeats; `tokens` parses `body`, if it may hold any."""
    if not _TAG.search(body):
        return ()
    paragraphs = (token.content for token in tokens() if token.type == "inline")
    words = (
        strip_editor_syntax(token.content, hide_code=True)
        for paragraph in paragraphs
        if _TAG.search(paragraph)
        for token in parse_passage(paragraph)
        if token.type == "inline"
    )
    found = (tag for text in words for tag in _TAG.findall(text) if _is_tag(tag))
    return tuple(dict.fromkeys(found))


def _is_tag(tag: str) -> bool:
    return len(tag) <= MAX_LENGTH and not _COLOUR.fullmatch(tag)
