"""The headings that are asked of a blog with their posts and without."""

from __future__ import annotations

from pathlib import Path

from benchmarks.author.gaps import choose_headings
from tests.support.blog import Blog


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
    corpus = made.reader().corpus()
    assert choose_headings(corpus, 9) == {"a.md": ["Its own heading"]}
