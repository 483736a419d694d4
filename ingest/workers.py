"""Spread work over processes, in order; do it in this process if it is too little to pay.

Parsing is pure Python, so threads would take turns. A process costs as much to start as some
dozens of posts to read. What takes a process too much time, or ends it, is left out.
"""

import gc
import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache, partial
from itertools import islice
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from blog_search_mcp.index.errors import IngestFailed, UnreadablePost
from blog_search_mcp.ingest import GC_THRESHOLD
from blog_search_mcp.ingest.signals import block_interrupts

if TYPE_CHECKING:
    from pebble import ProcessFuture, ProcessPool

Item = TypeVar("Item")
Output = TypeVar("Output")

MIN_POOLED = 100
"""Items from which on processes pay: two take .35 s of a processor each to start, and save
half of the 7 ms that a post takes."""

MAX_WORKERS = 4
"""Each takes some 100 MB, and what is left to do in one process is a fifth of all."""

IN_FLIGHT = 32
"""Items in flight for each process."""

MAX_SECONDS = 30
"""For an item, and again for one that was lost, since the machine may have been busy or asleep: a
post takes 7 ms, the largest that may be read (16 MB) 16 s of a processor."""

LOST_REASON = (
    f"reading it takes more than {MAX_SECONDS} s, or too much memory, or ends the process that "
    "reads it; change it, name it in a .blogignore, or try again with --rebuild"
)

_MANY_LOST = (
    f"Too many of the posts that processes read were lost, the last since {LOST_REASON}. "
    "Nothing in the index has changed."
)
MAX_LOST = 20
"""Lost items after which the reason is sought in the machine and not in them: a post of the index
would go out of it."""


class _Process(SpawnProcess):
    """A process that does not run the main module again, which may be a caller's whole script."""

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:  # noqa: N802
        main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
        try:
            return SpawnProcess._Popen(process_obj)
        finally:
            sys.modules["__main__"] = main


class _Context(SpawnContext):
    Process = _Process


class WorkerPool:
    """Processes that start with the first work that pays for them; close it."""

    def __init__(self, processes: int | None = None) -> None:
        """`processes` is their upper limit, by default one a processor and `MAX_WORKERS`."""
        self._processes = min(MAX_WORKERS, _count_processors()) if processes is None else processes
        self._pool: ProcessPool | None = None
        self._lost = 0

    def map(
        self,
        function: Callable[[Item], Output],
        items: Sequence[Item],
        lost: Callable[[Item, str], Output],
        is_large: Callable[[Item], bool] = lambda _: False,
    ) -> Iterator[Output]:
        """Apply `function` to each item and yield the results in order; all must be picklable.

        The results of one call are taken before the next call, or never.
        Fewer than `MIN_POOLED` items are done in this process, but for those that are large.
        `lost` makes the result of an item that raises UnreadablePost or MemoryError, given it and
        the reason, in processes also of one that takes more than `MAX_SECONDS` or ends its
        process. What else `function` raises is raised here. Raises IngestFailed after `MAX_LOST`
        lost items, or if processes end before they begin.
        """
        work = partial(_work, function, lost)
        if self._processes < 2 or len(items) < MIN_POOLED:
            for item in items:
                alone = is_large(item)
                yield (
                    self._take(work, item, self._submit(work, item), lost) if alone else work(item)
                )
            return
        work = _Pickled(work)
        futures = ((item, self._submit(work, item)) for item in items)
        pending = deque(islice(futures, self._processes * IN_FLIGHT))
        while pending:
            yield self._take(work, *pending.popleft(), lost)
            pending.extend(islice(futures, 1))

    def close(self) -> None:
        """Drop what has not begun and end the processes."""
        if self._pool is not None:
            self._pool.stop()
            self._pool.join()
            self._pool = None

    def _take(
        self,
        work: Callable[[Item], Output],
        item: Item,
        future: "ProcessFuture[Output]",
        lost: Callable[[Item, str], Output],
        *,
        is_last: bool = False,
    ) -> Output:
        """Return the result of an item, which is tried once more if it is lost."""
        from pebble import ProcessExpired  # takes 20 ms, for which an edited post need not wait

        try:
            return future.result()
        except BrokenProcessPool as error:
            raise IngestFailed(_MANY_LOST) from error
        except (TimeoutError, ProcessExpired) as error:
            if not is_last:
                return self._take(work, item, self._submit(work, item), lost, is_last=True)
            self._lost += 1
            if self._lost > MAX_LOST:
                raise IngestFailed(_MANY_LOST) from error
            return lost(item, LOST_REASON)

    def _submit(self, work: Callable[[Item], Output], item: Item) -> "ProcessFuture[Output]":
        """Begin an item. Raises IngestFailed."""
        from pebble import ProcessPool

        if self._pool is None:
            context = _Context()
            context.RLock()  # the first one starts a process, after which SIGINT is unblocked
            start = partial(gc.set_threshold, GC_THRESHOLD)
            self._pool = ProcessPool(max(1, self._processes), 0, start, context=context)
        try:
            with block_interrupts():  # it may start a process
                return self._pool.schedule(work, [item], timeout=MAX_SECONDS)
        except RuntimeError as error:  # the pool is broken
            raise IngestFailed(_MANY_LOST) from error


def _work(
    function: Callable[[Item], Output], lost: Callable[[Item, str], Output], item: Item
) -> Output:
    try:
        return function(item)
    except (UnreadablePost, MemoryError) as error:
        return lost(item, str(error) or LOST_REASON)


class _Pickled(partial[Any]):
    """Work that may hold a large site, unpickled once for all items of a process."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self.pickled = pickle.dumps(work)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.pickled,)


@lru_cache(maxsize=1)
def _unpickle(pickled: bytes) -> Any:
    return pickle.loads(pickled)


def _count_processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
