"""The two servers that the suite asks, as processes of their own on loopback."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blog_search_mcp.server.http.app import PATH
from tests.conformance.served import served
from tests.support.paths import ROOT


@contextmanager
def blog_server(folder: Path) -> Iterator[str]:
    """Serve the posts of `content/`, ingested into `folder`; gives the address of `/mcp`."""
    index = ["--index", str(folder / "index")]
    ingest = ["-m", "blog_search_mcp.ingest", "content", *index, "--embedder", "embedded"]
    subprocess.run([sys.executable, *ingest], cwd=ROOT, check=True, capture_output=True)
    with served(["server", *index, "--http"]) as url:
        yield url + PATH


@contextmanager
def fixture_server(_folder: Path) -> Iterator[str]:
    """Serve the suite's fixtures; gives the address of `/mcp`."""
    with served(["tests.conformance.fixture_server"]) as url:
        yield url + PATH


SERVERS = {"blog-server": blog_server, "fixture-server": fixture_server}
