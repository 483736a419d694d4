"""Vectors that were paid for once: what is found again, what never is, what a kill may cost."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from blog_search_mcp.index.embedders import cache as cache_file
from blog_search_mcp.index.embedders.cache import open_cache
from blog_search_mcp.index.types import EmbedderIdentity, Filters, Fingerprint
from tests.support.fakes import IDENTITY, vector_of
from tests.support.faults import cache_damage
from tests.support.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blog_search_mcp.index.types import Vectors
    from tests.support.blog import MakeBlog

TEXTS = ["one", "two words", "三"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "embeddings.db"


def rows(texts: list[str]) -> Vectors:
    return np.stack([vector_of(text) for text in texts])


def put(path: Path, texts: list[str], identity: EmbedderIdentity = IDENTITY) -> None:
    with open_cache(path, identity) as cache:
        cache.put(texts, rows(texts))


def found(path: Path, texts: list[str], identity: EmbedderIdentity = IDENTITY) -> list[str]:
    """Which of `texts` are there, after a look at their vectors."""
    with open_cache(path, identity) as cache:
        known = cache.get(texts)
    for text, vector in known.items():
        np.testing.assert_array_equal(vector, vector_of(text))
        assert vector.dtype == np.float32
    return list(known)


def test_a_key_stays_that_of_the_first_version_so_that_nobody_pays_again(path: Path) -> None:
    fingerprint = Fingerprint("0.1", "AACAPwAAAAAAAAAAAAAAAA==")
    identity = EmbedderIdentity("fake", "fake-1", "0", 4, "d: ", "q: ", fingerprint)
    with open_cache(path, identity) as cache:
        cache.put(["By night."], np.ones((1, 4), dtype=np.float32))
    connection = sqlite3.connect(path)
    [(key,)] = connection.execute("SELECT key FROM embeddings").fetchall()
    connection.close()
    assert key.hex() == "7fc15318b8b7dbfa4722cae0f431ff2a"


def test_what_was_put_is_there_when_opened_again(path: Path) -> None:
    put(path, TEXTS)
    assert found(path, ["two words", "never put", "三"]) == ["two words", "三"]


def test_a_new_cache_knows_nothing(path: Path) -> None:
    assert found(path, TEXTS) == []


def test_a_text_put_twice_has_its_latest_vector(path: Path) -> None:
    with open_cache(path, IDENTITY) as cache:
        cache.put(["a"], rows(["something else"]))
        cache.put(["a"], rows(["a"]))
    assert found(path, ["a"]) == ["a"]


@pytest.mark.parametrize("text", ["", "\ud83e", "a\x00b", "a" * 1_000_000])
def test_any_text_is_a_key(text: str, path: Path) -> None:
    with open_cache(path, IDENTITY) as cache:
        cache.put([text], rows(["x"]))
        assert list(cache.get([text, text + "."])) == [text]


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
    assert found(path, TEXTS, replace(IDENTITY, **change)) == []  # type: ignore[arg-type]
    assert found(path, TEXTS) == TEXTS


MANY = [f"text {number}" for number in range(500)]
SET_ASIDE = (
    "The embedding cache was damaged and is kept as embeddings.db.damaged, and texts are embedded "
    "anew."
)
NOT_OURS = (
    "The embedding cache was no embeddings.db of this version of blog-search-mcp. It is kept as "
    "embeddings.db.damaged, and texts are embedded anew."
)


def mended(path: Path) -> tuple[list[str], tuple[str, ...]]:
    """Which texts are found after an ingest put them in again, and what it said."""
    with open_cache(path, IDENTITY) as cache:
        known = cache.get(MANY)
        assert all(np.array_equal(known[text], vector_of(text)) for text in known)
        cache.put(["one more"], rows(["one more"]))
    return list(known), cache.warnings


@pytest.fixture
def full(path: Path) -> Path:
    put(path, MANY)
    cache_damage.checkpointed(path)
    return path


@pytest.mark.parametrize("damage", cache_damage.DAMAGED)
def test_a_damaged_cache_is_set_aside_and_said(damage: str, full: Path) -> None:
    cache_damage.DAMAGED[damage](full)
    assert mended(full)[1] == (SET_ASIDE,)
    assert full.with_name("embeddings.db.damaged").exists()
    assert found(full, ["one more"]) == ["one more"]
    with open_cache(full, IDENTITY) as cache:
        assert cache.warnings == ()


@pytest.mark.parametrize("damage", cache_damage.OTHER_COLUMNS)
def test_a_cache_of_other_columns_is_set_aside(damage: str, full: Path) -> None:
    cache_damage.OTHER_COLUMNS[damage](full)
    assert mended(full) == ([], (SET_ASIDE,))


@pytest.mark.parametrize("damage", cache_damage.FOREIGN)
def test_what_is_no_cache_of_ours_is_set_aside_whole(damage: str, full: Path) -> None:
    cache_damage.FOREIGN[damage](full)
    assert mended(full) == ([], (NOT_OURS,))
    assert found(full, ["one more"]) == ["one more"]


@pytest.mark.parametrize("damage", cache_damage.LOST)
def test_a_cache_that_is_gone_begins_anew(damage: str, full: Path) -> None:
    cache_damage.LOST[damage](full)
    assert mended(full) == ([], ())


def test_a_vector_with_a_flipped_bit_is_made_anew(full: Path) -> None:
    cache_damage.FLIPPED["a bit flipped in each vector"](full)
    assert mended(full) == ([], ("Damaged vectors in the embedding cache, made anew: 500.",))
    put(full, MANY)
    assert mended(full) == (MANY, ())


def test_an_earlier_damaged_cache_makes_room_for_the_next(full: Path) -> None:
    for _ in range(2):
        cache_damage.DAMAGED["text in its place"](full)
        assert mended(full)[1] == (SET_ASIDE,)
    assert [each.name for each in sorted(full.parent.glob("*.damaged"))] == [
        "embeddings.db.damaged"
    ]


def test_a_cache_that_fails_in_the_middle_of_a_run_is_mended_there(full: Path) -> None:
    with open_cache(full, IDENTITY) as cache:
        assert len(cache.get(MANY)) == 500
        cache_damage.DAMAGED["text in its place"](full)
        cache.put(["late"], rows(["late"]))
        assert list(cache.get(["late"])) == ["late"]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    command = [sys.executable, "-c", cache_damage.LOCKER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as locker:
        assert locker.stdin is not None
        assert locker.stdout is not None
        locker.stdout.readline()
        try:
            yield
        finally:
            locker.stdin.close()


def test_a_cache_that_another_program_locks_is_left_alone(
    full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_file, "LOCK_TIMEOUT", 0.01)
    with locked(full):
        known, said = mended(full)
    assert known == []
    assert said == (
        "The embedding cache embeddings.db cannot be used (database is locked), so this run "
        "embeds every text it needs and keeps none. Free the file, and the next run uses it "
        "again.",
    )
    assert found(full, MANY) == MANY


def test_a_cache_in_a_place_that_cannot_be_made_does_not_stop_the_run(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere" / "embeddings.db"
    with open_cache(nowhere, IDENTITY) as cache:
        cache.put(TEXTS, rows(TEXTS))
        assert cache.get(TEXTS) == {}
    assert cache.warnings[0].startswith("The embedding cache embeddings.db cannot be used (unable")


def test_a_damaged_cache_costs_an_ingest_embeddings_and_nothing_else(blog: MakeBlog) -> None:
    made = blog({"soup.md": "Boil an onion.", "tea.md": "Boil water."})
    cache_damage.DAMAGED["text in its place"](made.layout.cache)
    report = made.ingest(rebuild=True)
    assert (report.warnings, report.embedded) == ((SET_ASIDE,), 2)
    [hit] = made.reader().search("onion", Filters(), limit=1, offset=0).hits
    assert hit.post.source == "soup.md"
    again = made.ingest(rebuild=True)
    assert (again.warnings, again.embedded) == ((), 0)


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
    assert found(path, ["one"]) == ["one"]
