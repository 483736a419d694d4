"""Processes that meet at one index: two ingests at one instant, and a reader that stays."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Callable

from benchmarks.chaos.asked_server import asked_server
from benchmarks.chaos.copied import CopiedBlog
from benchmarks.chaos.fault import Fault, Options, Say
from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.reader import LiveIndex

ROUNDS = 10
SHARE = 0.02
BUSY = "Another ingest is writing to this index. Wait until it has finished, then run again."


def together(blog: CopiedBlog, options: Options, say: Say) -> tuple[Fault, ...]:
    """Each meeting, several times."""
    chosen = random.Random(options.seed)

    def edit(number: int) -> None:
        blog.edit(1000 + number, SHARE, chosen)

    def delete(number: int) -> None:
        edit(number)
        shutil.rmtree(blog.layout.generations)
        blog.layout.current.unlink()

    rows = (
        _two(blog, "two ingests at one instant", edit),
        _two(blog, "two ingests at one instant, no index yet", delete),
        _stays(blog, edit),
        _opens(blog, edit),
    )
    say(f"{len(rows)} meetings")
    return rows


def _two(blog: CopiedBlog, what: str, prepare: Callable[[int], None]) -> Fault:
    ends: Counter[str] = Counter()
    held = 0
    for number in range(ROUNDS):
        prepare(number)
        pair = [blog.start(), blog.start()]
        said = [each.communicate()[1].splitlines()[-1] for each in pair]
        statuses = [each.returncode for each in pair]
        refused = sum(line == BUSY for line in said)
        ends["one refused" if refused else "one after the other"] += 1
        honest = sorted(statuses) in ([0, 0], [0, 1]) and refused == sum(statuses)
        again, last = blog.ingest()
        held += honest and not again and "nothing changed" in last and not blog.unfinished()
    return Fault(
        what=what,
        made="two `blog-ingest` started together",
        runs=ROUNDS,
        held=held,
        seen="; ".join(f"{name} {count}" for name, count in sorted(ends.items())) + f": “{BUSY}”",
    )


def _stays(blog: CopiedBlog, edit: Callable[[int], None]) -> Fault:
    """A server opens a generation and is asked nothing more during three switches; then killed."""
    edit(ROUNDS)
    blog.ingest()
    old = blog.layout.generation(blog.generation()).folder
    with asked_server(blog.index) as server:
        server.search("how does it work")
        for number in range(1, 4):
            edit(ROUNDS + number)
            blog.ingest()
        spared = old.exists()
    edit(ROUNDS + 4)
    blog.ingest()
    collected = not old.exists() and blog.kept() == 2 and not any(blog.layout.readers.iterdir())
    return Fault(
        what="generation still read by another process",
        made="a server that is asked nothing during three switches, then `kill -9`",
        runs=1,
        held=int(spared and collected),
        seen="kept while it was open, collected by the next ingest"
        if spared and collected
        else f"kept: {spared}, collected: {collected}",
    )


def _opens(blog: CopiedBlog, edit: Callable[[int], None]) -> Fault:
    """Open the index afresh over and over while generations come and go."""
    opened = failed = 0
    for number in range(ROUNDS):
        edit(100 + number)
        with blog.start() as running:
            while running.poll() is None:
                opened += 1
                try:
                    LiveIndex(blog.index, lambda _identity: blog.embedder).reader()
                except IndexProblem:
                    failed += 1
            running.communicate()
    return Fault(
        what="index opened while generations come and go",
        made=f"opened and verified again and again during {ROUNDS} ingests",
        runs=opened,
        held=opened - failed,
        seen=f"{failed} failed",
    )
