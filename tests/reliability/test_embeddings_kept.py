"""Embeddings that were paid for: whatever SQLite or the disk says, what can be read is kept."""

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

from blog_search_mcp.index.embedders import cache as cache_file
from blog_search_mcp.index.embedders.cache import open_cache
from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.types import Answer, Filters, Vectors
from tests.support.blog import Blog
from tests.support.fakes import IDENTITY, FakeEmbedder, vector_of
from tests.support.faults import cache_damage

WIDE = 384
TEXTS = [f"text {number}" for number in range(256)]
QUERIES = ("onion soup", "how is a pear poached in cider?", "swarm", "the pendulum of a clock")
WORDS = ("onion", "soup", "leek", "pear", "cider", "loaf", "dough", "swarm", "pendulum", "clock")

CODES: dict[str, int | None] = {
    "no code, as of Python itself": None,
    **{
        name: vars(sqlite3)[name]
        for name in (
            "SQLITE_ERROR",
            "SQLITE_INTERNAL",
            "SQLITE_PERM",
            "SQLITE_BUSY",
            "SQLITE_LOCKED",
            "SQLITE_NOMEM",
            "SQLITE_READONLY",
            "SQLITE_IOERR",
            "SQLITE_CORRUPT",
            "SQLITE_FULL",
            "SQLITE_CANTOPEN",
            "SQLITE_PROTOCOL",
            "SQLITE_MISUSE",
            "SQLITE_NOTADB",
        )
    },
}


class WideEmbedder(FakeEmbedder):
    """The fake with vectors as long as those of all-MiniLM-L6-v2, which fill a disk sooner."""

    def __init__(self) -> None:
        super().__init__(replace(IDENTITY, dimension=WIDE))

    def embed_documents(self, texts: Any) -> Vectors:
        self.documents += texts
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        return np.pad(vector_of(text), (0, WIDE - len(vector_of(text))))


class Failing:
    """A connection whose every statement about vectors fails."""

    def __init__(self, real: sqlite3.Connection, error: sqlite3.DatabaseError) -> None:
        self._real, self._error = real, error

    def execute(self, *_arguments: object) -> None:
        raise self._error

    def close(self) -> None:
        self._real.close()


def error_of(code: int | None) -> sqlite3.DatabaseError:
    if code is None:
        return sqlite3.ProgrammingError("Cannot operate on a closed database.")
    error = sqlite3.DatabaseError("as the test says")
    error.sqlite_errorcode = code
    return error


def count_rows(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        [number] = connection.execute("SELECT count(*) FROM embeddings").fetchone()
    return int(number)


@pytest.fixture
def paid(tmp_path: Path) -> Path:
    """A cache with the vectors of TEXTS."""
    path = tmp_path / "embeddings.db"
    with open_cache(path, IDENTITY) as cache:
        cache.put(TEXTS, np.stack([vector_of(text) for text in TEXTS]))
    return path


DAMAGE = {"SQLITE_ERROR", "SQLITE_CORRUPT", "SQLITE_NOTADB"}
"""What a file is set aside for, if a second connection says it too."""


@pytest.mark.parametrize(
    ("what", "times"),
    [(what, 1) for what in CODES] + [(what, 1000) for what in CODES if what not in DAMAGE],
)
def test_no_error_has_a_readable_cache_set_aside(
    what: str, times: int, paid: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, error, left = cache_file._connect, error_of(CODES[what]), [times]
    with open_cache(paid, IDENTITY) as cache:
        cache.close()

        def failing(path: Path) -> Any:
            left[0] -= 1
            return Failing(connect(path), error) if left[0] >= 0 else connect(path)

        monkeypatch.setattr(cache_file, "_connect", failing)
        try:
            found = cache.get(TEXTS)
        except IndexProblem:
            found = {}
        monkeypatch.undo()
    assert len(found) in (0, len(TEXTS))
    assert sorted(path.name for path in paid.parent.iterdir()) == ["embeddings.db"]
    assert count_rows(paid) == len(TEXTS)
    with open_cache(paid, IDENTITY) as again:
        assert len(again.get(TEXTS)) == len(TEXTS)
        assert again.warnings == ()


def test_a_connection_that_was_closed_is_opened_again(paid: Path) -> None:
    with open_cache(paid, IDENTITY) as cache:
        assert cache._connection is not None
        cache._connection.close()
        assert len(cache.get(TEXTS)) == len(TEXTS)
        assert cache.warnings == ()
    assert sorted(path.name for path in paid.parent.iterdir()) == ["embeddings.db"]


def test_what_another_version_made_is_never_written_over(paid: Path) -> None:
    for _ in range(2):
        cache_damage.FOREIGN["a newer version"](paid)
        with open_cache(paid, IDENTITY) as cache:
            cache.put(TEXTS, np.stack([vector_of(text) for text in TEXTS]))
    kept = sorted(path.name for path in paid.parent.iterdir())
    assert kept == ["embeddings.db", "embeddings.db.damaged", "embeddings.db.damaged-2"]
    assert [count_rows(paid.parent / name) for name in kept] == [len(TEXTS)] * 3


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
