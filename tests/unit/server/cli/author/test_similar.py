"""`blog-search-mcp author similar`: what it prints of a file, of stdin and of a post."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.cli import program
from blog_search_mcp.index.command_line import run as run_program
from blog_search_mcp.server.cli.author import subject

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

ICE = (
    "Walruses haul out on drifting ice in summer, and they rest there between long dives "
    "for clams on the sea floor."
)
POSTS = {
    "walrus.md": f"---\ntitle: Walrus\ndate: 2024-01-01\n---\n## On ice\n\n{ICE}\n",
    "soup.md": "---\ntitle: Soup\n---\nOnions simmer in butter until they are brown.\n",
}
PRINTED = f"""\
1 passage meets what the blog has said. “Walrus” has mostly the same words.

1. Walrus
   2024-01-01 · walrus.md · same text · meets 1 of 1
   lines 3-3 (Ice) -> chunk 0 (On ice), 100% word for word
      {ICE}
"""


@pytest.fixture(autouse=True)
def made(blog: MakeBlog, monkeypatch: pytest.MonkeyPatch) -> Blog:
    made = blog(POSTS)
    monkeypatch.setattr(subject, "engine_for_author", lambda _, **__: made.engine())
    return made


def run(made: Blog, *words: str) -> int:
    return run_program(program, ["author", "similar", "--index", str(made.index), *words])


def test_a_file_is_compared(made: Blog, capsys: pytest.CaptureFixture[str]) -> None:
    draft = made.index.parent / "draft.md"
    draft.write_text(f"## Ice\n\n{ICE}\n")
    assert run(made, str(draft)) == 0
    assert capsys.readouterr().out == PRINTED


def test_stdin_is_compared(
    made: Blog, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(f"## Ice\n\n{ICE}\n".encode()))
    monkeypatch.setattr("sys.stdin", stdin)
    assert run(made, "-") == 0
    assert capsys.readouterr().out == PRINTED


@pytest.mark.parametrize("is_file", [True, False])
def test_a_post_is_not_listed_for_itself(
    made: Blog, capsys: pytest.CaptureFixture[str], is_file: bool
) -> None:
    assert run(made, str(made.content / "walrus.md") if is_file else "walrus.md") == 0
    assert capsys.readouterr().out == (
        "No passage meets one of a post. The nearest posts tell whether it is new.\n\n"
        "Nearest all the same:\n   Soup · soup.md\n"
    )


def test_the_facts_are_printed_as_json(made: Blog, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(made, "soup.md", "--json", "--limit", "1") == 0
    assert json.loads(capsys.readouterr().out)["nearest"] == [
        {"source": "walrus.md", "title": "Walrus", "date": "2024-01-01"}
    ]


def test_what_is_neither_file_nor_post_is_refused_with_the_nearest(
    made: Blog, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(made, "walrus.mdx") == 1
    assert "Nearest: walrus.md." in capsys.readouterr().err
