"""A run over posts that have not changed, or hardly: how little it does."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.python import output_of

HEAVY = {"faiss", "tantivy", "numpy", "onnxruntime", "tokenizers", "markdown_it", "yaml"}
INGEST_AND_TELL = f"""
import sys
from blog_search_mcp.cli import run
status = run(sys.argv[1:])
print(status, {HEAVY} & set(sys.modules))
"""


def settled(path: Path) -> None:
    """Let a file lie as if it had been written a minute ago."""
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns - 60_000_000_000))


def write_soup(folder: Path) -> Path:
    """Write a content folder of one settled post; return it."""
    post = folder / "content" / "a.md"
    post.parent.mkdir()
    post.write_text("# Soup\n\nA leek.\n", encoding="utf-8")
    settled(post)
    return post.parent


def test_it_imports_nothing_heavy(tmp_path: Path) -> None:
    words = (write_soup(tmp_path), "--index", tmp_path / "index", "--embedder", "embedded")
    last = [output_of(INGEST_AND_TELL, "ingest", *words).splitlines()[-1] for _ in range(2)]
    assert last[0] != "0 set()"
    assert last[1] == "0 set()"
