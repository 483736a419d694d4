"""Arrange a post's blocks as a tree of sections.

A section is a heading, the blocks that follow it, and the sections of deeper headings inside it;
the post itself is the outermost one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from blog_search_mcp.ingest.documents.base import Block


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under one heading."""

    headings: tuple[str, ...]
    """The path of headings, outermost first, without markup; the post's title is not in it."""
    heading: Block | None
    """The heading itself; `None` for the post."""
    content: tuple[Block, ...]
    """The blocks before the first section inside."""
    inside: tuple[Section, ...]


def build_sections(blocks: Sequence[Block], title: str) -> Section:
    """Make the post one section, which holds every block exactly once, in order."""
    return _section(None, blocks, (), title)


def _section(
    heading: Block | None, blocks: Sequence[Block], path: tuple[str, ...], title: str
) -> Section:
    first = next((i for i, block in enumerate(blocks) if block.level), len(blocks))
    inside = []
    start = first
    while start < len(blocks):
        end = _end(blocks, start)
        name = blocks[start].heading
        inner = (*path, name) if name and name != title else path
        inside.append(_section(blocks[start], blocks[start + 1 : end], inner, title))
        start = end
    return Section(path, heading, tuple(blocks[:first]), tuple(inside))


def _end(blocks: Sequence[Block], start: int) -> int:
    """Where the section ends whose heading is at `start`: at the next one as high or higher."""
    level = blocks[start].level
    later = range(start + 1, len(blocks))
    return next((i for i in later if 0 < blocks[i].level <= level), len(blocks))
