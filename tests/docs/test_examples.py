"""The worked examples of the pages: each says what it prints today."""

import os
import shutil
from pathlib import Path

import pytest

from tools.examples import PAGES, ROOT, Home, find_outdated

pytestmark = pytest.mark.slow  # runs every command of a page


@pytest.mark.skipif(
    os.name == "nt" or shutil.which("curl") is None,
    reason="the examples are typed into a POSIX shell that has curl",
)
def test_every_example_says_what_it_prints_today(tmp_path: Path) -> None:
    home = Home(tmp_path)
    pages = [(ROOT / name).read_text(encoding="utf-8") for name in PAGES]
    outdated = [pair for page in pages for pair in find_outdated(page, home)]
    told = "\n".join(f"- {example.printed}\n+ {now}" for example, now in outdated)
    assert not outdated, f"If that is right: python -m tools.examples\n{told}"
