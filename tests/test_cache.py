"""Vectors that were paid for once: what is found again, what never is, what a kill may cost."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from index.cache import open_cache
from index.embedder.base import EmbedderIdentity
from index.errors import IndexBroken, IndexProblem
from tests.fakes import IDENTITY, vector_of

if TYPE_CHECKING:
    from index.embedder.base import Vectors

ROOT = Path(__file__).parents[1]
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


@pytest.mark.parametrize("content", [b"", b"not a database", b"x" * 100_000])
def test_a_file_that_is_no_database_is_replaced(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    put(path, TEXTS)
    assert found(path, TEXTS) == TEXTS


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_torn_cache_is_replaced(share: float, path: Path) -> None:
    put(path, [f"text {number}" for number in range(500)])
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    put(path, TEXTS)
    assert found(path, ["text 0", *TEXTS]) == TEXTS


def test_a_damaged_page_is_one_sentence_with_what_mends_it(path: Path) -> None:
    texts = [f"text {number}" for number in range(500)]
    put(path, texts)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096)
    with pytest.raises(IndexBroken) as raised, open_cache(path, IDENTITY) as cache:
        cache.get(texts)
    assert str(raised.value) == (
        "The index's embeddings.db is damaged. Delete that file and run again: "
        "every text is embedded anew."
    )


def test_a_folder_in_its_place_is_one_sentence(path: Path) -> None:
    path.mkdir()
    with pytest.raises(IndexProblem) as raised:
        put(path, TEXTS)
    assert str(raised.value) == (
        "The index's embeddings.db cannot be used: unable to open database file. "
        "Check the disk's space and the folder's permissions, then run again."
    )


KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
from index.cache import open_cache
from tests.fakes import IDENTITY, vector_of
with open_cache(Path(sys.argv[1]), IDENTITY) as cache:
    cache.put(["one"], np.stack([vector_of("one")]))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_put_returned_from_survives_a_kill(path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", KILLED, path], cwd=ROOT, check=False)
    assert ran.returncode == -signal.SIGKILL
    assert found(path, ["one"]) == ["one"]
