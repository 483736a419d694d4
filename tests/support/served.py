"""A real index and real server processes over it, for tests of clients."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.support import front
from tests.support.paths import ROOT
from tests.support.ports import free_port
from tests.support.waiting import until

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


def write(content: Path, posts: Mapping[str, str]) -> Path:
    """Write posts, given by source, below `content`; return `content`."""
    front.Blog(content, content).write(posts)
    return content


def indexed(folder: Path, posts: Mapping[str, str], *options: str) -> Path:
    """Write the posts and ingest them with the packaged embedder; return the index folder."""
    return front.made(folder, posts, *options).index


@contextmanager
def serving(
    index: Path | str,
    *options: str,
    environment: Mapping[str, str] | None = None,
    stderr: int = subprocess.DEVNULL,
    program: Sequence[str] = ("-m", "blog_search_mcp.server"),
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Serve over HTTP on a free port; yield the URL of the MCP endpoint, and the process."""
    address = f"127.0.0.1:{free_port()}"
    start = [sys.executable, *program, "--index", str(index), *options]
    with subprocess.Popen(
        [*start, "--http", address],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=environment,
    ) as process:
        try:
            until(lambda: _healthy(f"http://{address}/health"))
            yield f"http://{address}/mcp", process
        finally:
            process.terminate()


@contextmanager
def served(
    index: Path, *options: str, environment: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Serve over HTTP on a free port; yield the URL of the MCP endpoint."""
    with serving(index, *options, environment=environment) as (url, _):
        yield url


def _healthy(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False
