"""The two servers that the suite asks, as processes of their own on loopback."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0
"""Seconds within which a server listens, even on a busy machine."""


@contextmanager
def blog_server(folder: Path) -> Iterator[str]:
    """Serve the posts of `content/`, ingested into `folder`; gives the address of `/mcp`."""
    index = ["--index", str(folder / "index")]
    ingest = ["-m", "ingest", "content", *index, "--embedder", "embedded"]
    subprocess.run([sys.executable, *ingest], cwd=ROOT, check=True, capture_output=True)
    with _running(["-m", "server", *index, "--http"]) as url:
        yield url


@contextmanager
def fixture_server(_folder: Path) -> Iterator[str]:
    """Serve the suite's fixtures; gives the address of `/mcp`."""
    with _running(["-m", "tests.conformance.fixture_server"]) as url:
        yield url


SERVERS = {"blog-server": blog_server, "fixture-server": fixture_server}


@contextmanager
def _running(arguments: list[str]) -> Iterator[str]:
    port = _free_port()
    process = subprocess.Popen(
        [sys.executable, *arguments, f"127.0.0.1:{port}"], cwd=ROOT, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}/mcp"
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
