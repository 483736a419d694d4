"""What the tools cost a model stays within a budget, and the doctor says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.server.cli.doctor.tools import (
    definition_of,
    describe_tools,
    estimate_tokens,
)
from blog_search_mcp.server.protocol.instructions import INSTRUCTIONS_BYTES
from blog_search_mcp.server.tools.registry import CORE, EXTENDED
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG

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
    ("text", "tokens"), [("", 0), ("word", 1), ("words", 2), ("鍵值快取", 4), ("a 鍵", 2)]
)
def test_a_text_costs_a_quarter_of_its_characters_or_one_a_wide_one(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_the_definitions_stay_within_their_budget() -> None:
    assert sum(estimate_tokens(definition_of(tool)) for tool in CORE) <= CORE_TOKENS
    assert sum(estimate_tokens(definition_of(tool)) for tool in EXTENDED) <= EXTENDED_TOKENS
    assert INSTRUCTIONS_BYTES <= 1_000


def test_a_typical_answer_stays_within_its_budget(blog: MakeBlog) -> None:
    reply = SEARCH_BLOG.call(blog(POSTS).engine(), {"query": "On the third cache"})
    assert 200 < estimate_tokens("\n".join(reply.texts)) <= SEARCH_ANSWER_TOKENS


def test_the_doctor_counts_the_tools_that_are_offered() -> None:
    numbers = [int(describe_tools(name).text.split()[0]) for name in ("core", "extended")]
    assert numbers == [len(CORE), len(EXTENDED)]
