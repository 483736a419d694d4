"""Spread work over processes, in order; do it in this process if it is too little to pay.

Parsing is pure Python, so threads would take turns. A process costs as much to start as some
dozens of posts to read. What takes a process too much time or memory, or ends it, is left out.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from blog_search_mcp.index.errors import IngestFailed, UnreadablePost
from blog_search_mcp.index.signals import block_interrupts
from blog_search_mcp.ingest import GC_THRESHOLD

if TYPE_CHECKING:
    from pebble import ProcessFuture, ProcessPool

Item = TypeVar("Item")
Result = TypeVar("Result")

WORTHWHILE = 100
"""Items from which on processes pay: two take .4 s of a processor each to start, and save half
of the 15 ms that a post takes."""

MOST = 4
"""Each takes some 100 MB, and what is left to do in one process is a fifth of all."""

BATCH = 8
"""Items sent to a process at once: what goes with them can name every folder of the site."""

AHEAD = 4
"""Batches in flight for each process."""

MOST_SECONDS = 30
"""For a batch, and again for each item of one that was lost, since the machine may have been busy
or asleep: a post takes 15 ms, the largest that may be read (16 MB) 16 s of a processor."""

MOST_BYTES = 2 << 30
"""Address space that a process may take for its work: a post of 16 MB needs 300 MB."""

_REMEDY = "change it, name it in a .blogignore, or try again with --rebuild"
TOO_SLOW = f"reading it takes more than {MOST_SECONDS} s; {_REMEDY}"
TOO_LARGE = f"reading it takes more memory than there is for one post; {_REMEDY}"
ENDS_PROCESS = f"reading it ends the process that reads it; {_REMEDY}"
LOST = (TOO_SLOW, TOO_LARGE, ENDS_PROCESS)
"""Why a post is left out that must not be read again as it is."""

MOST_LOST = 20
"""Lost items after which the reason is sought in the machine and not in them: each takes up to
`MOST_SECONDS` and the start of processes, and a post of the index would go out of it."""


class WorkerPool:
    """Processes that start with the first work that pays for them; close it."""

    def __init__(self, processes: int | None = None) -> None:
        """`processes` is their upper limit, by default one a processor and `MOST`."""
        self._processes = min(MOST, _count_processors()) if processes is None else processes
        self._pool: ProcessPool | None = None
        self._lost = 0

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        lost: Callable[[Item, str], Result],
    ) -> Iterator[Result]:
        """Apply `function` to each item and yield the results in order; all must be picklable.

        The results of one call are taken before the next call, or never.
        `lost` makes the result of an item that raises UnreadablePost or MemoryError, given it and
        the reason, in processes also of one that takes more than `MOST_SECONDS` or ends its
        process; one of `LOST` for all but UnreadablePost. What else `function` raises is raised
        here. Raises IngestFailed after `MOST_LOST` lost items, or if processes end before they
        begin.
        """
        work = partial(_work, function, lost)
        if self._processes < 2 or len(items) < WORTHWHILE:
            return map(work, items)
        batches = (items[start : start + BATCH] for start in range(0, len(items), BATCH))
        return self._map(work, batches, lost)

    def close(self) -> None:
        """Drop what has not begun and end the processes."""
        if self._pool is not None:
            self._pool.stop()
            self._pool.join()
            self._pool = None

    def _map(
        self,
        work: Callable[[Item], Result],
        batches: Iterable[Sequence[Item]],
        lost: Callable[[Item, str], Result],
    ) -> Iterator[Result]:
        """Yield the results of all batches; of one that is lost, new processes try each item."""
        from pebble import ProcessExpired  # takes 20 ms, for which an edited post need not wait

        left = deque(batches)
        begun: deque[tuple[Sequence[Item], ProcessFuture[list[Result]]]] = deque()
        while left or begun:
            try:
                while left and len(begun) < self._processes * AHEAD:
                    begun.append((left[0], self._submit(work, left[0])))
                    left.popleft()
                yield from begun[0][1].result()
                begun.popleft()
            except (TimeoutError, ProcessExpired, BrokenProcessPool) as error:
                self.close()
                left.extendleft(batch for batch, _ in reversed(begun))
                begun.clear()
                batch = left.popleft()
                if len(batch) > 1:
                    left.extendleft([item] for item in reversed(batch))
                    continue
                reason = TOO_SLOW if isinstance(error, TimeoutError) else ENDS_PROCESS
                self._count_lost(reason, error)
                if isinstance(error, BrokenProcessPool):  # perhaps by an item after this one
                    left.appendleft(batch)
                else:
                    yield lost(batch[0], reason)

    def _submit(
        self, work: Callable[[Item], Result], batch: Sequence[Item]
    ) -> ProcessFuture[list[Result]]:
        """Begin a batch. Raises BrokenProcessPool."""
        from pebble import ProcessPool

        if self._pool is None:
            context = get_context("spawn")
            context.RLock()  # the first one starts a process, after which SIGINT is unblocked
            self._pool = ProcessPool(self._processes, 0, _initialize_worker, context=context)
        try:
            with block_interrupts():  # it may start a process
                return self._pool.schedule(_work_on_batch, [work, batch], timeout=MOST_SECONDS)
        except RuntimeError as error:
            raise BrokenProcessPool from error

    def _count_lost(self, reason: str, error: Exception) -> None:
        self._lost += 1
        if self._lost > MOST_LOST:
            raise IngestFailed(
                f"Of posts that processes read one by one, {self._lost} were lost, the last since "
                f"{reason}. Nothing in the index has changed. A program of your own must ingest "
                'below `if __name__ == "__main__":`.'
            ) from error


def _work(
    function: Callable[[Item], Result], lost: Callable[[Item, str], Result], item: Item
) -> Result:
    try:
        return function(item)
    except UnreadablePost as error:
        return lost(item, str(error))
    except MemoryError:
        return lost(item, TOO_LARGE)


def _work_on_batch(work: Callable[[Item], Result], batch: Sequence[Item]) -> list[Result]:
    return [work(item) for item in batch]


def _count_processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _initialize_worker() -> None:
    gc.set_threshold(GC_THRESHOLD)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # NumPy maps 40 MB for each, and none is used
    if sys.platform == "linux":  # Windows has no such limit, macOS refuses it
        import resource

        pages, _, _ = Path("/proc/self/statm").read_text().partition(" ")
        most = int(pages) * resource.getpagesize() + MOST_BYTES
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        if soft == resource.RLIM_INFINITY or soft > most:
            resource.setrlimit(resource.RLIMIT_AS, (most, hard))
