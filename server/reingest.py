"""An ingest beside the server: what was asked the last time comes in, a new generation goes out.

The command `python -m ingest` in a process of its own, and not the function in a thread: an
ingest takes the processor and hundreds of megabytes for as long as it embeds, and an answer
must not wait for either; and one that dies takes nothing with it. The index is handed over
as by any other ingest, by the switch of its generation. After the first ingest a process waits
for the next one with everything imported (`server.standby`).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from index.errors import IngestFailed
from server.standby import Standby

if TYPE_CHECKING:
    from collections.abc import Sequence

    from index.seen import Asked


ROOT = Path(__file__).resolve().parents[1]


class Reingest:
    """Ingests one folder into one index, again and again; called from one thread."""

    def __init__(
        self,
        content: Path,
        index: Path,
        ollama_host: str,
        program: Sequence[str] = ("ingest",),
        waiting: Sequence[str] = ("ingest.standby",),
    ) -> None:
        """`program` is the module that ingests, `waiting` the one that waits to be asked.

        Each with the arguments that come first; a benchmark has its own.
        """
        self._content = content
        self._index = index
        self._ollama_host = ollama_host
        self._program = program
        self.standby = Standby(lambda: _started(waiting))

    def __call__(self, asked: Asked) -> str:
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

    def arguments(self, asked: Asked) -> list[str]:
        """Write the command line that asks for the same as the last ingest did."""
        return [
            str(self._content),
            *("--index", str(self._index)),
            *(("--ollama-host", self._ollama_host) if self._ollama_host else ()),
            *(("--base-url", asked.base_url) if asked.base_url else ()),
            *(("--permalink", asked.permalink) if asked.permalink else ()),
            *(("--include-drafts",) if asked.include_drafts else ()),
            *(() if asked.index_descriptions else ("--no-descriptions",)),
        ]


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def _started(command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
