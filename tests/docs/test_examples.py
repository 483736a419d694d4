"""The worked examples of the pages: each says what it prints today."""

from __future__ import annotations

import os
import shutil

import pytest

from tools.examples import PAGES, ROOT, Example, Home, are_alike, find_examples, find_outdated

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


def test_commands_are_examples_and_other_fences_are_not() -> None:
    page = "```console\n$ one \\\n  more\nsaid\n$ two\n```\n\n```sh\n$ not run\n```\n"
    (example,) = find_examples(page)
    printed = "$ one \\\n  more\nsaid\n$ two\n"
    assert example == Example(("one \\\n  more", "two"), printed, page.index("$ one"))


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("it took 0.1 s, score 0.581", "it took 9.9 s, score 0.590", True),
        ("score 0.581", "score 0.681", False),
        ("one word", "another word", False),
    ],
)
def test_a_run_may_differ_in_time_and_a_little_in_score(one: str, other: str, alike: bool) -> None:
    assert are_alike(one, other) is alike
