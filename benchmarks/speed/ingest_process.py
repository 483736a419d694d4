"""An ingest in a process of its own, watched from outside: options in, seconds and memory out."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.speed.process import python

EVERY = 0.1
"""Seconds between two looks at the memory: one takes some milliseconds."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a process took."""

    seconds: float
    """From its start to its exit."""
    peak: float
    """MB that it and the processes it started held together, but for files' pages, which the
    system takes back when it needs them; 0 where the system does not say."""


def free_ingest(content: Path, index: Path, dimension: int, pace: float = 0.0) -> tuple[str, ...]:
    """Python's arguments for an ingest with a fixed embedder."""
    program = ("-m", "benchmarks.speed.free_ingest", str(dimension), str(pace))
    return (*program, str(content), "--index", str(index))


def real_ingest(content: Path, index: Path) -> tuple[str, ...]:
    """Python's arguments for an ingest with the embedder in the package."""
    return (
        "-m",
        "blog_search_mcp.ingest",
        str(content),
        "--index",
        str(index),
        "--embedder",
        "embedded",
    )


def ran(arguments: Sequence[str], *, weighed: bool = False) -> Ran:
    """Run Python to its end, which is a good one; its memory is looked at if it is `weighed`."""
    started = time.perf_counter()
    peak = 0.0
    with python(arguments, subprocess.DEVNULL) as process:
        while weighed and process.poll() is None:
            peak = max(peak, sum(_private(pid) for pid in _family(process.pid)))
            time.sleep(EVERY)
        status = process.wait()
    assert status == 0, arguments
    return Ran(time.perf_counter() - started, peak)


def _family(pid: int) -> Iterator[int]:
    yield pid
    with suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        for child in children.split():
            yield from _family(int(child))


def _private(pid: int) -> float:
    """MB of a process; 0 if it has just ended."""
    with suppress(OSError):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        rows = (line.split() for line in rollup[1:])
        return next((int(row[1]) for row in rows if row[0] == "Private_Dirty:"), 0) / 1024.0
    return 0.0
