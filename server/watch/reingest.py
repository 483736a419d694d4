"""Run an ingest in a process of its own.

A thread would not do: an ingest takes the processor and hundreds of megabytes for as long as it
embeds, answers must not wait for it, and one that dies must take nothing with it. The server
notices the new generation as after any other ingest.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from blog_search_mcp.index.content.last_ingest import IngestOptions
from blog_search_mcp.index.content.next_ingest import ingest_arguments
from blog_search_mcp.index.errors import IndexBusy, IngestFailed
from blog_search_mcp.index.store.generations import BUSY


def run_ingest(
    content: Path,
    index: Path,
    embedder_url: str,
    options: IngestOptions,
    program: Sequence[str] = ("blog_search_mcp.ingest",),
) -> str:
    """Ingest with these options and return the report's last line.

    `program` is the module to run with its first arguments; a benchmark has its own.

    Raises IngestFailed, or IndexBusy while another ingest is writing.
    """
    arguments = ingest_arguments(content, index, embedder_url, options)
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", *program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise IngestFailed(f"The ingest could not be started: {error.strerror}.") from error
    last_line = done.stderr.strip().rpartition("\n")[2]
    if done.returncode:
        reason = last_line or f"it ended with status {done.returncode}."
        failure = IndexBusy if last_line.startswith(BUSY) else IngestFailed
        raise failure(f"The newest posts could not be ingested: {reason}")
    return last_line
