"""A process that waits to be asked for an ingest: arguments in, what became of it out.

Whatever becomes of the one that waits, nothing is lost but time: if it has not taken its
arguments, the caller starts another.
"""

from __future__ import annotations

import json
import subprocess
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TAKEN = "taken"
"""What the process writes once it has its arguments (`ingest.standby`)."""

REST = 1.0
"""Seconds between an ingest and the start of the next one to wait: the new generation is opened
and searched in them."""


class Standby:
    """At most one process, for one thread that asks."""

    def __init__(self, start: Callable[[], subprocess.Popen[str]]) -> None:
        """`start` starts one that waits, with its three pipes. Raises OSError."""
        self._start = start
        self._lock = threading.Lock()
        self._waiting: subprocess.Popen[str] | None = None

    def run(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[str] | None:
        """Have the process run with these arguments; `None` if none has taken them."""
        process = self._taken()
        if process is None:
            return None
        said, complained = process.communicate(json.dumps(arguments) + "\n")
        if not said.startswith(TAKEN):
            return None
        return subprocess.CompletedProcess(arguments, process.returncode, said, complained)

    @property
    def waits(self) -> bool:
        """Whether there is one."""
        return self._waiting is not None

    def renew(self) -> None:
        """Start one in a while, in the background."""
        timer = threading.Timer(REST, self.start)
        timer.daemon = True
        timer.start()

    def start(self) -> None:
        """Start one, unless one waits. Raises OSError."""
        with self._lock:
            if self._waiting is not None and self._waiting.poll() is None:
                return
            ended, self._waiting = self._waiting, self._start()
        if ended is not None:
            ended.communicate()

    def end(self) -> None:
        """End the process that waits, if any does."""
        if (process := self._taken()) is not None:
            process.communicate()

    def _taken(self) -> subprocess.Popen[str] | None:
        with self._lock:
            process, self._waiting = self._waiting, None
        return process
