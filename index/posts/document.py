"""A post as its reader parsed it, whatever markup it is written in.

The seam for another markup: a `DocumentReader` of its own and one line in `READERS`. Chunking,
links and the index see only what is defined here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from blog_search_mcp.index.posts.metadata import Fields
from blog_search_mcp.index.types import Post

if TYPE_CHECKING:
    from blog_search_mcp.index.posts.markdown.inline import Links


@dataclass(frozen=True, slots=True)
class Block:
    """One block and the span of the body it covers, up to the block that follows."""

    kind: str
    """`heading`, `paragraph`, `fence`, `table`, `tr`, …; only a `paragraph` is cut by sentence."""
    start: int
    end: int
    """Character offsets into the body, half open."""
    level: int = 0
    """1 to 6 for a heading, else 0."""
    heading: str = ""
    """A heading's words without markup."""
    children: tuple[Block, ...] = ()
    """Where the block may be cut; empty if it may not be, or only by sentence or line."""
    opening: str = ""
    """Markup that makes lines code again where a block of code is cut; `""` for other blocks."""


LONGEST_HEADING = 300
"""Characters of a heading's markup; a longer one (a paragraph right above `---`) is text, which
is not repeated above every passage below it."""


@dataclass(frozen=True, slots=True)
class HeadingPart:
    """A piece of a heading's text."""

    kind: Literal["text", "code", "html", "image", "link", "break"]
    """A `link` is an address that is its own text; the words of other links are `text`."""
    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading as a site generator's id function reads it."""

    line: int
    """Of the body, from 0."""
    source: str
    """Its markup, without the marks that make it a heading."""
    parts: tuple[HeadingPart, ...]
    is_top: bool
    """Whether it stands in no list or quotation."""
    before: str
    """The line above it."""
    after: str
    """The line below it."""


class Body(Protocol):
    """A post's text, parsed once, when something of it is first needed."""

    @property
    def text(self) -> str:
        """The markup; lines end with LF."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The top-level blocks, which tile the text from its first to its last character."""

    @property
    def headings(self) -> tuple[Heading, ...]:
        """Every heading in order, also those in lists and quotations."""

    @property
    def links(self) -> Links:
        """Every link, with its line of the text from 1, and the ids of elements of HTML."""

    def plain_text(self, start: int, end: int) -> str:
        """The words of a span, one line for each paragraph, item, row or line of code."""

    def strip_markup(self, markup: str) -> str:
        """The words of a piece of markup that is not a span of the text."""


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


DocumentReader: TypeAlias = Callable[[bytes, str, Collection[str]], Document]
"""Parses the bytes of a file of one markup, given its path below the content folder, with `/`, and
the conditions that hold for what the site shows.

Raises UnreadablePost, with the reason, for what is not text."""

_MARKDOWN = "blog_search_mcp.index.posts.markdown.reader:read_markdown"
READERS = {".md": _MARKDOWN, ".markdown": _MARKDOWN, ".mdx": _MARKDOWN, ".qmd": _MARKDOWN}
"""The reader of each suffix, imported at the first post: an ingest that finds nothing changed
needs no parser."""

SUFFIXES = tuple(READERS)
"""What the name of a post ends in, in lower case."""


def read_document(data: bytes, source: str, *profiles: str) -> Document:
    """Parse a file whose name ends in one of `SUFFIXES`. Raises UnreadablePost."""
    place = READERS["." + source.rpartition(".")[2].lower()]
    module, _, name = place.partition(":")
    read: DocumentReader = getattr(import_module(module), name)
    return read(data, source, profiles)
