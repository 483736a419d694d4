"""A first ingest without the embedder, beside reading and hashing the files."""

from __future__ import annotations

import hashlib
import shutil

from benchmarks.speed.figure import Bound, Figure, Say, figure, timed
from benchmarks.speed.process import free_ingest, ran
from benchmarks.speed.stage import Stage

FLOOR = "reading and hashing the files"
POSTS, SECONDS = 3_500, 12.0
"""Seconds allowed for so many posts."""
LEAST = 2_000.0
"""Chunks a second."""
RUNS = 3
NOTE = "a new process; vectors that cost nothing"


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Make the index anew again and again."""
    counted, index = stage.counted(), stage.work / "ingest"
    taken, floors = [], []
    for number in range(RUNS):
        say(f"ingest {number + 1} of {RUNS}")
        floors.append(timed(lambda: _hashed(stage)) / 1000.0)
        taken.append(ran(free_ingest(stage.content, index, stage.dimension)).seconds)
        shutil.rmtree(index)
    bound = Bound(plus=round(SECONDS * stage.posts / POSTS, 1))
    rates = [counted / seconds for seconds in taken]
    what = f"first ingest, {stage.posts:,} posts"
    return (
        figure("ingest", what, "s", taken, bound, (FLOOR, floors), NOTE),
        figure("ingest", f"{what}, rate", "chunks/s", rates, Bound(plus=LEAST, is_least=True)),
    )


def _hashed(stage: Stage) -> None:
    for path in stage.content.rglob("*.md"):
        hashlib.sha256(path.read_bytes()).digest()
