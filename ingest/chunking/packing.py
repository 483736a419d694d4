"""Pack small pieces of text into runs of about one size.

Where several ends would do, the text decides and not the distance from the start (content-defined
chunking, as rsync and restic do for bytes): a piece put in anywhere moves the ends next to it, and
the runs further on stay as they were.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from blog_search_mcp.ingest.chunking.sentences import sentence_ends
from blog_search_mcp.ingest.chunking.token_count import count_tokens, exceeds

CUT_ODDS = 2
"""One piece in this many begins at a place where the run before it may end."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in word pieces (`ingest.chunking.token_count`)."""

    least: int
    """From which on a run may end where the text suggests it."""
    most: int
    """Which a run does not exceed, unless one piece alone does."""
    scrap: int
    """Under which the last run joins the one before it."""


def pack_pieces(pieces: Sequence[str], limits: Limits) -> list[range]:
    """Return the places of each run's pieces; every place is in exactly one run, in order."""
    gathered: list[range] = []
    sizes: list[int] = []
    for place, piece in enumerate(pieces):
        own = count_tokens(piece)
        if gathered and not _ends(sizes[-1], piece, own, limits):
            gathered[-1] = range(gathered[-1].start, place + 1)
            sizes[-1] += own
        else:
            gathered.append(range(place, place + 1))
            sizes.append(own)
    if len(gathered) > 1 and sizes[-1] < limits.scrap:
        gathered[-2:] = [range(gathered[-2].start, gathered[-1].stop)]
    return gathered


def _ends(gathered: int, following: str, own: int, limits: Limits) -> bool:
    if gathered + own > limits.most:
        return True
    favoured = zlib.crc32(following.encode("utf-8", "replace")) % CUT_ODDS == 0
    return gathered >= limits.least and favoured


WINDOW = Limits(least=100, most=200, scrap=40)
"""With title and headings within the 256 word pieces that all-MiniLM-L6-v2 reads at once."""


def split_windows(plain: str) -> list[str]:
    """Split plain text into embedding windows of at most about 200 word pieces; none is blank."""
    lines = [part for line in plain.split("\n") for part in _parts(line)]
    gathered = ["\n".join(lines[place] for place in run) for run in pack_pieces(lines, WINDOW)]
    return [window for window in gathered if window.strip()]


def _parts(line: str) -> list[str]:
    if not exceeds(line, WINDOW.most):
        return [line]
    ends = sentence_ends(line, WINDOW.most)
    return [line[start:end] for start, end in zip([0, *ends], ends, strict=False)]
