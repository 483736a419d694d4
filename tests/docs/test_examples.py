"""The worked examples of the pages: each says what it prints today."""

from __future__ import annotations

import os
import shutil

import pytest

from tools.examples import PAGES, ROOT, Home, find_outdated

pytestmark = pytest.mark.slow  # runs every command of a page


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    if os.name == "nt" or shutil.which("curl") is None:
        pytest.skip("the examples are typed into a POSIX shell that has curl")
    return Home(tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize("name", PAGES)
def test_every_example_says_what_it_prints_today(name: str, home: Home) -> None:
    outdated = find_outdated((ROOT / name).read_text(encoding="utf-8"), home)
    told = "\n".join(f"- {example.printed}\n+ {now}" for example, now in outdated)
    assert not outdated, f"If that is right: python -m tools.examples\n{told}"
