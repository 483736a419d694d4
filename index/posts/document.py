"""A post as it is read from its file, once: what else is known of it is derived from this."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from blog_search_mcp.index.analysis.languages import language_of
from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.index.posts.metadata import Fields, describe_post, read_title, unread_date
from blog_search_mcp.index.types import Link, Post

if TYPE_CHECKING:
    from blog_search_mcp.index.posts.markdown.body import Body
    from blog_search_mcp.index.posts.text import Decoded


@dataclass(frozen=True, slots=True)
class Document:
    """A post read from its file."""

    post: Post
    """Title, date, tags and language, by the author or else by the file's name and folders."""
    fields: Fields
    """Front matter under the author's own names."""
    body: Body
    first_line: int = 1
    """Line of the file on which the body begins, from 1."""
    problems: tuple[str, ...] = ()
    """What the author should know, each a clause about the file."""

    @property
    def links(self) -> tuple[Link, ...]:
        """The links of the body, with their lines of the file."""
        above = self.first_line - 1
        return tuple(replace(link, line=link.line + above) for link in self.body.links.links)


LONGEST_DATE = 40
"""Characters that are shown of one that cannot be read."""

MAX_LINES = 500_000
"""A line takes 3.5 µs and 180 bytes while Markdown is parsed, though it be empty: 1.8 s, 90 MB."""

MAX_MARKS = 200_000
"""Of cells, links, headings, quotations and items of lists. An item takes up to 2.8 kB and 60 µs
while Markdown is parsed, the others less: .6 GB and 12 s in all. The most in a post of three
corpora is 24,999, in a file made to be hard."""

_CONTAINERS = re.compile(
    r"^(?:[ \t]*+(?:>|(?:[-*+]|\d{1,9}[.)]|\#{1,6})(?=[ \t])))++", re.MULTILINE
)
_CONTAINER = re.compile(r"[-*+>.)]|#+")


def read_document(data: bytes, source: str, *profiles: str) -> Document:
    """Decode a file, split off its front matter and describe the post. Raises UnreadablePost.

    `source` is its path below the content folder, with `/`. `profiles` are the conditions that
    hold for what its site shows.
    """
    # The parsers take 100 ms and 6 MB, which an ingest whose processes read can do without.
    from blog_search_mcp.index.posts.markdown.body import Body
    from blog_search_mcp.index.posts.markdown.conditions import take_out_hidden
    from blog_search_mcp.index.posts.text import decode, split_front_matter

    decoded = decode(data)
    _refuse_costly(decoded.text)
    front = split_front_matter(decoded.text)
    cells = front.fields.get("execute")
    echo = str(cells.get("echo", "")).lower() if isinstance(cells, Mapping) else ""
    body = Body(take_out_hidden(front.body, profiles, echoes=echo != "false"))
    heading = "" if read_title(front.fields) else body.title
    return Document(
        post=describe_post(front.fields, source, heading, body.hashtags),
        fields=front.fields,
        body=body,
        first_line=front.first_line,
        problems=(
            *_list_problems(decoded),
            *filter(None, (front.problem,)),
            *_describe_date(unread_date(front.fields, source)),
        ),
    )


def _refuse_costly(text: str) -> None:
    """Raise UnreadablePost for what takes too long or too much memory to parse."""
    if text.count("\n") > MAX_LINES:
        excess = f"{MAX_LINES:,} lines"
    elif _count_marks(text) > MAX_MARKS:
        excess = f"{MAX_MARKS:,} cells, links, headings, quotations and items of lists"
    else:
        return
    raise UnreadablePost(f"it has more than {excess}; split it, or name it in a .blogignore")


def _count_marks(text: str) -> int:
    """Count what may begin a cell, a link, a heading, a quotation or an item."""
    inline = text.count("|") + text.count("[")
    return inline + sum(len(_CONTAINER.findall(found[0])) for found in _CONTAINERS.finditer(text))


def _list_problems(decoded: Decoded) -> Iterator[str]:
    if not decoded.encoding.startswith("utf"):
        yield f"it is not UTF-8 and was read as {decoded.encoding}"
    if decoded.repaired:
        yield f"{decoded.repaired} of its characters could not be read"


def _describe_date(unread: str) -> Iterator[str]:
    if unread:
        yield f"its date “{unread[:LONGEST_DATE]}” cannot be read; write it as 2024-12-31"


LANGUAGE_CHARACTERS = 6_000
"""Of prose that are looked at. 20,000 give another language to 3 of the 4,647 posts of nine
blogs, all of them in two languages; these take 2 ms a post."""

_CODE = ("fence", "code_block")


def find_language(document: Document) -> str:
    """The author's tag (`zh-tw`), else what `language_of` finds in the title and the prose.

    Code is left out: its keywords are English and its names anything, in whatever language it is
    explained.
    """
    post = document.post
    return post.language or language_of("\n".join((post.title, *_list_prose(document.body))))


def _list_prose(body: Body) -> Iterator[str]:
    """Yield the words of the blocks that are no code, of the first characters of their markup."""
    left = LANGUAGE_CHARACTERS
    for block in body.blocks:
        if left > 0 and block.kind not in _CODE:
            end = min(block.end, block.start + left)
            left -= end - block.start
            yield body.plain_text(block.start, end)
