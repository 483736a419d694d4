"""Spread items over processes and keep their order; a few items stay in this process.

Parsing is pure Python, so threads would take turns. Starting a process costs as much as reading
some dozens of posts. An item that takes too long or kills its process is reported as lost.
"""

import gc
import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from functools import lru_cache, partial
from itertools import islice
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from threading import current_thread, main_thread
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from blog_search_mcp.index.errors import IngestFailed, UnreadablePost
from blog_search_mcp.ingest import GC_THRESHOLD
from blog_search_mcp.ingest.signals import block_interrupts

if TYPE_CHECKING:
    from pebble import ProcessFuture, ProcessPool

Item = TypeVar("Item")
Output = TypeVar("Output")
MIN_POOLED = 100
"""Minimum items for which processes pay: two start in .35 s, and save 3.5 of 7 ms per post."""
MAX_WORKERS = 4
"""Most processes by default: each takes 100 MB, and a fifth of the work cannot be parallel."""
IN_FLIGHT = 32
"""Number of items submitted in advance per process."""
MAX_SECONDS = 30
"""Maximum seconds for one item. An item that times out in a worker process or kills it is tried
again, for the machine may be busy. A post takes 7 ms of processor time, a file of 16 MB 16 s."""
LOST_REASON = (
    f"reading it takes more than {MAX_SECONDS} s, or too much memory, or ends the process that "
    "reads it; change it, name it in a .blogignore, or try again with --rebuild"
)
_MANY_LOST = (
    f"Too many of the posts that processes read were lost, the last since {LOST_REASON}. "
    "Nothing in the index has changed."
)
MAX_LOST = 20
"""Maximum items that time out in a worker process or kill it. A fault must not empty the index."""


class _Process(SpawnProcess):
    """Process that does not run the main module again, which may be a caller's whole script."""

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
    """Pool of processes that start with the first work that needs them; the caller closes it."""

    def __init__(self, processes: int | None = None) -> None:
        """`processes` is the limit, by default the number of processors, up to `MAX_WORKERS`."""
        self._processes = min(MAX_WORKERS, _count_processors()) if processes is None else processes
        self._pool: ProcessPool | None = None
        self._lost = 0

    def map(
        self,
        function: Callable[[Item], Output],
        items: Sequence[Item],
        make_lost: Callable[[Item, str], Output],
    ) -> Iterator[Output]:
        """Apply `function` to each item; yield the results in order. Arguments must be picklable.

        Take all results of one call before the next call. Fewer than MIN_POOLED items (or any
        number, if the limit is one process) run in this process; on Windows or outside the main
        thread, where no signal can stop an item, in one other process. An item is lost if it
        raises UnreadablePost or MemoryError, takes over MAX_SECONDS or kills a worker process;
        `make_lost(item, reason)` is then its result. Other errors are raised. Raises IngestFailed
        if more than MAX_LOST items time out or kill a process, or if a process does not start.
        """
        is_little = self._processes < 2 or len(items) < MIN_POOLED
        if is_little and hasattr(signal, "setitimer") and current_thread() is main_thread():
            for item in items:
                yield _work(function, make_lost, item, limits_time=True)
            return
        self._processes = 1 if is_little else self._processes
        work = _Pickled(partial(_work, function, make_lost))
        futures = ((item, self._submit(work, item)) for item in items)
        pending = deque(islice(futures, self._processes * IN_FLIGHT))
        while pending:
            yield self._take(work, *pending.popleft(), make_lost)
            pending.extend(islice(futures, 1))

    def close(self) -> None:
        """Stop the processes at once, and drop the unfinished items."""
        if self._pool is not None:
            self._pool.stop()
            self._pool.join()
            self._pool = None

    def _take(
        self,
        work: Callable[[Item], Output],
        item: Item,
        future: "ProcessFuture[Output]",
        make_lost: Callable[[Item, str], Output],
        *,
        is_last: bool = False,
    ) -> Output:
        """Return an item's result; if it timed out or its process ended, try it once more."""
        from pebble import ProcessExpired  # importing takes 20 ms, and few items need no process

        try:
            return future.result()
        except BrokenProcessPool as error:
            raise IngestFailed(_MANY_LOST) from error
        except (TimeoutError, ProcessExpired) as error:
            if not is_last:
                return self._take(work, item, self._submit(work, item), make_lost, is_last=True)
            self._lost += 1
            if self._lost > MAX_LOST:
                raise IngestFailed(_MANY_LOST) from error
            return make_lost(item, LOST_REASON)

    def _submit(self, work: Callable[[Item], Output], item: Item) -> "ProcessFuture[Output]":
        from pebble import ProcessPool

        if self._pool is None:
            context = _Context()
            context.RLock()  # the first lock starts a process and then unblocks SIGINT
            start = partial(gc.set_threshold, GC_THRESHOLD)
            self._pool = ProcessPool(self._processes, 0, start, context=context)
        try:
            with block_interrupts():  # it may start a process
                return self._pool.schedule(work, [item], timeout=MAX_SECONDS)
        except RuntimeError as error:  # the pool is broken
            raise IngestFailed(_MANY_LOST) from error


def _work(
    function: Callable[[Item], Output],
    make_lost: Callable[[Item, str], Output],
    item: Item,
    *,
    limits_time: bool = False,
) -> Output:
    try:
        with _limit_time() if limits_time else nullcontext():
            return function(item)
    except (UnreadablePost, MemoryError) as error:
        return make_lost(item, str(error) or LOST_REASON)


@contextmanager
def _limit_time() -> Iterator[None]:
    """Raise MemoryError, which no reader of files catches, if the block takes over MAX_SECONDS.

    A call into C delays the signal until it returns; Python's regular expressions do not.
    """
    handler = signal.signal(signal.SIGALRM, _refuse_late)
    timer = signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)


def _refuse_late(_number: int, _frame: object) -> NoReturn:
    raise MemoryError(LOST_REASON)


class _Pickled(partial[Any]):
    """Function that may hold a large site; a process unpickles it once, not for each item."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self.pickled = pickle.dumps(work)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.pickled,)


@lru_cache(maxsize=1)
def _unpickle(pickled: bytes) -> Any:
    return pickle.loads(pickled)


def _count_processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
