"""What a body is made of: blocks, which chunks are cut of, and headings, which links lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


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
