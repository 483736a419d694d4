"""`blog-server related`: the data file of each generator."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.server.cli.author import related
from blog_search_mcp.server.cli.parser import read_settings

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
    settings = read_settings(["related", "--index", str(made.index), *words], {})
    assert settings.author is not None
    return related.run(settings, settings.author)


def printed(made: Blog, capsys: pytest.CaptureFixture[str], form: str) -> Any:
    assert run(made, "--format", form) == 0
    return json.loads(capsys.readouterr().out)


SEAL = {"source": "seal/index.md", "title": "Seal", "date": "2023-01-01"}


def test_the_plain_list_has_every_post_by_source(
    made: Blog, capsys: pytest.CaptureFixture[str]
) -> None:
    found = printed(made, capsys, "json")
    assert {post["source"]: [each["source"] for each in post["related"]] for post in found} == {
        "_posts/2024-01-02-walrus.md": ["seal/index.md"],
        "bread.md": ["soup.md"],
        "seal/index.md": ["_posts/2024-01-02-walrus.md"],
        "soup.md": ["bread.md"],
    }


def test_hugo_finds_a_page_by_its_file_and_a_related_one_by_its_path(
    made: Blog, capsys: pytest.CaptureFixture[str]
) -> None:
    found = printed(made, capsys, "hugo")
    assert found["_posts/2024-01-02-walrus"] == [{"path": "/seal", **SEAL}]
    assert [each["path"] for each in found["seal/index"]] == ["/_posts/2024-01-02-walrus"]


def test_jekyll_finds_a_page_by_its_slug(made: Blog, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(printed(made, capsys, "jekyll")) == ["walrus", "bread", "index", "soup"]


def test_jekyll_takes_a_day_of_one_figure_off_a_slug_too(
    made: Blog, capsys: pytest.CaptureFixture[str]
) -> None:
    (made.content / "_posts" / "2024-01-02-walrus.md").rename(
        made.content / "_posts" / "2024-1-2-walrus.md"
    )
    made.ingest()
    found = printed(made, capsys, "jekyll")
    assert [each["slug"] for each in found["index"]] == ["walrus"]


def test_eleventy_finds_a_page_by_its_input_path(
    made: Blog, capsys: pytest.CaptureFixture[str]
) -> None:
    (made.content.parent / "eleventy.config.mjs").touch()
    name = made.content.name
    found = printed(made, capsys, "eleventy")
    assert found[f"./{name}/_posts/2024-01-02-walrus.md"] == [
        {"inputPath": f"./{name}/seal/index.md", **SEAL}
    ]


def test_a_file_is_replaced_only_when_it_changes(
    made: Blog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "data" / "related.json"
    assert run(made, "--format", "hugo", "--out", str(path)) == 0
    assert "written, 4 posts" in capsys.readouterr().err
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    assert run(made, "--format", "hugo", "--out", str(path)) == 0
    assert "unchanged, 4 posts" in capsys.readouterr().err
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [each.name for each in path.parent.iterdir()] == ["related.json"]


def test_no_post_is_written_over(made: Blog, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="would be taken for a post"):
        run(made, "--out", str(tmp_path / "soup.md"))
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written: "):
        run(made, "--out", str(tmp_path / "file" / "related.json"))


def test_a_full_disk_leaves_the_file_as_it_was_and_nothing_beside_it(
    made: Blog, tmp_path: Path
) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "related.json"
    path.write_text("[]")
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limit[1]))
    try:
        with pytest.raises(UsageError, match="cannot be written: File too large"):
            run(made, "--out", str(path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert {each.name: each.read_text() for each in tmp_path.glob("*related*")} == {
        "related.json": "[]"
    }
