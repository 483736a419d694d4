"""Run an ingest in a process of its own.

A thread would not do: an ingest takes the processor and hundreds of megabytes for as long as it
embeds, answers must not wait for it, and one that dies must take nothing with it. The server
notices the new generation as after any other ingest. It ends with the server, however that ends:
its stdin is a pipe of which the server has the other end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from blog_search_mcp.index.errors import IngestFailed
from blog_search_mcp.index.posts.last_ingest import IngestOptions
from blog_search_mcp.index.posts.next_ingest import STOP_WITH_STDIN, ingest_arguments
from blog_search_mcp.index.stores import Location

MOST_SECONDS = 2 * 60 * 60
"""After which an ingest is ended, for one that hangs would be waited for for ever. 24,000 chunks
take an hour with a slow Ollama; one of more that is ended is started again, and goes on with the
embeddings that it has made."""


def run_ingest(
    content: Path,
    index: Location,
    embedder_url: str,
    options: IngestOptions,
    program: Sequence[str] = ("blog_search_mcp.ingest",),
) -> tuple[str, ...]:
    """Ingest with these options and return the lines of the report.

    `program` is the module to run with its first arguments; a benchmark has its own.

    Raises IngestFailed.
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
            timeout=MOST_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise IngestFailed(
            f"The newest posts could not be ingested within {MOST_SECONDS // 3600} hours. The "
            "ingest was ended; the next one goes on with the embeddings that it made."
        ) from error
    except OSError as error:
        raise IngestFailed(f"The ingest could not be started: {error.strerror}.") from error
    finally:
        os.close(held)
        os.close(holding)
    lines = tuple(done.stderr.splitlines())
    if done.returncode:
        failed, ended = "The newest posts could not be ingested", f"status {done.returncode}"
        told = _read_error(done.stdout) or f"it ended with {ended}; the server's log says more."
        reason = lines[-1] if lines else f"it ended with {ended}."
        raise IngestFailed(f"{failed}: {reason}", for_clients=f"{failed}: {told}")
    return lines


def _read_error(output: str) -> str:
    """Return what clients may know of a failed ingest, empty if it wrote nothing of it."""
    try:
        return str(json.loads(output)["error"])
    except (ValueError, LookupError, TypeError):
        return ""
