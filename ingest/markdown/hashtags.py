"""A body comes in; the `#tags` its author wrote among the words go out, as Obsidian has them.

The words stay in the text. A tag holds a letter, and what is a colour, a heading's mark, a part
of a link or code is none.
"""

import re

from blog_search_mcp.ingest.markdown.code_spans import inline_code
from blog_search_mcp.ingest.markdown.plain_text import cleaned
from blog_search_mcp.ingest.markdown.preprocess import block_tokens

MAX_LENGTH = 60
"""Characters; a longer run of words without spaces is text that lacks them."""

_MARK = re.compile(r"#[\w/-]")
"""What is found much sooner where there is no tag."""
_TAG = re.compile(
    r"(?:(?<=[\s（，。、])(?<!\]: )|^)#(?=[\w/-]*[^\W\d_])([\w/-]+)(?![\w/#-])", re.MULTILINE
)
_COLOUR = re.compile(r"(?=.*\d)(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|([0-9a-f])\1{2,5}", re.I)


def hashtags(body: str) -> tuple[str, ...]:
    """Give the tags in order, without repeats."""
    if not _MARK.search(body) or not _TAG.search(body):
        return ()
    inline = (token.content for token in block_tokens(body) if token.type == "inline")
    marked = (_without_code(paragraph) for paragraph in inline if "#" in paragraph)
    found = (tag for paragraph in marked for tag in _TAG.findall(paragraph))
    return tuple(dict.fromkeys(tag for tag in found if _is_tag(tag)))


def _is_tag(tag: str) -> bool:
    return len(tag) <= MAX_LENGTH and not _COLOUR.fullmatch(tag)


def _without_code(paragraph: str) -> str:
    pieces, at = [], 0
    for start, end in inline_code(paragraph):
        pieces.append(cleaned(paragraph[at:start]))
        at = end
    return "`".join([*pieces, cleaned(paragraph[at:])])
