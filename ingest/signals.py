"""End a process at a signal, at once: what it writes is whole at any moment."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

_STOPS = (signal.SIGINT, signal.SIGTERM)


def end_on_signals(sentence: str = "", status: int | None = None) -> None:
    """End the process at SIGINT and SIGTERM, with `sentence` on stderr.

    Its exit status is `status`, by default what a shell gives. One that is ignored, as a shell
    does for what runs in `&`, stays so; one that was blocked until now comes now.
    """
    for number in _STOPS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: end_process(number, sentence, status))
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)


def end_process(number: int, sentence: str = "", status: int | None = None) -> NoReturn:
    """End the process as the signal `number` does, by default with the status that shells give it.

    Any thread may do so.
    """
    if sentence:
        with suppress(OSError):  # nobody reads it
            os.write(2, f"{sentence}\n".encode())
    os._exit(128 + number if status is None else status)


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Block SIGINT here, and for processes that are started here, until they unblock it.

    Ctrl-C reaches each of them, and one that still loads Python prints a traceback. Windows has no
    such mask.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
