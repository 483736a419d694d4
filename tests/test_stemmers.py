"""Each of Snowball's algorithms, loaded by itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import snowballstemmer

from index.languages import STEMMERS
from index.stemmers import stemmer

ROOT = Path(__file__).parents[1]
WORDS = (
    "searching",
    "houses",
    "gehende",
    "chevaux",
    "correndo",
    "hablando",
    "böckerna",
    "evlerden",
)


@pytest.mark.parametrize("algorithm", sorted(snowballstemmer.algorithms()))
def test_an_algorithm_by_itself_is_the_one_of_the_package(algorithm: str) -> None:
    whole = snowballstemmer.stemmer(algorithm)
    alone = stemmer(algorithm)
    assert [alone.stemWord(word) for word in WORDS] == [whole.stemWord(word) for word in WORDS]


def test_a_package_that_keeps_them_elsewhere_is_asked_as_a_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("index.stemmers._package", lambda: "json")
    assert stemmer("english").stemWord("houses") == "hous"


def test_every_language_s_algorithm_is_there() -> None:
    assert set(STEMMERS.values()) < set(snowballstemmer.algorithms())


def test_the_others_are_not_loaded() -> None:
    code = (
        "import sys; from index.analysis import stem; print(stem('houses', 'english'), "
        "*sorted(name for name in sys.modules if name.endswith('_stemmer')))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "hous snowballstemmer_one_by_one.english_stemmer\n"
