"""A Milvus server for the tests: milvus-lite, on a free port of loopback."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.support.ports import free_port, wait_until_listening

if TYPE_CHECKING:
    from blog_search_mcp.index.milvus.client import Milvus

READY_SECONDS: Final = 180.0

MISSING: Final = (
    None
    if find_spec("milvus_lite") and find_spec("pymilvus")
    else "milvus-lite, the server of these tests, is not installed"
)


@contextmanager
def serving(folder: Path, port: int | None = None) -> Iterator[str]:
    """Serve the data in `folder` during a `with` block; yield the address."""
    port = port or free_port()
    command = [sys.executable, "-m", "milvus_lite", "server", "--data-dir", str(folder)]
    with subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            wait_until_listening(port, process, READY_SECONDS)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()


SHARED: Final = "shared"
"""Prefix of the names of indexes that tests share."""


def clear(milvus: Milvus) -> None:
    """Drop all collections that tests do not share, with their aliases."""
    for name in milvus.ask("list_collections"):
        if not name.startswith(SHARED):
            milvus.ask("drop_collection", name)
