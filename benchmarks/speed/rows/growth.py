"""First ingests of 1,000, 10,000 and 100,000 chunks: what each chunk costs, and the memory."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.speed.figure import Bound, Figure, Say, figure
from benchmarks.speed.made_posts import CHUNKS_PER_POST, material_of, write_posts
from benchmarks.speed.process import Ran, free_ingest, ran
from benchmarks.speed.stage import Stage

SIZES = (1_000, 10_000, 100_000)
LINEAR = 1.1
"""Times the tenth's, of ten times as many: the one above linear that a run differs by anyway."""
MOST = 500.0
"""MB at the largest size."""
NOTE = "vectors that cost nothing"
MEMORY = "the process and its workers together, without files' pages"


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Each size once."""
    found: list[Figure] = []
    before: float | None = None
    for chunks in SIZES:
        say(f"{chunks:,} chunks")
        took = _ingested(stage, chunks)
        what = f"first ingest, about {chunks:,} chunks"
        floor = ("ten times that of a tenth", [10.0 * before]) if before else None
        bound = Bound(LINEAR) if before else None
        found.append(figure("growth", what, "s", [took.seconds], bound, floor, NOTE))
        memory = Bound(plus=MOST) if chunks == SIZES[-1] else None
        found.append(figure("growth", f"{what}, peak", "MB", [took.peak], memory, None, MEMORY))
        before = took.seconds
    return tuple(found)


def _ingested(stage: Stage, chunks: int) -> Ran:
    content, index = _places(stage, chunks)
    posts = round(chunks / CHUNKS_PER_POST)
    write_posts(content, material_of(stage.blog), posts, stage.seed)
    took = ran(free_ingest(content, index, stage.dimension), weighed=True)
    shutil.rmtree(content)
    shutil.rmtree(index)
    return took


def _places(stage: Stage, chunks: int) -> tuple[Path, Path]:
    return stage.work / f"growth-{chunks}", stage.work / f"growth-{chunks}-index"
