"""The README's pictures show what commands print today, and need nothing from elsewhere."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tools.likeness import alike
from tools.pictures import PICTURES, Picture, drawn, printed, rows, rows_in
from tools.sandbox import Sandbox

pytestmark = pytest.mark.slow  # runs every command of a page


ANSWER = PICTURES[0]


@pytest.mark.skipif(os.name == "nt", reason="the command is typed into a POSIX shell")
def test_the_picture_shows_what_the_command_prints_today(tmp_path: Path) -> None:
    today = rows_in(drawn(ANSWER, rows(ANSWER, printed(Sandbox(tmp_path), ANSWER))))
    shown = rows_in(ANSWER.path.read_text(encoding="utf-8"))
    assert alike("\n".join(shown), "\n".join(today)), "python -m tools.pictures"


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_is_small_and_loads_nothing(picture: Picture) -> None:
    file = picture.path.read_text(encoding="utf-8")
    assert len(file.encode()) < 60_000
    assert re.findall(r"\w+://[^\"']+", file) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"url\((?!#)|@import|@font-face|<script|<image", file)
