"""An ingest killed: at random instants over a real blog, and at every call that changes the disk.

After each kill the index is opened and asked, and its whole answers compared with those before
the edit and those after it; then it is ingested again.
"""

from __future__ import annotations

import random
import signal
import statistics
import subprocess
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from benchmarks.chaos.copied import CopiedBlog, copied
from benchmarks.chaos.fault import Fault, Options, Say
from benchmarks.chaos.steps import killed_at_every_call
from blog_search_mcp.index.errors import BlogSearchError

SHARE = 0.1
"""Of the posts are edited before each kill: enough that chunks have to be embedded."""

REHEARSALS = 3
"""Whole ingests whose median duration the instants are drawn from."""

SIDES = 6
"""Copies of the blog whose ingests are killed at the same time, each by itself."""

SLACK = 1.1
"""Times that duration, so that the last of a slow one is reached too."""


@dataclass(frozen=True, slots=True)
class Kill:
    """What came of one."""

    phase: str
    """Where it met the ingest, told from what is on disk."""
    serves: str
    """Which answers the index gave: `before`, `after`, or neither."""
    held: bool


@dataclass(frozen=True, slots=True)
class Side:
    """What came of one copy of the blog."""

    edited: int
    """Posts before each kill."""
    span: float
    """Seconds of an ingest that is let be."""
    kills: list[Kill]


def faults(options: Options, say: Say) -> tuple[Fault, ...]:
    """Kill ingests over a copy of the blog, then over a small one call by call."""
    return (_at_random(options, say), killed_at_every_call(options, say))


def _at_random(options: Options, say: Say) -> Fault:
    first = copied(options.blog, options.work / "killed")
    runs = [len(range(side, options.runs, SIDES)) for side in range(SIDES)]
    blogs = [first, *(first.beside(options.work / f"killed-{side}") for side in range(1, SIDES))]

    def killed(side: int) -> Side:
        chosen = random.Random(f"{options.seed} {side}")
        return _side(blogs[side], runs[side], chosen, lambda said: say(f"side {side}: {said}"))

    with ThreadPoolExecutor(SIDES) as pool:
        sides = list(pool.map(killed, (side for side in range(SIDES) if runs[side])))
    kills = [kill for side in sides for kill in side.kills]
    spans = sorted(side.span * SLACK for side in sides)
    phases = Counter(kill.phase for kill in kills)
    served = Counter(kill.serves for kill in kills)
    met = ", ".join(f"{count} {phase}" for phase, count in sorted(phases.items()))
    return Fault(
        what=f"ingest of {len(first.texts)} posts killed",
        made=f"`kill -9` at a random instant of {spans[0]:.0f} to {spans[-1]:.0f} s, "
        f"{sides[0].edited} posts edited: {met}",
        runs=len(kills),
        held=sum(kill.held for kill in kills),
        seen=", ".join(f"answers as {name} {count}" for name, count in sorted(served.items())),
        lost="nothing" if set(served) <= {"before", "after"} else "answers",
    )


def _side(blog: CopiedBlog, runs: int, chosen: random.Random, say: Say) -> Side:
    edited, span = _rehearsed(blog, chosen)
    say(f"{len(blog.texts)} posts, {edited} edited each time, {span:.1f} s an ingest")
    kills: list[Kill] = []
    for run in range(runs):
        kills.append(_killed(blog, REHEARSALS + run + 1, chosen, span * SLACK))
        if (run + 1) % 10 == 0:
            say(f"{run + 1} killed, {sum(kill.held for kill in kills)} held")
    return Side(edited, span, kills)


def _rehearsed(blog: CopiedBlog, chosen: random.Random) -> tuple[int, float]:
    """How many posts an edit changes, and the median seconds of an ingest after it."""
    seconds, edited = [], 0
    for edition in range(1, REHEARSALS + 1):
        edited = blog.edit(edition, SHARE, chosen)
        began = time.monotonic()
        blog.ingest()
        seconds.append(time.monotonic() - began)
    return edited, statistics.median(seconds)


def _killed(blog: CopiedBlog, edition: int, chosen: random.Random, longest: float) -> Kill:
    editions = (edition - 1, edition)
    before, generation = blog.answers(editions), blog.generation()
    blog.edit(edition, SHARE, chosen)
    ended = _kill(blog, chosen.uniform(0.0, longest))
    try:
        phase = _phase(blog, generation, ended)
        left = blog.answers(editions)
        status, _ = blog.ingest()
        after = blog.answers(editions)
    except BlogSearchError as error:
        return Kill("unreadable", str(error), held=False)
    serves = {before: "before", after: "after"}.get(left, "neither")
    clean = not blog.unfinished() and blog.kept() <= 2
    return Kill(phase, serves, serves != "neither" and not status and after != before and clean)


def _kill(blog: CopiedBlog, after: float) -> bool:
    """Start an ingest and kill it `after` seconds; whether it had ended before."""
    with blog.start() as running:
        try:
            return running.wait(timeout=after) == 0
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGKILL)
            return running.wait() == 0


def _phase(blog: CopiedBlog, before: int, ended: bool) -> str:
    if ended:
        return "just finished"
    if blog.generation() > before:
        return "after the switch"
    return "while writing" if blog.unfinished() else "before writing"
