"""Spread work over processes, in order; do it in this process if it is too little to pay.

Parsing is pure Python, so threads would take turns. A process costs as much to start as some
dozens of posts to read. What is done here is named in a journal meanwhile: if that ends this
process, the next run does it in one of its own. So does every run that has no place for a journal.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from io import BytesIO
from itertools import chain, islice
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

from blog_search_mcp.index.command_line import block_interrupts
from blog_search_mcp.index.errors import IngestFailed
from blog_search_mcp.ingest import GC_THRESHOLD

Item = TypeVar("Item")
Result = TypeVar("Result")

WORTHWHILE = 100
"""Items from which on processes pay: two take .4 s of a processor each to start, and save half
of the 15 ms that a post takes."""

MOST = 4
"""Each takes some 100 MB, and what is left to do in one process is a fifth of all."""

BATCH = 8
"""Items sent to a process at once."""

AHEAD = 4
"""Batches in flight for each process."""

MOST_LOST = 20
"""Items that may end a process before the reason is sought in the machine and not in them: each
costs the start of a process, and the first up to a hundred others done one by one."""

MOST_NAMED = 1 << 16
"""Bytes of a journal that are read."""


class WorkerPool:
    """Processes that start with the first work that pays for them; close it."""

    def __init__(self, processes: int | None = None, journal: Path | None = None) -> None:
        """`processes` is their upper limit, by default one a processor and `MOST`.

        `journal` is a file of this run's alone, in a folder that need not exist; without one all
        work is done in other processes, if there may be any.
        """
        self._journal = journal
        self._processes = min(MOST, _count_processors()) if processes is None else processes
        self._pool = _Processes(self._processes)
        self._single = _Processes(1)
        self._lost = 0

    def map(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        lost: Callable[[Item], Result],
        name: Callable[[Item], str] = str,
    ) -> Iterator[Result]:
        """Apply `function` to each item and yield the results in order, as `map_batches`.

        `name` tells an item from others in the next run too.
        """
        size = 1 if self._is_alone(items) else BATCH
        return self._map(partial(_map_batch, function), items, lost, name, size)

    def map_batches(
        self,
        function: Callable[[Sequence[Item]], list[Result]],
        items: Sequence[Item],
        lost: Callable[[Item], Result],
        name: Callable[[Item], str] = str,
    ) -> Iterator[Result]:
        """Apply `function` to a few items at a time and yield the results in order.

        `function`, items and results must be picklable. What `function` raises is raised here.
        When a process is ended, what was in flight is done one item at a time; `lost` makes the
        result of one that ends its process then too. Raises IngestFailed after MOST_LOST of them.
        """
        return self._map(function, items, lost, name, BATCH)

    def _map(
        self,
        function: Callable[[Sequence[Item]], list[Result]],
        items: Sequence[Item],
        lost: Callable[[Item], Result],
        name: Callable[[Item], str],
        size: int,
    ) -> Iterator[Result]:
        batches = (items[start : start + size] for start in range(0, len(items), size))
        if self._is_alone(items):
            return chain.from_iterable(self._map_here(function, batches, lost, name))
        submitted = ((batch, self._pool.submit(function, batch)) for batch in batches)
        waiting = deque(islice(submitted, self._processes * AHEAD))
        return chain.from_iterable(self._take_results(function, waiting, submitted, lost))

    def close(self) -> None:
        """Drop what has not begun and end the processes."""
        self._pool.close()
        self._single.close()
        if self._journal is not None:
            with suppress(OSError):  # there is none, or a first index was not made
                self._journal.unlink(missing_ok=True)
                self._journal.parent.rmdir()

    def _is_alone(self, items: Sequence[Item]) -> bool:
        return self._processes < 2 or len(items) < WORTHWHILE

    def _map_here(
        self,
        function: Callable[[Sequence[Item]], list[Result]],
        batches: Iterable[Sequence[Item]],
        lost: Callable[[Item], Result],
        name: Callable[[Item], str],
    ) -> Iterator[list[Result]]:
        """Apply `function` in this process, but to batches that may end it."""
        are_suspect = self._journal is None and self._processes > 0
        with _open_journal(self._journal) as journal:
            journal.seek(0)
            known = journal.read(MOST_NAMED)
            suspects = set(known.split(b"\0"))
            for batch in batches:
                names = [os.fsencode(name(item)) for item in batch]
                if are_suspect or not suspects.isdisjoint(names):
                    yield [self._work_alone(function, item, lost) for item in batch]
                    continue
                # A full or read-only disk refuses it, and the posts are read all the same.
                with suppress(OSError):
                    journal.write(b"".join(each + b"\0" for each in names))
                results = function(batch)
                with suppress(OSError):
                    journal.seek(len(known))
                    journal.truncate()
                yield results

    def _take_results(
        self,
        function: Callable[[Sequence[Item]], list[Result]],
        waiting: deque[tuple[Sequence[Item], Future[list[Result]]]],
        submitted: Iterator[tuple[Sequence[Item], Future[list[Result]]]],
        lost: Callable[[Item], Result],
    ) -> Iterator[list[Result]]:
        """Yield the results of each batch, and submit one more for each that is taken."""
        while waiting:
            batch, future = waiting.popleft()
            try:
                results = future.result()
            except BrokenProcessPool:
                results = [self._work_alone(function, item, lost) for item in batch]
            waiting.extend(islice(submitted, 1))
            yield results

    def _work_alone(
        self,
        function: Callable[[Sequence[Item]], list[Result]],
        item: Item,
        lost: Callable[[Item], Result],
    ) -> Result:
        try:
            return self._single.submit(function, [item]).result()[0]
        except BrokenProcessPool as error:
            self._lost += 1
            if self._lost > MOST_LOST:
                raise IngestFailed(
                    f"Processes that read posts were ended by something else, {self._lost} times "
                    "with a single post, perhaps for want of memory. Nothing in the index has "
                    "changed; run again."
                ) from error
            return lost(item)


class _Processes:
    """Processes that start with the first work, and again with the next after one was ended."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._executor: ProcessPoolExecutor | None = None

    def submit(
        self, function: Callable[[Sequence[Item]], list[Result]], batch: Sequence[Item]
    ) -> Future[list[Result]]:
        if self._executor is not None:
            try:
                return self._submit(self._executor, function, batch)
            except BrokenProcessPool:
                self._executor.shutdown()
        self._executor = ProcessPoolExecutor(self._count, get_context("spawn"), _initialize_worker)
        return self._submit(self._executor, function, batch)

    @staticmethod
    def _submit(
        executor: ProcessPoolExecutor,
        function: Callable[[Sequence[Item]], list[Result]],
        batch: Sequence[Item],
    ) -> Future[list[Result]]:
        with block_interrupts():  # it may start a process
            return executor.submit(function, batch)

    def close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)


def _open_journal(path: Path | None) -> BinaryIO:
    """Open the file, made if there is none; one in memory stands in where it cannot be written."""
    with suppress(OSError):
        if path is not None and (path.is_file() or not path.exists()):
            path.parent.mkdir(parents=True, exist_ok=True)
            return cast("BinaryIO", path.open("a+b", buffering=0))
    return BytesIO()


def _count_processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _map_batch(function: Callable[[Item], Result], batch: Sequence[Item]) -> list[Result]:
    return [function(item) for item in batch]


def _initialize_worker() -> None:
    """Leave interrupts to the first process, and end with it even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(GC_THRESHOLD)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
