"""An ingest beside the server: what was asked the last time comes in, a new generation goes out.

The command `python -m ingest` in a process of its own, and not the function in a thread: an
ingest takes the processor and hundreds of megabytes for as long as it embeds, and an answer
must not wait for either; and one that dies takes nothing with it. The index is handed over
as by any other ingest, by the switch of its generation.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from index.errors import IngestFailed

if TYPE_CHECKING:
    from index.seen import Asked


@dataclass(frozen=True, slots=True)
class Reingest:
    """Ingests one folder into one index, again and again."""

    content: Path
    index: Path
    ollama_host: str
    program: tuple[str, ...] = ("ingest",)
    """The module that ingests, with the arguments that come first; a benchmark has its own."""

    def __call__(self, asked: Asked) -> str:
        """Ingest, and return the report's last line. Raises IngestFailed."""
        try:
            done = subprocess.run(
                [sys.executable, "-m", *self.program, *self.arguments(asked)],
                cwd=Path(__file__).resolve().parents[1],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                check=False,
            )
        except OSError as error:
            raise IngestFailed(f"The ingest could not be started: {error.strerror}.") from error
        said = done.stderr.strip().rpartition("\n")[2]
        if done.returncode:
            reason = said or f"it ended with status {done.returncode}."
            raise IngestFailed(f"The newest posts could not be ingested: {reason}")
        return said

    def arguments(self, asked: Asked) -> list[str]:
        """Write the command line that asks for the same as the last ingest did."""
        return [
            str(self.content),
            *("--index", str(self.index)),
            *(("--ollama-host", self.ollama_host) if self.ollama_host else ()),
            *(("--base-url", asked.base_url) if asked.base_url else ()),
            *(("--permalink", asked.permalink) if asked.permalink else ()),
            *(("--include-drafts",) if asked.include_drafts else ()),
            *(() if asked.index_descriptions else ("--no-descriptions",)),
        ]
