"""What confidence means on this blog: its own headings asked, medians out.

A heading certainly has an answer, so what headings reach is the blog's measure.
The sample is taken by hash, so that a growing blog keeps most of it, and is
asked again only when the blog has changed much: the medians then stay what they
were while posts come in one by one.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from statistics import median

from index.confidence import Calibration, by_words, east_asian, with_meaning
from index.findings import Findings

SAMPLE = 200
"""Headings asked."""

FEWEST = 8
"""Headings below which titles are asked too, which reach more: the index counts them thrice."""

READ_SHARE = 0.2
"""Share of the headings that the embedder must read for its cosines to count on this blog: a blog
in two languages has a third or more, one in another language with English terms a twentieth."""

GROWTH = 0.1
"""Share of chunks that must have come or gone before the headings are asked again."""


def is_stale(calibration: Calibration, chunks: int) -> bool:
    """Whether a blog that now has `chunks` chunks should be calibrated anew."""
    return abs(chunks - calibration.chunks) > GROWTH * max(calibration.chunks, 1)


def sample(headings: Sequence[str], titles: Sequence[str]) -> list[str]:
    """The headings to ask: the same ones for the same blog, in any order of its posts."""
    asked = set(headings) if len(set(headings)) >= FEWEST else {*headings, *titles}
    return sorted(asked, key=lambda text: (zlib.crc32(text.encode("utf-8", "replace")), text))[
        :SAMPLE
    ]


def calibrate(
    asked: Sequence[str], find: Callable[[str], Findings], blog: str, chunks: int
) -> Calibration:
    """Ask every heading through `find`; `blog` is a sample of its text."""
    share = east_asian(blog)
    found = [(text, find(text)) for text in asked]
    meant = [with_meaning(each) for _, each in found if each.nearest is not None]
    spoken = [by_words(each, text, share) for text, each in found]
    return Calibration(
        with_meaning=median(meant) if len(meant) > READ_SHARE * len(found) else 0.0,
        by_words=median(spoken) if spoken else 0.0,
        east_asian=share,
        chunks=chunks,
    )
