"""A Milvus server of the tests' own: milvus-lite, on a free port of loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from blog_search_mcp.index.milvus.client import Milvus

READY_SECONDS: Final = 180.0

MISSING: Final = (
    None
    if find_spec("milvus_lite") and find_spec("pymilvus")
    else "milvus-lite, the server of these tests, is not installed"
)


def free_port() -> int:
    """A port that nobody listened on a moment ago."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@contextmanager
def serving(folder: Path, port: int | None = None) -> Iterator[str]:
    """Serve the data in `folder` for the length of a block; yields the address."""
    port = port or free_port()
    command = [sys.executable, "-m", "milvus_lite", "server", "--data-dir", str(folder)]
    with subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            _wait(process, port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    """Wait until the server takes connections."""
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"the Milvus server does not start: {process.poll()}")


SHARED: Final = "shared"
"""How the names of indexes begin that tests share."""


def clear(milvus: Milvus) -> None:
    """Drop everything that tests do not share, and the aliases with it."""
    for name in milvus.collections():
        if not name.startswith(SHARED):
            milvus.drop(name)


BINARY: Final = "MILVUS_SERVER"
"""The environment variable with the path of `milvus-server`, of the package milvus 2.3.5."""


@contextmanager
def serving_engine(binary: str, folder: Path) -> Iterator[str]:
    """Serve by the C++ engine of an older Milvus, without sparse vectors; yields the address."""
    port = free_port()
    with subprocess.Popen(
        [binary, "--data", str(folder), "--proxy-port", str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # the wrapper leaves its child running
    ) as process:
        try:
            _wait(process, port)
            yield f"http://127.0.0.1:{port}"
        finally:
            for signal_number in (signal.SIGTERM, signal.SIGKILL):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal_number)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(10)
