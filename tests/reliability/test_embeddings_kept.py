"""Embeddings that were paid for are kept by a disk that was full."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.types import Answer, Filters, Vectors
from tests.support.blog import Blog
from tests.support.fakes import IDENTITY, FakeEmbedder, vector_of

WIDE = 384
QUERIES = ("onion soup", "how is a pear poached in cider?", "swarm", "the pendulum of a clock")
WORDS = ("onion", "soup", "leek", "pear", "cider", "loaf", "dough", "swarm", "pendulum", "clock")


class WideEmbedder(FakeEmbedder):
    """The fake with vectors as long as those of all-MiniLM-L6-v2, which fill a disk sooner."""

    def __init__(self) -> None:
        super().__init__(replace(IDENTITY, dimension=WIDE))

    def embed_documents(self, texts: Any) -> Vectors:
        self.documents += texts
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        return np.pad(vector_of(text), (0, WIDE - len(vector_of(text))))


def count_rows(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        [number] = connection.execute("SELECT count(*) FROM embeddings").fetchone()
    return int(number)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own; `resize` it before use."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if not sys.platform.startswith("linux") or subprocess.run(command, check=False).returncode:
        pytest.skip("a disk can be mounted here by the superuser of Linux alone")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def resize(disk: Path, kilobytes: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", str(disk)], check=True)


def some_posts() -> dict[str, str]:
    rng = np.random.default_rng(9)
    return {
        f"{post}.md": f"# Note {post}\n\n"
        + "\n\n".join(" ".join(rng.choice(WORDS, 300)) for _ in range(4))
        for post in range(40)
    }


def answers(made: Blog) -> list[Answer]:
    reader = made.reader()
    return [reader.search(query, Filters(), limit=10, offset=0) for query in QUERIES]


@pytest.mark.parametrize("kilobytes", [600, 1000, 1500, 2200, 3000])
def test_a_disk_that_was_full_keeps_every_embedding_for_the_next_run(
    kilobytes: int, small_disk: Path, tmp_path: Path
) -> None:
    whole = Blog(tmp_path / "content", tmp_path / "index", WideEmbedder())
    whole.content.mkdir()
    whole.write(some_posts())
    texts = whole.ingest().embedded
    small = Blog(whole.content, small_disk / "index", WideEmbedder())
    resize(small_disk, kilobytes)
    for _ in range(2):
        with pytest.raises(IndexProblem, match=r"[Cc]heck the disk's space") as raised:
            small.ingest()
        assert "\n" not in str(raised.value)
    resize(small_disk, 100_000)
    before = count_rows(small.layout.cache)
    report = small.ingest()
    assert 0 < before <= texts
    assert (report.embedded, report.warnings) == (texts - before, ())
    assert count_rows(small.layout.cache) == texts
    assert not list(small.index.glob("*.damaged*"))
    assert answers(small) == answers(whole)
