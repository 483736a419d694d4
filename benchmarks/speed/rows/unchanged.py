"""An ingest of a blog in which nothing has changed, beside a stat of its files."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.speed.figure import Bound, Figure, Say, figure, timed
from benchmarks.speed.process import ran, real_ingest
from benchmarks.speed.stage import Stage

FLOOR = "stat of the files"
EMBEDDED = 384
"""Dimension of the embedder in the package, which the command chooses by itself."""


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Run the command again and again; the first run is not counted."""
    command = real_ingest(stage.content, stage.index(EMBEDDED))
    taken, floors = [], []
    say("ingesting what has not changed")
    for number in range(stage.runs // 2 + 1):
        least, seconds = timed(lambda: _stat(stage.content)), ran(command).seconds
        if number:
            floors.append(least)
            taken.append(1000.0 * seconds)
    what = f"ingest of nothing new, {stage.posts:,} posts, start to exit"
    return (figure("unchanged", what, "ms", taken, Bound(plus=500.0), (FLOOR, floors)),)


def _stat(folder: Path) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                _stat(Path(entry.path))
            else:
                entry.stat()
