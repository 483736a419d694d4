"""What the tools cost a model, and that it stays within the budget."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.server.cli import tokens as tokens_command
from blog_search_mcp.server.cli.parser import read_settings
from blog_search_mcp.server.cli.tokens import (
    BASIS,
    Cost,
    definition_of,
    estimate_cost,
    table,
    tokens,
    typical_answers,
)
from blog_search_mcp.server.protocol.instructions import INSTRUCTIONS_BYTES
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.registry import CORE, EXTENDED

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

CORE_TOKENS = 540
EXTENDED_TOKENS = 890
SEARCH_ANSWER_TOKENS = 650
"""Five hits of 475 bytes and what stands around them, in English."""
PARAGRAPH = "The key is kept in memory while the value is read from the disk again. " * 12
POSTS = {
    f"{place}.md": f"---\ntitle: On the {place} cache\ndate: 2025-01-0{day}\n---\n{PARAGRAPH}\n"
    for day, place in enumerate(("first", "second", "third", "fourth", "fifth", "sixth"), 1)
}


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("", Cost(0, 0)),
        ("word", Cost(4, 1)),
        ("words", Cost(5, 2)),
        ("鍵值快取", Cost(4, 4)),
        ("a 鍵", Cost(3, 2)),
    ],
)
def test_a_text_costs_a_quarter_of_its_characters_or_one_a_wide_one(text: str, cost: Cost) -> None:
    assert estimate_cost(text) == cost


def test_the_definitions_stay_within_their_budget() -> None:
    assert sum(estimate_cost(definition_of(tool)).tokens for tool in CORE) <= CORE_TOKENS
    assert sum(estimate_cost(definition_of(tool)).tokens for tool in EXTENDED) <= EXTENDED_TOKENS
    assert INSTRUCTIONS_BYTES <= 1_000


def test_a_typical_answer_stays_within_its_budget(blog: MakeBlog) -> None:
    made = blog(POSTS)
    answers = typical_answers(CORE, made.engine())
    assert set(answers) == {"search_blog", "read_chunk"}
    assert 200 < answers["search_blog"].tokens <= SEARCH_ANSWER_TOKENS


def test_the_table_adds_up_and_names_the_share() -> None:
    answers = {"search_blog": Cost(2_000, 500), "read_chunk": Cost(800, 200)}
    definitions = [estimate_cost(definition_of(tool)) for tool in CORE]
    before = 100 + sum(cost.tokens for cost in definitions)
    rows = table(CORE, Cost(400, 100), answers)
    names = [row.split()[0] for row in rows[2:6]]
    assert names == ["instructions", "search_blog", "read_chunk", "in"]
    assert rows[3].split() == [
        "search_blog",
        f"{definitions[0].characters:,}",
        str(definitions[0].tokens),
        "2,000",
        "500",
    ]
    assert rows[5].split()[3:] == [str(before), "2,800", "700"]
    assert rows[-3:] == [
        f"Before the first question: {before} tokens, {before / 200_000:.2%} "
        "of a window of 200,000.",
        f"With one answer of each tool: {before + 700:,} tokens, {(before + 700) / 200_000:.2%} "
        "of a window of 200,000.",
        BASIS,
    ]


def test_the_command_weighs_the_answers_of_the_index(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = blog(POSTS)
    monkeypatch.setattr(tokens_command, "engine_for", lambda _: made.engine())
    assert tokens(Settings(made.index, "", toolset="extended")) == 0
    out, err = capsys.readouterr()
    assert err == ""
    rows = {row.split()[0]: row.split() for row in out.splitlines() if row}
    assert {tool.name for tool in EXTENDED} <= set(rows)
    assert all(len(rows[tool.name]) == 5 for tool in EXTENDED)


def test_the_set_of_tools_may_be_named_before_the_command_and_after_it() -> None:
    named = [["--toolset", "author", "tokens"], ["tokens", "--toolset", "author"], ["tokens"]]
    assert [read_settings(each, {}).toolset for each in named] == ["author", "author", "core"]


def test_without_an_index_the_definitions_are_weighed_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tokens(read_settings(["tokens", "--index", str(tmp_path)], {})) == 0
    out, err = capsys.readouterr()
    assert f"blog-ingest CONTENT --index {tmp_path}`." in err
    assert "With one answer" not in out
    assert "get_outline" not in out
    assert out.endswith(f"{BASIS}\n")


def test_a_broken_index_is_a_sentence_and_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "CURRENT").write_text("nonsense", encoding="utf-8")
    assert tokens(Settings(tmp_path, "")) == 1
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert "--rebuild" in err
