"""The wordings that grouping is measured with, and the headings that are asked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchmarks.author.gaps import choose_headings
from tests.support.blog import Blog


def test_each_question_has_two_wordings() -> None:
    lines = Path(__file__).with_name("rewordings.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    assert {len(row) for row in rows} == {3}
    assert set(Counter(row[0] for row in rows).values()) == {15}


def test_only_headings_of_one_post_are_asked(tmp_path: Path) -> None:
    made = Blog(tmp_path / "posts", tmp_path / "index")
    text = "Words of a passage. " * 80
    common = f"## Common heading\n\n{text}\n\n"
    made.write(
        {
            "a.md": f"# First post\n\n{common}## Its own heading\n\n{text}\n",
            "b.md": f"# Second post\n\n{common}## Short\n\n{text}\n",
        }
    )
    made.ingest()
    corpus = made.reader().corpora()[""]
    assert choose_headings(corpus, 9) == {"a.md": ["Its own heading"]}
