"""`blog-search-mcp author related`: a data file for any generator."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.cli import program
from blog_search_mcp.index.command_line import run as run_program
from blog_search_mcp.server.cli.author import related

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.blog import Blog, MakeBlog

POSTS = {
    "_posts/2024-01-02-walrus.md": "---\ntitle: Walrus\ntags: [sea]\n---\nThe walrus rests.\n",
    "seal/index.md": "---\ntitle: Seal\ndate: 2023-01-01\ntags: [sea]\n---\nThe walrus swims.\n",
    "soup.md": "---\ntitle: Soup\ntags: [food]\n---\nThe soup boils in a pot.\n",
    "bread.md": "---\ntitle: Bread\ntags: [food]\n---\nThe bread boils in a pot of soup.\n",
}


@pytest.fixture(autouse=True)
def made(blog: MakeBlog, monkeypatch: pytest.MonkeyPatch) -> Blog:
    made = blog(POSTS)
    monkeypatch.setattr(related, "engine_for_author", lambda _: made.engine())
    return made


def run(made: Blog, *words: str) -> int:
    return run_program(program, ["author", "related", "--index", str(made.index), *words])


def test_each_post_is_listed_by_its_source_where_its_address_is_not_known(
    made: Blog, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(made) == 0
    found = json.loads(capsys.readouterr().out)
    seal = {"source": "seal/index.md", "title": "Seal", "date": "2023-01-01"}
    assert found["_posts/2024-01-02-walrus.md"] == [seal]
    assert {key: [each["source"] for each in others] for key, others in found.items()} == {
        "_posts/2024-01-02-walrus.md": ["seal/index.md"],
        "bread.md": ["soup.md"],
        "seal/index.md": ["_posts/2024-01-02-walrus.md"],
        "soup.md": ["bread.md"],
    }


def test_each_post_is_listed_by_its_path_on_the_site_where_that_is_known(
    made: Blog, capsys: pytest.CaptureFixture[str]
) -> None:
    (made.content / "bread.md").rename(made.content / "brød.md")
    made.ingest(base_url="https://example.org/blog/", permalink="hugo")
    assert run(made) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["url"] for each in found["/blog/soup/"]] == ["/blog/br%C3%B8d/"]
    assert [each["url"] for each in found["/blog/br%C3%B8d/"]] == ["/blog/soup/"]


def test_a_file_is_replaced_only_when_it_changes(
    made: Blog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "data" / "related.json"
    assert run(made, "--out", str(path)) == 0
    assert "written, 4 posts" in capsys.readouterr().err
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    assert run(made, "--out", str(path)) == 0
    assert "unchanged, 4 posts" in capsys.readouterr().err
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [each.name for each in path.parent.iterdir()] == ["related.json"]


def test_no_post_is_written_over(made: Blog, tmp_path: Path) -> None:
    assert run(made, "--out", str(tmp_path / "soup.md")) == 1
    (tmp_path / "file").touch()
    assert run(made, "--out", str(tmp_path / "file" / "related.json")) == 1
    assert [path.name for path in tmp_path.glob("*.md")] == []


def test_a_full_disk_leaves_the_file_as_it_was_and_nothing_beside_it(
    made: Blog, tmp_path: Path
) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "related.json"
    path.write_text("[]")
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limit[1]))
    try:
        assert run(made, "--out", str(path)) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert {each.name: each.read_text() for each in tmp_path.glob("*related*")} == {
        "related.json": "[]"
    }
