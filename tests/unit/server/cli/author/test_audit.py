"""`blog-search-mcp author audit`: what it prints, and when it fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.cli import program
from blog_search_mcp.index.command_line import run as run_program
from blog_search_mcp.server.cli.author import AUDIT_KINDS, audit

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

POSTS = {
    "a.md": "---\ntitle: First\ndescription: On it.\n---\nSee [it](gone.md), [b](gone2.md).\n",
    "b.md": "---\ntitle: Second\ndescription: On a.\n---\nSee [a](a.md).\n",
    "left.md": "---\ntitle: Left\ndate: 2020-01-01\ndraft: true\n---\nSome words.\n",
}


@pytest.fixture
def made(blog: MakeBlog, monkeypatch: pytest.MonkeyPatch) -> Blog:
    made = blog(POSTS)
    monkeypatch.setattr(audit, "engine_for_author", lambda _settings: made.engine())
    return made


def run_with(made: Blog, *options: str) -> int:
    return run_program(program, ["author", "audit", "--index", str(made.index), *options])


def test_it_prints_the_counts_then_where_and_what(
    made: Blog, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_with(made, "--limit", "1") == 0
    counts, *parts = capsys.readouterr().out.split("\n\n")
    assert [line.split()[:2] for line in counts.splitlines()] == [
        ["2", "broken-links"],
        ["0", "broken-anchors"],
        ["1", "orphans"],
        ["0", "near-duplicates"],
        ["0", "descriptions"],
        ["0", "tags"],
        ["1", "stale-drafts"],
    ]
    assert [part.strip() for part in parts] == [
        "broken-links (2, the first 1; more by --limit N)\na.md:5 gone.md leads nowhere",
        "orphans (1)\nb.md no other post links to “Second”",
        "stale-drafts (1)\nleft.md draft “Left”, dated 2020-01-01",
    ]


def test_what_is_about_no_single_post_begins_its_line(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = blog({"a.md": "# A\n\nText."})
    monkeypatch.setattr(audit, "engine_for_author", lambda _settings: made.engine())
    assert run_with(made) == 0
    shown = capsys.readouterr().out
    assert shown.partition("descriptions (1)\n")[2] == "no post has a description\n"


def test_as_json_it_prints_the_same_facts(made: Blog, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_with(made, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert list(facts) == ["posts", "counts", "findings", "notice"]
    assert tuple(facts["findings"]) == tuple(AUDIT_KINDS)
    assert facts["findings"]["orphans"] == [
        {"source": "b.md", "line": 0, "detail": "no other post links to “Second”", "others": []}
    ]


@pytest.mark.parametrize(
    ("kinds", "status"),
    [(["broken-links"], 1), (["tags", "orphans"], 1), (["tags"], 0), ([], 0)],
)
def test_it_fails_on_the_kinds_that_it_was_told_alone(
    kinds: list[str], status: int, made: Blog
) -> None:
    assert run_with(made, *(word for kind in kinds for word in ("--fail-on", kind))) == status
