"""From the start of a first ingest until every post can be searched by words, meaning to follow."""

from __future__ import annotations

import hashlib
import time
from subprocess import DEVNULL

from benchmarks.speed.figure import Bound, Figure, Say, figure, timed
from benchmarks.speed.process import python, real_ingest
from benchmarks.speed.stage import Stage
from blog_search_mcp.index.store.disk import Layout

FLOOR = "reading and hashing the files"
POSTS, SECONDS = 3_478, 25.0
"""Seconds allowed for so many posts."""
EVERY = 0.02
"""Seconds between two looks whether there is a generation."""
RUNS = 3


def figures(stage: Stage, say: Say) -> tuple[Figure, ...]:
    """Ingest with the model in the package until the first generation is live, and end it there."""
    taken, floors = [], []
    for number in range(RUNS):
        say(f"ingest {number + 1} of {RUNS}")
        floors.append(timed(lambda: _hash_all(stage)) / 1000.0)
        layout = Layout(stage.work / f"words-{number}")
        started = time.perf_counter()
        with python(real_ingest(stage.content, layout.root), DEVNULL) as process:
            while not layout.current.exists():
                assert process.poll() is None, "the ingest failed"
                time.sleep(EVERY)
            taken.append(time.perf_counter() - started)
            process.kill()
    what = f"first ingest until {stage.posts:,} posts can be searched by words"
    bound = Bound(plus=round(SECONDS * stage.posts / POSTS, 1))
    return (figure("words", what, "s", taken, bound, (FLOOR, floors)),)


def _hash_all(stage: Stage) -> None:
    for path in stage.content.rglob("*.md"):
        hashlib.sha256(path.read_bytes()).digest()
