"""Vectors that were paid for once: what is found again, what never is, what a kill may cost."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.types import EmbedderIdentity, Fingerprint
from blog_search_mcp.ingest import embedding_cache as cache_file
from blog_search_mcp.ingest.embedding_cache import EmbeddingCache
from tests.support.fakes import IDENTITY, vector_of
from tests.support.front import made

TEXTS = ["one", "two words", "三", "", "\ud83e", "a\x00b", "a" * 1_000_000]
MANY = [f"text {number}" for number in range(500)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "embeddings.db"


def put(path: Path, texts: list[str]) -> None:
    with EmbeddingCache(path, IDENTITY) as cache:
        cache.put(texts, np.stack([vector_of(text) for text in texts]))
    run_sql("PRAGMA wal_checkpoint(TRUNCATE)")(path)


def list_found(path: Path, texts: list[str], identity: EmbedderIdentity = IDENTITY) -> list[str]:
    """Which of `texts` are there, after a look at their vectors."""
    with EmbeddingCache(path, identity) as cache:
        vectors = cache.get(texts)
    for text, vector in vectors.items():
        np.testing.assert_array_equal(vector, vector_of(text), strict=True)
    return list(vectors)


def run_sql(*statements: str) -> Callable[[Path], None]:
    def run(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)

    return run


def test_a_key_stays_that_of_the_first_version_so_that_nobody_pays_again(path: Path) -> None:
    fingerprint = Fingerprint("0.1", "AACAPwAAAAAAAAAAAAAAAA==")
    identity = EmbedderIdentity("fake", "fake-1", "0", 4, "d: ", "q: ", fingerprint)
    with EmbeddingCache(path, identity) as cache:
        cache.put(["By night."], np.ones((1, 4), dtype=np.float32))
    with closing(sqlite3.connect(path)) as connection:
        [(key,)] = connection.execute("SELECT key FROM embeddings").fetchall()
    assert key.hex() == "7fc15318b8b7dbfa4722cae0f431ff2a"


def test_a_file_of_the_first_version_is_used_on(path: Path) -> None:
    run_sql(
        "CREATE TABLE embeddings (key BLOB PRIMARY KEY, vector BLOB, seal BLOB) WITHOUT ROWID",
        "CREATE TABLE canaries (identity TEXT, canaries TEXT)",
    )(path)
    put(path, TEXTS)
    assert list_found(path, TEXTS) == TEXTS
    assert not list(path.parent.glob("*.damaged*"))


def test_what_was_put_is_there_when_opened_again_and_nothing_else(path: Path) -> None:
    assert list_found(path, TEXTS) == []
    put(path, TEXTS)
    assert list_found(path, [*TEXTS, "never put"]) == TEXTS


@pytest.mark.parametrize(
    "change",
    [
        *({"kind": "other"}, {"model": "other"}, {"digest": "1" * 64}, {"dimension": 32}),
        *({"document_prefix": "search_document: "}, {"query_prefix": "search_query: "}),
    ],
)
def test_another_embedder_never_meets_these_vectors(change: dict[str, Any], path: Path) -> None:
    put(path, TEXTS)
    assert list_found(path, TEXTS, replace(IDENTITY, **change)) == []
    assert list_found(path, TEXTS) == TEXTS


def test_a_rebuild_takes_out_the_vectors_that_no_post_needs_and_no_other(tmp_path: Path) -> None:
    blog = made(tmp_path, {f"{n}.md": f"# Walk {n}\n\nPast {n} farms." for n in range(4)})
    cache = blog.index / "embeddings.db"
    first = count_rows(cache)
    for farms in ("mills", "wells"):
        blog.write({f"{n}.md": f"# Walk {n}\n\nPast {n} {farms}." for n in range(4)})
        assert blog.ingest().status == 0
    assert count_rows(cache) > first
    for options in ((), ("--model", "multilingual-e5-small")):
        assert blog.ingest("--rebuild", *options).status == 0
        assert count_rows(cache) == first
        assert " 0 texts embedded" in blog.ingest("--rebuild", *options).err


def count_rows(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        [(count,)] = connection.execute("SELECT count(*) FROM embeddings").fetchall()
    return int(count)


def overwrite_page(number: int, content: bytes) -> Callable[[Path], None]:
    def overwrite(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(number * 4096)
            file.write(content * 4096)

    return overwrite


DAMAGE: dict[str, Callable[[Path], object]] = {
    "its header overwritten": overwrite_page(0, b"x"),
    "a page in its middle overwritten": overwrite_page(4, b"\xff"),
    "half of it left": lambda path: os.truncate(path, path.stat().st_size // 2),
    "text in its place": lambda path: path.write_bytes(b"not a database " * 1000),
    "other columns": run_sql("DROP TABLE embeddings", "CREATE TABLE embeddings (x)"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_damaged_is_set_aside_and_said(damage: str, path: Path) -> None:
    for _ in range(2):
        put(path, MANY)
        DAMAGE[damage](path)
        with EmbeddingCache(path, IDENTITY) as cache:
            cache.get(MANY)
            assert len(cache.warnings) == 1
    assert len(list(path.parent.glob("*.damaged"))) == 1
    put(path, MANY)
    assert list_found(path, MANY) == MANY


def test_a_cache_that_another_program_locks_is_left_alone_and_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(path, MANY)
    monkeypatch.setattr(cache_file, "LOCK_TIMEOUT", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as locker:
        locker.execute("PRAGMA locking_mode = EXCLUSIVE")
        locker.execute("BEGIN EXCLUSIVE")
        with pytest.raises(IndexProblem, match=r"embeddings\.db"):
            list_found(path, MANY)
    assert list_found(path, MANY) == MANY
