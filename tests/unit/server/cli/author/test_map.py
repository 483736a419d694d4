"""`blog-server map`: what it writes, and how it ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.server.cli.author import map as map_command
from blog_search_mcp.server.cli.parser import read_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.blog import MakeBlog

POSTS = {
    "a.md": "---\ntitle: Walrus\ndate: 2024-01-02\n---\nThe walrus rests.\n",
    "b.md": "---\ntitle: Soup\n---\nThe soup boils.\n",
}


def run(*words: str) -> int:
    settings = read_settings(["map", *words], {})
    assert settings.author is not None
    return map_command.run(settings, settings.author)


@pytest.fixture(autouse=True)
def made(blog: MakeBlog, monkeypatch: pytest.MonkeyPatch) -> None:
    made = blog(POSTS)
    monkeypatch.setattr(map_command, "engine_for_author", lambda _: made.engine())


def test_the_picture_is_printed_with_its_style(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    root = ElementTree.fromstring(capsys.readouterr().out)
    assert [each.tag.rpartition("}")[2] for each in root] == ["style", "rect", "svg", "svg"]


def test_dots_lead_where_links_show_that_posts_are_published(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at = "https://walrus.example/blog"
    links = "".join(f"See [it]({at}/{name}/).\n" for name in ("a-walrus", "b-soup", "c-tea"))
    made = blog({f"{name}.md": f"# {name}\n\n{links}" for name in ("a-walrus", "b-soup", "c-tea")})
    monkeypatch.setattr(map_command, "engine_for_author", lambda _: made.engine())
    assert run() == 0
    root = ElementTree.fromstring(capsys.readouterr().out)
    dots = [each.get("href") for each in root.iter("{http://www.w3.org/2000/svg}a")]
    assert dots == [f"{at}/a-walrus/", f"{at}/b-soup/", f"{at}/c-tea/"]


def test_the_picture_is_written_to_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "map.svg"
    assert run("--out", str(path)) == 0
    assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert capsys.readouterr().err == f"2 posts drawn in {path}; a browser opens it.\n"


def test_posts_and_places_are_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--json") == 0
    [facts] = json.loads(capsys.readouterr().out)
    assert facts["years"] == {"2024": [1]}
    assert (facts["subjects"], facts["missing"]) == (["subject 1"], 0)
    assert [(post["source"], post["date"], post["subject"]) for post in facts["posts"]] == [
        ("b.md", None, 0),
        ("a.md", "2024-01-02", 0),
    ]
    assert len(facts["posts"][0]["place"]) == 2


def test_a_file_that_cannot_be_written_is_told_and_left_as_it_was(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "map.svg"
    path.write_text("<svg/>")
    with pytest.raises(UsageError, match="cannot be written: "):
        run("--out", str(path / "map.svg"))
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limit[1]))
    try:
        with pytest.raises(UsageError, match="cannot be written: File too large"):
            run("--out", str(path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert {each.name: each.read_text() for each in tmp_path.glob("*map*")} == {"map.svg": "<svg/>"}
