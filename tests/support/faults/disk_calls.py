"""Refuse, or kill an ingest before, any one of the calls by which it changes the disk.

    python -m tests.support.faults.disk_calls FOLDER ENOSPC|EROFS|KILL COUNT

Prints a JSON list with one entry per run, COUNT of them spread over all calls; 0 takes every
call. The blog has a few posts and the embedder is the tests' fake: what is tested is what FAISS,
tantivy, SQLite and the index's own code do when the disk refuses. It must be a process of its
own, since it forks.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO
from unittest import mock

from blog_search_mcp.index.command_line import run
from blog_search_mcp.index.embedders import registry
from blog_search_mcp.index.reader import Index
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.ingest.cli import ingest
from tests.support.fakes import FakeEmbedder
from tests.support.faults.seccomp import Call
from tests.support.faults.supervised import KILL, Ran, forked, supervised

POSTS = 6
QUERIES = ("soup", "onion", "boil a leek in water")
FREES = {"unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2", "ftruncate"}
"""Calls that a full disk still grants."""

ENDING = "check the disk's space and the folder's permissions, then run again."
"""How the sentence about a refusing disk ends."""

SWITCHED = "The index is up to date"
"""How the sentence begins if the new generation is live and only the cached state is missing."""


@dataclass(frozen=True, slots=True)
class SmallBlog:
    """A blog of a few posts with its index."""

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
        fake = registry.Choice(FakeEmbedder(), "A fake.")
        arguments = [str(self.folder / "content"), "--index", str(self.index)]
        faked = mock.patch.object(registry, "choose_embedder", return_value=fake)
        with faked, redirect_stderr(err):
            return run(ingest, arguments)

    def search(self) -> tuple[Answer, ...]:
        """Whole pages, by whatever generation is live. Raises IndexProblem."""
        reader = Index(self.index, lambda _identity: FakeEmbedder()).reader()
        return tuple(reader.search(text, Filters(), limit=10, offset=0) for text in QUERIES)

    def ingest_and_search(self) -> tuple[int, tuple[Answer, ...]]:
        """Ingest with nothing in the way; the exit status and the answers then."""
        with Path(os.devnull).open("w", encoding="utf-8") as err:
            return self.ingest(err), self.search()


@dataclass(frozen=True, slots=True)
class Refused:
    """One ingest of which one call was not let through."""

    call: str
    status: int
    """As Popen gives it: negative for a signal."""
    output: str
    serves: str
    """Which answers the index gives then: `before`, `after` or `neither`."""
    recovers: bool
    """Whether the next ingest succeeded and serves the edit."""

    @property
    def holds(self) -> bool:
        """Whether the reader got an honest answer, the author one sentence, and nothing was lost.

        After the switch an ingest may succeed, or report the one thing that is missing.
        """
        *before, last = self.output.splitlines() or [""]
        if self.status == -signal.SIGKILL:
            return self.serves != "neither" and self.recovers
        if self.status == 0:
            return self.serves == "after"
        if last.startswith(SWITCHED):
            return self.serves == "after" and self.recovers
        progress = all(
            line.startswith(("indexing posts: ", "embedding texts: ")) for line in before
        )
        refusal = self.status == 1 and progress and last.lower().endswith(ENDING)
        return refusal and self.serves == "before" and self.recovers


def refuse_calls(folder: Path, fault: int, count: int) -> list[Refused]:
    """Ingest an edit again and again, each time with another call refused with errno `fault`.

    KILL as the fault kills the ingest before the call; any other also refuses all later calls.
    """
    small = SmallBlog(folder)
    small.write(0)
    forked(small.ingest_and_search)
    small.write(1)
    calls = supervised(small.ingest, small.index, lambda _number, _call: 0).calls
    numbers = range(1, calls + 1, max(1, calls // count) if count else 1)
    runs = []
    for edition, number in enumerate(numbers, start=2):
        before = forked(small.search)
        small.write(edition)
        ran = supervised(small.ingest, small.index, _verdict(number, fault))
        if ran.refused:
            runs.append(_refused(small, ran, before))
    return runs


def _verdict(number: int, fault: int) -> Callable[[int, Call], int]:
    if fault == KILL:
        return lambda count, _call: KILL if count == number else 0
    granted = FREES if fault == errno.ENOSPC else set()
    return lambda count, call: fault if count >= number and call.name not in granted else 0


def _refused(small: SmallBlog, ran: Ran, before: tuple[Answer, ...]) -> Refused:
    left = forked(small.search)
    status, after = forked(small.ingest_and_search)
    serves = {before: "before", after: "after"}.get(left, "neither")
    return Refused(ran.refused, ran.status, ran.output, serves, status == 0 and after != before)


if __name__ == "__main__":
    fault = KILL if sys.argv[2] == "KILL" else vars(errno)[sys.argv[2]]
    made = refuse_calls(Path(sys.argv[1]), fault, int(sys.argv[3]))
    sys.stdout.write(json.dumps([asdict(each) | {"holds": each.holds} for each in made]))
