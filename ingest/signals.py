"""End a process at once at a signal. This is safe: an index is complete at any moment."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

_STOPS = (signal.SIGINT, signal.SIGTERM)


def end_on_signals(sentence: str = "", status: int | None = None) -> None:
    """End the process at SIGINT and SIGTERM, with `sentence` on stderr.

    The exit status is `status`, by default 128 plus the signal's number. An ignored signal (as in
    a shell's background job) stays ignored. A blocked signal is unblocked; if pending, it arrives.
    """
    for number in _STOPS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: end_process(number, sentence, status))
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)


def end_process(number: int, sentence: str = "", status: int | None = None) -> NoReturn:
    """End the process with `status`, by default 128 plus `number`; any thread may call this."""
    if sentence:
        with suppress(OSError):  # nobody reads it
            os.write(2, f"{sentence}\n".encode())
    os._exit(128 + number if status is None else status)


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Block SIGINT in this thread; processes started meanwhile inherit the block.

    Ctrl-C reaches every process, and a process that is still loading Python would print a
    traceback. Windows has no signal mask, so nothing is blocked there.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
