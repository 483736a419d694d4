"""A module that serves HTTP as a process of its own: its arguments in, where it listens out."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from tests.support.paths import ROOT

PATIENCE = 60.0
"""Seconds within which a server listens, even on a busy machine."""


@contextmanager
def served(module: Sequence[str], environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Run `python -m module … HOST:PORT` on loopback; gives the base URL, and ends it."""
    port = _free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", *module, f"127.0.0.1:{port}"],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"The server does not listen; its exit status: {process.poll()}.")
