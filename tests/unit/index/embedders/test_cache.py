"""Vectors that were paid for once: what is found again, what never is, what a kill may cost."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blog_search_mcp.index.embedders import cache as cache_file
from blog_search_mcp.index.embedders.cache import open_cache
from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.types import EmbedderIdentity, Fingerprint
from tests.support.fakes import IDENTITY, vector_of
from tests.support.faults import cache_damage
from tests.support.front import made
from tests.support.paths import ROOT

TEXTS = ["one", "two words", "三", "", "\ud83e", "a\x00b", "a" * 1_000_000]
MANY = [f"text {number}" for number in range(500)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "embeddings.db"


def put(path: Path, texts: list[str], identity: EmbedderIdentity = IDENTITY) -> None:
    with open_cache(path, identity) as cache:
        cache.put(texts, np.stack([vector_of(text) for text in texts]))


def list_found(path: Path, texts: list[str], identity: EmbedderIdentity = IDENTITY) -> list[str]:
    """Which of `texts` are there, after a look at their vectors."""
    with open_cache(path, identity) as cache:
        vectors = cache.get(texts)
    for text, vector in vectors.items():
        np.testing.assert_array_equal(vector, vector_of(text))
        assert vector.dtype == np.float32
    return list(vectors)


def test_a_key_stays_that_of_the_first_version_so_that_nobody_pays_again(path: Path) -> None:
    fingerprint = Fingerprint("0.1", "AACAPwAAAAAAAAAAAAAAAA==")
    identity = EmbedderIdentity("fake", "fake-1", "0", 4, "d: ", "q: ", fingerprint)
    with open_cache(path, identity) as cache:
        cache.put(["By night."], np.ones((1, 4), dtype=np.float32))
    with closing(sqlite3.connect(path)) as connection:
        [(key,)] = connection.execute("SELECT key FROM embeddings").fetchall()
    assert key.hex() == "7fc15318b8b7dbfa4722cae0f431ff2a"


def test_what_was_put_is_there_when_opened_again_and_nothing_else(path: Path) -> None:
    assert list_found(path, TEXTS) == []
    put(path, TEXTS)
    assert list_found(path, [*TEXTS, "never put"]) == TEXTS


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "other"},
        {"model": "other"},
        {"digest": "1" * 64},
        {"dimension": 32},
        {"document_prefix": "search_document: "},
        {"query_prefix": "search_query: "},
    ],
)
def test_another_embedder_never_meets_these_vectors(
    change: dict[str, str | int], path: Path
) -> None:
    put(path, TEXTS)
    assert list_found(path, TEXTS, replace(IDENTITY, **change)) == []  # type: ignore[arg-type]
    assert list_found(path, TEXTS) == TEXTS


DAMAGE = {**cache_damage.DAMAGED, **cache_damage.OTHER_COLUMNS, **cache_damage.FOREIGN}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_damaged_or_not_ours_is_set_aside_and_said(damage: str, path: Path) -> None:
    put(path, MANY)
    cache_damage.checkpointed(path)
    for _ in range(2):
        DAMAGE[damage](path)
        with open_cache(path, IDENTITY) as cache:
            cache.get(MANY)
            cache.put(MANY, np.stack([vector_of(text) for text in MANY]))
            assert len(cache.warnings) == 1
        cache_damage.checkpointed(path)
        assert list_found(path, MANY) == MANY
    assert len(list(path.parent.glob("*.damaged*"))) == 2


@pytest.mark.parametrize("damage", cache_damage.LOST)
def test_a_cache_that_is_gone_begins_anew(damage: str, path: Path) -> None:
    put(path, MANY)
    cache_damage.checkpointed(path)
    cache_damage.LOST[damage](path)
    assert list_found(path, MANY) == []


def test_a_vector_with_a_flipped_bit_is_made_anew(path: Path) -> None:
    put(path, MANY)
    cache_damage.FLIPPED["a bit flipped in each vector"](path)
    assert list_found(path, MANY) == []
    put(path, MANY)
    assert list_found(path, MANY) == MANY


def test_a_cache_that_another_program_locks_is_left_alone_and_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(path, MANY)
    monkeypatch.setattr(cache_file, "LOCK_TIMEOUT", 0.01)
    command = [sys.executable, "-c", cache_damage.LOCKER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as locker:
        assert locker.stdin is not None
        assert locker.stdout is not None
        locker.stdout.readline()
        with pytest.raises(IndexProblem, match=r"embeddings\.db"):
            list_found(path, MANY)
        locker.stdin.close()
    assert list_found(path, MANY) == MANY


def test_a_damaged_cache_costs_an_ingest_embeddings_and_nothing_else(tmp_path: Path) -> None:
    blog = made(tmp_path, {"soup.md": "# Soup\n\nBoil an onion in water."})
    [cache] = blog.index.glob("embeddings*")
    cache_damage.DAMAGED["text in its place"](cache)
    ran = blog.ingest("--rebuild")
    assert (ran.status, "damaged" in ran.out + ran.err) == (0, True)
    assert blog.sources("onion soup") == ["soup.md"]


KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
from blog_search_mcp.index.embedders.cache import open_cache
from tests.support.fakes import IDENTITY, vector_of
with open_cache(Path(sys.argv[1]), IDENTITY) as cache:
    cache.put(["one"], np.stack([vector_of("one")]))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_put_returned_from_survives_a_kill(path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", KILLED, path], cwd=ROOT, check=False)
    assert ran.returncode == -signal.SIGKILL
    assert list_found(path, ["one"]) == ["one"]
