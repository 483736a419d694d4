"""Run work in a forked process, and decide on each of its calls that changes the disk.

Forked and not started anew, so that thousands of runs need not import everything again. All
work with an index happens in such children, so that no thread of a library is ever forked.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import socket
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TextIO, TypeVar

from tests.support.faults.seccomp import Call, answer, listened_to, received

T = TypeVar("T")

KILL = -1
"""A verdict: not an errno, but the end of the process before the call is made."""

Verdict = Callable[[int, Call], int]
"""Takes a call and its number, from 1; gives 0 to let it through, an errno or KILL."""

Work = Callable[[TextIO], int]
"""Takes where to report, gives an exit status."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of the work."""

    status: int
    """As Popen gives it: negative for a signal."""
    output: str
    """What it wrote to stderr."""
    calls: int
    refused: str
    """The first call that was not let through and what it was about; empty if none."""


def forked(work: Callable[[], T]) -> T:
    """Run `work` in a child and return its result. Raises RuntimeError if the child failed."""
    with tempfile.TemporaryFile() as result:
        child = os.fork()
        if not child:
            status = 1
            try:
                result.write(pickle.dumps(work()))
                result.flush()
                status = 0
            finally:
                os._exit(status)
        _, ended = os.waitpid(child, 0)
        if ended:
            raise RuntimeError("the forked child failed")
        result.seek(0)
        found: T = pickle.loads(result.read())
        return found


def supervised(work: Work, below: Path, verdict: Verdict) -> Ran:
    """Run `work` in a child; `verdict` decides on each call that changes what is `below`."""
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryFile() as output, ours, theirs:
        child = os.fork()
        if not child:
            _work(work, theirs, output)
        theirs.close()
        _, [listener], _, _ = socket.recv_fds(ours, 1, 1)
        try:
            calls, refused = _judge(listener, child, str(below), verdict)
        finally:
            os.close(listener)
        _, ended = os.waitpid(child, 0)
        output.seek(0)
        text = output.read().decode(errors="replace")
    return Ran(os.waitstatus_to_exitcode(ended), text, calls, refused)


def _work(work: Work, parent: socket.socket, output: IO[bytes]) -> None:
    status = 70
    try:
        os.dup2(output.fileno(), 2)
        listener = listened_to()
        socket.send_fds(parent, [b"!"], [listener])
        os.close(listener)
        with os.fdopen(2, "w", closefd=False) as err:
            status = work(err)
    finally:
        os._exit(status)


def _judge(listener: int, child: int, below: str, verdict: Verdict) -> tuple[int, str]:
    """Answer every call until the child has ended; how many, and the first refused."""
    waiting = select.poll()
    waiting.register(listener, select.POLLIN)
    count, refused = 0, ""
    while waiting.poll()[0][1] & select.POLLIN:
        try:
            call = received(listener)
            path = call.path
            inside = path.startswith(below)
            count += inside
            error = verdict(count, call) if inside else 0
            refused = refused or (f"{call.name} {path.removeprefix(below)}" if error else "")
            if error == KILL:
                os.kill(child, signal.SIGKILL)
            else:
                answer(listener, call, error)
        except FileNotFoundError:  # the caller was killed while it waited
            continue
    return count, refused
