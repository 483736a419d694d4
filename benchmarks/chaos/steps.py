"""Every call by which an ingest changes the disk, failing or being the last one, in turn.

Over a blog of a few posts and with words hashed to vectors instead of a model, since what is
shown is what FAISS, tantivy, SQLite and we do when the disk says no.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO
from unittest import mock

from benchmarks.chaos.fault import Fault, Options, Say
from benchmarks.chaos.seccomp import Call, available
from benchmarks.chaos.supervised import KILL, Ran, forked, supervised
from blog_search_mcp.index.embedders.registry import Choice
from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.reader import LiveIndex
from blog_search_mcp.index.store.generations import live_number
from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.ingest import cli as command
from blog_search_mcp.ingest.cli import read_settings
from tests.support.fakes import FakeEmbedder

POSTS = 6
QUERIES = ("soup", "onion", "boil a leek in water")
FREES = {"unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2", "ftruncate"}
"""Calls that a full disk still grants."""
ENDING = "check the disk's space and the folder's permissions, then run again."


@dataclass(frozen=True, slots=True)
class Small:
    """A blog of a few posts in a folder of ours."""

    folder: Path

    @property
    def index(self) -> Path:
        """The index folder."""
        return self.folder / "index"

    def write(self, edition: int) -> None:
        """Change one post and add one."""
        content = self.folder / "content"
        content.mkdir(parents=True, exist_ok=True)
        for number in range(POSTS):
            path = content / f"{number}.md"
            if number == edition % POSTS or not path.exists():
                text = f"# Soup {number}\n\nBoil an onion, edition{edition}.\n"
                path.write_text(text, encoding="utf-8")

    def ingest(self, err: TextIO) -> int:
        """The real command but for the embedder; its exit status."""
        fake = Choice(FakeEmbedder(), "A fake.")
        asked = [str(self.folder / "content"), "--index", str(self.index)]
        with mock.patch.object(command, "choose", return_value=fake):
            return command.run(read_settings(asked, {}), sys.stdout, err)

    def answers(self) -> tuple[Answer, ...]:
        """Whole pages, by whatever generation is live. Raises IndexProblem."""
        reader = LiveIndex(self.index, lambda _identity: FakeEmbedder()).reader()
        return tuple(reader.search(text, Filters(), limit=10, offset=0) for text in QUERIES)

    def again(self) -> tuple[int, tuple[Answer, ...]]:
        """Ingest with nothing in the way; the exit status and the answers then."""
        with Path(os.devnull).open("w", encoding="utf-8") as err:
            return self.ingest(err), self.answers()

    def generation(self) -> int:
        """The live one's number."""
        return live_number(Layout(self.index))


@dataclass(frozen=True, slots=True)
class Step:
    """One call that was not let through, and what came of it."""

    ran: Ran
    serves: str
    """`before`, `after` or `neither`."""
    mended: bool
    """Whether the next ingest succeeded and serves the edit."""


@dataclass(frozen=True, slots=True)
class Tried:
    """All the calls that were not let through."""

    calls: int
    """How many an ingest made that was let be."""
    steps: list[Step]
    """Fewer, where an ingest made fewer calls and ended before the one that was wanted."""

    @property
    def named(self) -> str:
        """Which calls, for a row: `each of 331 calls that change the disk`."""
        fewer = self.calls - len(self.steps)
        less = f", {fewer} of which an ingest did without" if fewer else ""
        return f"each of {self.calls} calls that change the disk{less} (fake embedder)"


Wanted = Callable[[int], Iterable[int]]
"""Given how many calls an ingest makes, the numbers of those to try."""


def every(calls: int) -> Iterable[int]:
    """All of them."""
    return range(1, calls + 1)


def steps(
    folder: Path, verdict_at: Callable[[int], Callable[[int, Call], int]], wanted: Wanted
) -> Tried:
    """Ingest once for each wanted call, with the verdicts that `verdict_at` gives for it.

    Raises UsageError where seccomp has no notifications.
    """
    if not available():
        raise UsageError("This fault needs Linux's seccomp notifications. Choose other groups.")
    small = Small(folder)
    small.write(0)
    forked(small.again)
    small.write(1)
    calls = supervised(small.ingest, small.index, lambda _number, _call: 0).calls
    made = []
    for edition, number in enumerate(wanted(calls), start=2):
        before = forked(small.answers)
        small.write(edition)
        ran = supervised(small.ingest, small.index, verdict_at(number))
        if not ran.refused:
            continue
        left = forked(small.answers)
        status, after = forked(small.again)
        serves = {before: "before", after: "after"}.get(left, "neither")
        made.append(Step(ran, serves, status == 0 and after != before))
    return Tried(calls, made)


def refused_from(number: int, error: int) -> Callable[[int, Call], int]:
    """The disk says no from this call on; a full one still lets go of what it holds."""
    freed = FREES if error == errno.ENOSPC else set()
    return lambda count, call: error if count >= number and call.name not in freed else 0


def killed_at(number: int) -> Callable[[int, Call], int]:
    """Kill -9 before this call."""
    return lambda count, _call: KILL if count == number else 0


def told(step: Step) -> bool:
    """Whether the failure was one sentence and an exit status, and nothing else happened."""
    *before, last = step.ran.said.splitlines() or [""]
    progress = all(line.startswith("indexing: ") for line in before)
    return progress and step.ran.status == 1 and last.lower().endswith(ENDING)


def killed_at_every_call(options: Options, say: Say) -> Fault:
    """Kill -9 before each call."""
    tried = steps(options.work / "calls", killed_at, every)
    made = tried.steps
    say(f"killed at {len(made)} of {tried.calls} calls")
    served = Counter(step.serves for step in made)
    held = [
        step.ran.status == -signal.SIGKILL and step.serves != "neither" and step.mended
        for step in made
    ]
    return Fault(
        what=f"ingest of {POSTS} posts killed",
        made=f"`kill -9` before {tried.named}",
        runs=len(made),
        held=sum(held),
        seen=", ".join(f"answers as {name} {count}" for name, count in sorted(served.items())),
        lost="nothing" if set(served) <= {"before", "after"} else "answers",
    )
