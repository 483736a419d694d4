"""Run an ingest in a process of its own, which ends with this one, however that ends.

Answers must not wait for an ingest, which takes the processor and hundreds of megabytes, and one
that dies must take nothing with it. The server notices the new generation as after any ingest.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from blog_search_mcp.index.errors import IngestFailed
from blog_search_mcp.index.posts.last_ingest import (
    STOP_WITH_STDIN,
    IngestOptions,
    ingest_arguments,
)
from blog_search_mcp.index.stores import Location


def run_ingest(
    content: Path,
    index: Location,
    embedder_url: str,
    options: IngestOptions,
    program: Sequence[str] = ("blog_search_mcp.ingest",),
) -> tuple[str, ...]:
    """Ingest with these options and return the lines of the report. Raises IngestFailed.

    `program` is the module to run with its first arguments; a benchmark has its own.
    """
    arguments = ingest_arguments(content, index, embedder_url, options)
    held, holding = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", *program, *arguments, "--json", STOP_WITH_STDIN],
            stdin=held,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    finally:
        os.close(held)
        os.close(holding)
    lines = tuple(done.stderr.splitlines())
    if done.returncode:
        failed = "The newest posts could not be ingested"
        reason = lines[-1] if lines else f"it ended with status {done.returncode}."
        told = "the server's log says more."
        with suppress(ValueError, LookupError):  # it was killed before it wrote anything
            told = json.loads(done.stdout)["error"]
        raise IngestFailed(f"{failed}: {reason}", for_clients=f"{failed}: {told}")
    return lines
