"""Cut a long text to a number of characters.

A cut falls between blocks where it can, so that what is shown still reads as Markdown.
"""

from __future__ import annotations

import re

ANSWER = 25_000
"""Longest answer in characters, all blocks together: clients cut or refuse answers of about
25,000 tokens, and Chinese takes up to one token a character."""
KEPT = 0.5
"""A cut between blocks is taken if it keeps this share of the room, else one between lines."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def truncate(text: str, room: int) -> str:
    """Return the longest beginning of whole blocks, or else of whole lines, within `room`."""
    if len(text) <= room:
        return text
    blocks, lines = 0, 0
    for end, between_blocks in _line_ends(text[: room + 1]):
        if end > room:
            break
        lines = end
        if between_blocks:
            blocks = end
    cut = blocks if blocks >= room * KEPT else lines or room
    return text[:cut].rstrip("\n") if cut else ""


def _line_ends(text: str) -> list[tuple[int, bool]]:
    """List the offset after each whole line, and whether it is blank and outside a fence."""
    ends: list[tuple[int, bool]] = []
    fence, end = "", 0
    for line in text.split("\n")[:-1]:
        end += len(line) + 1
        fence = _fence_after(line, fence)
        ends.append((end, not fence and not line.strip()))
    return ends


def _fence_after(line: str, fence: str) -> str:
    """Return the fence open after `line`, given the one open before it; empty for none."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    marker, rest = match.groups()
    if not fence:
        return "" if marker[0] == "`" and "`" in rest else marker
    closes = marker[0] == fence[0] and len(marker) >= len(fence) and not rest.strip()
    return "" if closes else fence
