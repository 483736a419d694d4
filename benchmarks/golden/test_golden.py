"""Judged questions, answers to them, and their figures."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.golden.__main__ import main

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


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> None:
    monkeypatch.setattr(sys, "argv", ["golden", *map(str, arguments)])
    assert main() == 0


def test_a_note_that_is_not_found_counts_nothing_and_the_others_fully(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "golden.json").write_text(json.dumps(QUERIES), encoding="utf-8")
    run(monkeypatch, "notes", place / "notes", place / "golden.json")
    row = capsys.readouterr().out.splitlines()[-1].strip("| ").split(" | ")
    assert row[1:6] == ["3", "0.667", "0.667", "0.667", "0.667"]


def test_answers_of_this_program_and_of_any_other_are_scored_by_language(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "blogs").mkdir()
    (place / "notes").rename(place / "blogs" / "sea")
    (place / "questions").mkdir()
    questions = [
        {"query": "What pulls the sea?", "source": "Tides.md", "evidence": "moon pulls the sea"},
        {"query": "Brot mit Roggen", "source": "Bread/Rye.md", "lang": "de", "note": "ignored"},
    ]
    files = {"sea": questions, "sea.absent": [{"query": "okapi"}]}
    for name, lines in files.items():
        text = "".join(f"{json.dumps({'lang': 'en', **line})}\n" for line in lines)
        (place / "questions" / f"{name}.jsonl").write_text(text, encoding="utf-8")
    judged = ("--questions", place / "questions")
    run(monkeypatch, "answer", place / "blogs", *judged)
    (place / "program.jsonl").write_text(capsys.readouterr().out, encoding="utf-8")
    other = {"blog": "sea", "query": "What pulls the sea?", "sources": ["Bread/Rye.md", "Tides.md"]}
    (place / "other.jsonl").write_text(f"{json.dumps(other)}\n", encoding="utf-8")
    run(monkeypatch, "score", place / "program.jsonl", place / "other.jsonl", *judged)
    rows = [row.strip("| ").split(" | ") for row in capsys.readouterr().out.splitlines()[2:]]
    shares = {tuple(row[:2]): [row[2], *row[3:7], *row[8:]] for row in rows}
    assert shares["program", "en"] == ["2", "1.000", "1.000", "1.000", "1.000", "0.000", "1.000"]
    assert shares["program", "de"][0] == "1"
    assert shares["other", "all"] == ["3", "0.000", "0.500", "0.315", "0.000", "0.000", "0.000"]
