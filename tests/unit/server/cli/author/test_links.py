"""`blog-search-mcp author links`: what it prints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.cli import program
from blog_search_mcp.index.command_line import run as run_program
from blog_search_mcp.server.cli.author import subject

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.blog import Blog, MakeBlog

POSTS = {
    "soup.md": "---\ntitle: Onion soup\ndate: 2024-01-02\n---\nBoil the onion.\n",
    "tea.md": "---\ntitle: Tea\n---\nAfter onion soup comes it.\n",
}
DRAFT = "# Lunch\r\n\r\nIt was `onion soup`, onion\r\nsoup indeed."


@pytest.fixture(autouse=True)
def made(blog: MakeBlog, monkeypatch: pytest.MonkeyPatch) -> Blog:
    made = blog(POSTS)
    monkeypatch.setattr(subject, "engine_for_author", lambda _, **__: made.engine())
    return made


def run(*words: str) -> int:
    return run_program(program, ["author", "links", *words])


def test_links_of_a_draft_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft = tmp_path / "lunch.md"
    draft.write_bytes(DRAFT.encode())
    assert run(str(draft)) == 0
    assert capsys.readouterr().out == (
        "1. line 3  [onion soup](soup.md)\n"
        "   Onion soup (2024-01-02); words of its title\n"
        "   > It was `onion soup`, onion soup indeed.\n"
    )


def test_links_to_a_post_are_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("soup.md", "--reverse", "--json") == 0
    [link] = json.loads(capsys.readouterr().out)["links"]
    assert (link["from"], link["line"], link["words"]) == ("tea.md", 4, "onion soup")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "No words of the text name or describe another post that it does not link to.\n"),
        (["--reverse"], "No other post names or describes it without linking to it.\n"),
    ],
)
def test_a_draft_that_meets_no_post_is_told(
    options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = tmp_path / "stone.md"
    draft.write_text("Granite rises.\n", encoding="utf-8")
    assert run(str(draft), *options) == 0
    out = capsys.readouterr()
    assert (out.out, out.err) == ("", said)


def test_what_is_neither_a_file_nor_a_post_is_told() -> None:
    assert run("sop.md") == 1
