"""Judged queries of a folder of notes, and the figures of their answers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import golden

NOTES = {
    "Sourdough.md": "Feed the starter with rye flour every evening.",
    "Bread/Rye.md": "Rye bread needs a sour starter and a long rest.",
    "Tides.md": "The moon pulls the sea twice a day.",
}
QUERIES = [
    {"query": "tides of the sea", "relevant_paths": ["Tides.md"], "category": "words"},
    {
        "query": "sourdough starter",
        "relevant_paths": ["Sourdough.md"],
        "partial_paths": ["Bread/Rye.md"],
    },
    {"query": "rye bread", "relevant_paths": ["gone.md"]},
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name, text in NOTES.items():
        note = tmp_path / "notes" / name
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"# {note.stem}\n\n{text}\n", encoding="utf-8")
    return tmp_path


def test_a_note_that_is_not_found_counts_nothing_and_the_others_fully(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "golden.json").write_text(json.dumps(QUERIES), encoding="utf-8")
    paths = [str(place / "notes"), str(place / "golden.json")]
    monkeypatch.setattr(sys, "argv", ["golden", *paths])
    assert golden.main() == 0
    row = capsys.readouterr().out.splitlines()[-1].strip("| ").split(" | ")
    assert row[1:6] == ["3", "0.667", "0.667", "0.667", "0.667"]
