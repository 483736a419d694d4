"""A chunk's plain text as the windows an embedder reads: text in, a few shorter texts out.

A page worth reading is more than one vector can hold, and more than some models
read at once: each window has a vector of its own, and the nearest of them
counts for the page (`--ablate window_most=400` compares).
"""

from __future__ import annotations

from ingest.packing import Limits, runs
from ingest.sentences import sentence_ends
from ingest.size import exceeds

WINDOW = Limits(least=100, most=200, scrap=40)
"""With title and headings within the 256 word pieces that all-MiniLM-L6-v2 reads at once."""


def windows(plain: str) -> list[str]:
    """Texts of at most about 200 word pieces each that together are `plain`; none is blank."""
    lines = [part for line in plain.split("\n") for part in _parts(line)]
    gathered = ["\n".join(lines[place] for place in run) for run in runs(lines, WINDOW)]
    return [window for window in gathered if window.strip()]


def _parts(line: str) -> list[str]:
    if not exceeds(line, WINDOW.most):
        return [line]
    ends = sentence_ends(line, WINDOW.most)
    return [line[start:end] for start, end in zip([0, *ends], ends, strict=False)]
