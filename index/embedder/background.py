"""Work in the background and waiting for it, so that nothing of ours hangs on somebody else.

Threads and the clock are here alone; what decides by them takes a `Time` from outside.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Time(Protocol):
    """What waiting needs of the world."""

    def now(self) -> float:
        """Seconds since some moment; never goes back."""
        ...

    def wait(self, work: Future[Any], seconds: float) -> bool:
        """Wait until `work` has ended, but no longer than this; whether it has."""
        ...


class RealTime:
    """The time of this machine."""

    def now(self) -> float:
        """As Time."""
        return time.monotonic()

    def wait(self, work: Future[Any], seconds: float) -> bool:
        """As Time."""
        return bool(wait([work], seconds).done)


def in_background(work: Callable[[], T]) -> Future[T]:
    """Start `work` in a thread that the process does not wait for at its end."""
    ended: Future[T] = Future()

    def run() -> None:
        try:
            ended.set_result(work())
        except BaseException as error:  # whatever it is, it belongs to who waits
            ended.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return ended
