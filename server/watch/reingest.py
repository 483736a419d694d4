"""An ingest beside the server: what was asked the last time comes in, a new generation goes out.

The command `python -m ingest` in a process of its own, and not the function in a thread: an
ingest takes the processor and hundreds of megabytes for as long as it embeds, and an answer
must not wait for either; and one that dies takes nothing with it. The index is handed over
as by any other ingest, by the switch of its generation. After the first ingest a process waits
for the next one with everything imported (`server.watch.reingest`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.errors import IngestFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from blog_search_mcp.index.content.last_ingest import IngestOptions

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


class Reingest:
    """Ingests one folder into one index, again and again; called from one thread."""

    def __init__(
        self,
        content: Path,
        index: Path,
        embedder_url: str,
        program: Sequence[str] = ("blog_search_mcp.ingest",),
        waiting: Sequence[str] = ("blog_search_mcp.ingest.standby",),
    ) -> None:
        """`program` is the module that ingests, `waiting` the one that waits to be asked.

        Each with the arguments that come first; a benchmark has its own.
        """
        self._content = content
        self._index = index
        self._embedder_url = embedder_url
        self._program = program
        self.standby = Standby(lambda: _started(waiting))

    def __call__(self, asked: IngestOptions) -> str:
        """Ingest, and return the report's last line. Raises IngestFailed."""
        arguments = self.arguments(asked)
        try:
            done = self.standby.run(arguments) or _run([*self._program, *arguments])
        except OSError as error:
            raise IngestFailed(f"The ingest could not be started: {error.strerror}.") from error
        said = done.stderr.strip().rpartition("\n")[2]
        if done.returncode:
            reason = said or f"it ended with status {done.returncode}."
            raise IngestFailed(f"The newest posts could not be ingested: {reason}")
        self.standby.renew()
        return said

    def arguments(self, asked: IngestOptions) -> list[str]:
        """Write the command line that asks for the same as the last ingest did."""
        return [
            str(self._content),
            *("--index", str(self._index)),
            *(("--embedder-url", self._embedder_url) if self._embedder_url else ()),
            *(("--base-url", asked.base_url) if asked.base_url else ()),
            *(("--permalink", asked.permalink) if asked.permalink else ()),
            *(("--include-drafts",) if asked.include_drafts else ()),
            *(() if asked.index_descriptions else ("--no-descriptions",)),
        ]


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def _started(command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
