"""The worked examples of the pages: each says what it prints today."""

from __future__ import annotations

import os
import shutil

import pytest

from tools.examples import PAGES, outdated
from tools.sandbox import ROOT, Sandbox

pytestmark = pytest.mark.slow  # runs every command of a page


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    if os.name == "nt" or shutil.which("curl") is None:
        pytest.skip("the examples are typed into a POSIX shell that has curl")
    return Sandbox(tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize("name", PAGES)
def test_every_example_says_what_it_prints_today(name: str, sandbox: Sandbox) -> None:
    found = outdated((ROOT / name).read_text(encoding="utf-8"), sandbox)
    said = "\n".join(f"- {example.printed}\n+ {now}" for example, now in found)
    assert not found, f"If that is right: python -m tools.examples\n{said}"
