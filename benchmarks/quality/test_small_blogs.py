import json
import sys
from pathlib import Path

import pytest

from benchmarks.quality import small_blogs


def test_a_blog_is_cut_to_the_paragraphs_that_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    posts = tmp_path / "corpora" / "cats" / "posts"
    posts.mkdir(parents=True)
    (posts / "a.mdx").write_text("# Purring\n\nCats do.\n\nAt 25 hertz, all night.\n\nMore.\n")
    (posts / "b.md").write_text("# Feeding\n\nTwice a day.\n")
    (tmp_path / "questions").mkdir()
    asked = {"query": "what is at 25 hertz all night?", "source": "a.mdx", "evidence": "25 hertz"}
    (tmp_path / "questions" / "cats.jsonl").write_text(json.dumps(asked))
    places = [str(tmp_path / "corpora"), "--questions", str(tmp_path / "questions")]
    monkeypatch.setattr(sys, "argv", ["small_blogs", *places])
    assert small_blogs.main() == 0
    rows = capsys.readouterr().out.splitlines()[2:]
    assert len(rows) == len(small_blogs.SIZES)
    assert all(row.startswith("| cats | 1 | 1 | 1.000 | .000 | ") for row in rows)
    cut = tmp_path / "cache" / "blog-search-mcp" / "benchmarks" / "small" / "cats-5" / "posts"
    assert {path.name: path.read_text() for path in cut.iterdir()} == {
        "a.md": "# Purring\n\nAt 25 hertz, all night."
    }
