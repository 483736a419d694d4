"""A real index and real server processes over it, for tests of what uses a server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.test_http_process import free_port
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[1]
KV = """---
title: What is a KV cache?
date: 2025-03-04
tags: [inference]
---
A KV cache keeps the keys and values of earlier tokens, so that each new token
costs one step of attention.

## Memory

Its size grows with the length of the context.
"""
SOUP = "# Onion soup\n\nBoil an onion in water and add salt.\n"
POSTS = {"inference/kv.md": KV, "soup.md": SOUP}


def indexed(folder: Path, posts: Mapping[str, str], *options: str) -> Path:
    """Write the posts, ingest them in a process of its own, and return the index."""
    for source, text in posts.items():
        path = folder / "content" / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "ingest", str(folder / "content"), *options]
    subprocess.run(
        [*command, "--index", str(folder / "index"), "--embedder", "embedded"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return folder / "index"


@contextmanager
def served(
    index: Path, *options: str, environment: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Serve over HTTP on a free port; gives the address of the MCP endpoint."""
    address = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "server", "--index", str(index), "--http", address, *options]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, env=environment) as process:
        try:
            until(lambda: _healthy(f"http://{address}/health"))
            yield f"http://{address}/mcp"
        finally:
            process.terminate()


def _healthy(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False
