"""What a generation says of itself in a few numbers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.index.store.statistics import Summary, read_summary, summarised
from blog_search_mcp.index.types import Post
from tests.support.paths import ROOT

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog


def post(source: str, day: str | None = None, language: str = "en", url: str = "") -> Post:
    return Post(source, source, day, language=language, url=url or None)


def test_posts_are_counted_by_what_a_reader_may_ask_for() -> None:
    posts = [
        post("a/x.md", "2025-01-02", url="https://example.org/x/"),
        post("a/y.md", "2024-12-31", url="https://example.org/y/"),
        post("b/deep/z.md", None, "zh-tw", url="https://elsewhere.org/z/"),
        post("top.md", "2023-05-06"),
    ]
    assert summarised(posts) == Summary(
        posts=4,
        site="https://example.org",
        languages={"en": 3, "zh-tw": 1},
        newest="2025-01-02",
        sections={"a": 2, "b": 1},
    )


@pytest.mark.parametrize(
    ("sources", "sections"),
    [
        (["posts/a/x.md", "posts/b/y.md", "posts/b/z.md"], {"posts/b": 2, "posts/a": 1}),
        (["posts/x.md", "posts/a/y.md"], {"posts/a": 1}),
        (["posts/x.md", "posts/y.md"], {}),
        (["x.md", "posts/y.md"], {"posts": 1}),
    ],
)
def test_sections_are_the_folders_that_tell_posts_apart(
    sources: list[str], sections: dict[str, int]
) -> None:
    assert summarised([post(source) for source in sources]).sections == sections


def test_every_generation_has_its_own(blog: MakeBlog) -> None:
    made = blog({"a.md": "---\ndate: 2024-01-01\n---\nOne onion.\n"})
    first = read_summary(made.layout)
    assert first is not None
    assert (first.posts, first.newest) == (1, "2024-01-01")
    made.write({"b.md": "---\ndate: 2025-01-01\n---\nTwo leeks.\n"})
    made.ingest()
    second = read_summary(made.layout)
    assert second is not None
    assert (second.posts, second.newest) == (2, "2025-01-01")
    assert "summary.json" in made.manifest.files


def test_what_cannot_be_read_is_not_known(blog: MakeBlog, tmp_path: Path) -> None:
    assert read_summary(Layout(tmp_path / "none")) is None
    made = blog({"a.md": "One onion.\n"})
    made.files.summary.write_text('{"posts": 1', encoding="utf-8")
    assert read_summary(made.layout) is None
    made.layout.current.write_text("nonsense", encoding="utf-8")
    assert read_summary(made.layout) is None


def test_it_is_read_without_what_a_search_needs() -> None:
    code = (
        "import sys; import blog_search_mcp.index.store.statistics; "
        "print({'numpy', 'faiss', 'tantivy', 'sqlite3'} & set(sys.modules))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "set()\n"
