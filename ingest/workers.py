"""Processes that read posts beside this one: small items in, what became of each out, in order.

Parsing is Python's own work, so threads would take turns. A process costs as much to start as
some dozens of posts to read, and begins with the first item; for fewer the work is done here.
Each has a pipe of its own, whose other end only this process holds: one that is killed leaves
no worker behind, since each ends at the end of its pipe.
"""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, TypeVar

from blog_search_mcp.index.errors import IngestFailed

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

Item = TypeVar("Item")
Result = TypeVar("Result")

WORTHWHILE = 100
"""Items from which on processes pay: two take .4 s of a processor each to start, and save half
of the 15 ms that a post takes."""

MOST = 4
"""Each takes some 100 MB, and what is left to do in one process is a fifth of all."""

BATCH = 8
"""Items that go to a process at once."""

AHEAD = 4
"""Batches a process is given before the first of them has come back."""

NEW_OBJECTS = 20_000
"""Between two looks for garbage. A page is tens of thousands of tokens that live until it is
chunked; at Python's own 700 the looks take a sixth of the time."""


class Workers:
    """Does work here, or in processes once there is enough of it; use `workers`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._started: list[tuple[SpawnProcess, Connection]] = []

    def begin(self, count: int, module: str) -> None:
        """Start the processes if `count` items are enough for them; they import `module` first.

        It is what holds the work that is given to them next, whose import here takes as long.
        """
        if self._pays(count) and not self._started:
            for pipe in self._pipes():
                pipe.send(module)

    def map(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """What `work` makes of each item, in their order.

        `work` and the items must be picklable, and the items small: nobody reads results while
        they are sent. What `work` raises is raised here. Raises IngestFailed if a process ends.
        """
        return self._spread(work, items) if self._pays(len(items)) else map(work, items)

    def close(self) -> None:
        """End the processes, whatever they are doing."""
        for process, pipe in self._started:
            pipe.close()
            process.terminate()
        for process, _ in self._started:
            process.join()
            process.close()
        self._started = []

    def _pays(self, count: int) -> bool:
        return self._most >= 2 and count >= WORTHWHILE

    def _spread(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        pipes = self._pipes()
        for pipe in pipes:
            pipe.send(work)
        batches = iter([items[at : at + BATCH] for at in range(0, len(items), BATCH)])
        waiting: deque[Connection] = deque()
        for pipe, batch in zip(pipes * AHEAD, batches, strict=False):
            pipe.send(batch)
            waiting.append(pipe)
        return self._results(waiting, batches)

    def _results(
        self, waiting: deque[Connection], batches: Iterator[Sequence[Item]]
    ) -> Iterator[Result]:
        while waiting:
            pipe = waiting.popleft()
            results = _received(pipe)
            for batch in batches:
                pipe.send(batch)
                waiting.append(pipe)
                break
            yield from results

    def _pipes(self) -> list[Connection]:
        if not self._started:
            self._started = [_start() for _ in range(self._most)]
        return [pipe for _, pipe in self._started]


@contextmanager
def workers(most: int | None = None) -> Iterator[Workers]:
    """Workers, at most so many processes, which end with the block."""
    made = Workers(min(MOST, _processors()) if most is None else most)
    try:
        yield made
    finally:
        made.close()


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _start() -> tuple[SpawnProcess, Connection]:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _received(pipe: Connection) -> list[Any]:
    try:
        results = pipe.recv()
    except (EOFError, ConnectionError) as error:
        raise IngestFailed(
            "A process that reads posts was ended by something else, perhaps for want of memory. "
            "Nothing in the index has changed; run again."
        ) from error
    if isinstance(results, BaseException):
        raise results
    return list(results)


def _serve(pipe: Connection) -> None:
    """Do what comes through the pipe until it ends; an interrupt is for the first process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(NEW_OBJECTS)
    work: Callable[[Any], object] = partial(lambda item: item)
    try:
        while True:
            message = pipe.recv()
            if isinstance(message, str):
                import_module(message)
                continue
            if callable(message):
                work = message
                continue
            pipe.send(_done(work, message))
    except (EOFError, ConnectionError):
        return


def _done(work: Callable[[Any], object], batch: Sequence[Any]) -> object:
    try:
        return [work(item) for item in batch]
    except Exception as error:
        return error
