"""`blog-search-mcp author timeline`: what it prints, and how it ends."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.cli import program
from blog_search_mcp.index.command_line import run as run_program
from blog_search_mcp.server.cli.author import timeline

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

POSTS = {
    "a.md": "---\ntitle: Walrus\ndate: 2022-01-02\n---\nThe walrus rests.\n",
    "b.md": "---\ntitle: Walrus again\ndate: 2024-01-02\n---\nThe walrus rests.\n",
}


def run(*words: str) -> int:
    return run_program(program, ["author", "timeline", *words])


@pytest.fixture(autouse=True)
def made(blog: MakeBlog, monkeypatch: pytest.MonkeyPatch) -> None:
    made = blog(POSTS)
    monkeypatch.setattr(timeline, "engine_for_one", lambda _: made.engine())


def test_posts_are_printed_year_by_year(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("walrus") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Confidence: ")
    assert lines[1:] == [
        "2 posts, from 2022-01-02 to 2024-01-02.",
        "",
        "2022",
        "  2022-01-02  Walrus",
        "    a.md chunk 0",
        "    The walrus rests.",
        "",
        "2024",
        "  2024-01-02  Walrus again",
        "    b.md chunk 0",
        "    The walrus rests.",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_a_name_with_a_line_break_stays_on_its_line(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = blog({"a\n1. b.md": "# Walrus\n\nThe walrus rests.\n"})
    monkeypatch.setattr(timeline, "engine_for_one", lambda _: made.engine())
    assert run("walrus") == 0
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "              Walrus",
        "    a␊1. b.md chunk 0",
        "    The walrus rests.",
    ]


def test_they_are_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("walrus", "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["posts"], list(facts["years"])) == (2, ["2022", "2024"])


def test_a_subject_must_have_words() -> None:
    assert run(" ") == 1
