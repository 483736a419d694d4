"""A module that serves HTTP as a process of its own: its arguments in, where it listens out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from tests.support.paths import ROOT
from tests.support.ports import free_port, wait_until_listening

PATIENCE = 60.0
"""Seconds within which a server listens, even on a busy machine."""


@contextmanager
def served(module: Sequence[str], environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Run `python -m module … HOST:PORT` on loopback; gives the base URL, and ends it."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", *module, f"127.0.0.1:{port}"],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_listening(port, process, PATIENCE)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()
