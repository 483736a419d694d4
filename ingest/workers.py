"""Spread work over processes, in order; do it in this process if it is too little to pay.

Parsing is pure Python, so threads would take turns. A process costs as much to start as some
dozens of posts to read.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from multiprocessing import get_context, parent_process
from typing import TypeVar

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


class WorkerPool:
    """Processes that start with the first work that pays for them; close it."""

    def __init__(self, processes: int | None = None) -> None:
        """`processes` is their upper limit, by default one a processor and `MOST`."""
        self._processes = min(MOST, _count_processors()) if processes is None else processes
        self._executor: ProcessPoolExecutor | None = None

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Apply `function` to each item and yield the results in order, as `map_batches`."""
        if self._is_alone(items):
            return map(function, items)
        return self.map_batches(partial(_map_batch, function), items)

    def map_batches(
        self, function: Callable[[Sequence[Item]], list[Result]], items: Sequence[Item]
    ) -> Iterator[Result]:
        """Apply `function` to a few items at a time and yield the results in order.

        `function`, items and results must be picklable. What `function` raises is raised here.
        Raises IngestFailed if a process is killed.
        """
        batches = (items[start : start + BATCH] for start in range(0, len(items), BATCH))
        if self._is_alone(items):
            return chain.from_iterable(map(function, batches))
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                self._processes, get_context("spawn"), _initialize_worker
            )
        return _map_in(self._executor, self._processes * AHEAD, function, batches)

    def close(self) -> None:
        """Drop what has not begun and end the processes."""
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def _is_alone(self, items: Sequence[Item]) -> bool:
        return self._processes < 2 or len(items) < WORTHWHILE


def _count_processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _map_in(
    executor: ProcessPoolExecutor,
    in_flight: int,
    function: Callable[[Sequence[Item]], list[Result]],
    batches: Iterator[Sequence[Item]],
) -> Iterator[Result]:
    """Submit the first batches at once, and one more for each whose results are taken."""
    futures = (executor.submit(function, batch) for batch in batches)
    with _broken_pool_translated():
        waiting = deque(islice(futures, in_flight))
    return chain.from_iterable(_take_results(waiting, futures))


def _take_results(
    waiting: deque[Future[list[Result]]], futures: Iterator[Future[list[Result]]]
) -> Iterator[list[Result]]:
    while waiting:
        with _broken_pool_translated():
            results = waiting.popleft().result()
            waiting.extend(islice(futures, 1))
        yield results


@contextmanager
def _broken_pool_translated() -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool as error:
        raise IngestFailed(
            "A process that reads posts was ended by something else, perhaps for want of memory. "
            "Nothing in the index has changed; run again."
        ) from error


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
