"""The arguments of every tool: what is taken, what is refused in which words, what is listed."""

from __future__ import annotations

from typing import Any

import pytest
from mcp.types import ListToolsResult

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.protocol.app import describe_tool
from blog_search_mcp.server.tools.read_chunk import READ_CHUNK, ReadArguments
from blog_search_mcp.server.tools.registry import CORE, EXTENDED
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG, SearchArguments

TOOLS_LIST_BYTES = 2_500
TOOLS = {tool.name: tool for tool in EXTENDED}
ENOUGH: dict[str, dict[str, Any]] = {
    "search_blog": {"query": "q"},
    "read_chunk": {"source": "a.md"},
    "list_posts": {},
    "get_outline": {"source": "a.md"},
}
WHOLE_NUMBERS = [
    (tool.name, name, schema)
    for tool in EXTENDED
    for name, schema in tool.input_schema["properties"].items()
    if schema["type"] == "integer"
]


def test_both_tools_together_stay_small() -> None:
    listed = ListToolsResult(tools=[describe_tool(tool) for tool in CORE])
    sent = listed.model_dump_json(by_alias=True, exclude_none=True)
    assert len(sent.encode()) < TOOLS_LIST_BYTES


def test_a_tool_is_listed_with_a_plain_schema() -> None:
    listed = describe_tool(READ_CHUNK).model_dump(exclude_none=True)
    assert listed.pop("description") == READ_CHUNK.description
    assert listed == {
        "name": "read_chunk",
        "title": "Read a passage",
        "annotations": {
            "read_only_hint": True,
            "destructive_hint": False,
            "idempotent_hint": True,
            "open_world_hint": False,
        },
        "input_schema": {
            "type": "object",
            "properties": {
                "source": {"type": "string", "description": "A hit's source, unchanged"},
                "chunk_index": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 1_000_000,
                    "default": 0,
                },
                "neighbors": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 3,
                    "default": 0,
                    "description": "Chunks to add on each side",
                },
                "whole": {
                    "type": "boolean",
                    "default": False,
                    "description": "The whole post instead, as far as it fits",
                },
            },
            "required": ["source"],
            "additionalProperties": False,
        },
    }
    assert SEARCH_BLOG.input_schema["properties"]["tag"] == {"type": "string"}
    assert SEARCH_BLOG.input_schema["properties"]["query"] == {
        "type": "string",
        "minLength": 1,
        "maxLength": 1_000,
    }


@pytest.mark.parametrize(("tool", "name", "schema"), WHOLE_NUMBERS)
def test_a_range_in_a_schema_is_the_range_that_is_enforced(
    tool: str, name: str, schema: dict[str, int]
) -> None:
    for allowed in (schema["minimum"], schema["maximum"]):
        TOOLS[tool].parse({**ENOUGH[tool], name: allowed})
    for refused in (schema["minimum"] - 1, schema["maximum"] + 1):
        with pytest.raises(UsageError):
            TOOLS[tool].parse({**ENOUGH[tool], name: refused})


@pytest.mark.parametrize("tool", EXTENDED, ids=lambda tool: str(tool.name))
def test_a_default_in_a_schema_is_what_an_absent_argument_means(tool: Any) -> None:
    facts = tool.input_schema["properties"]
    defaults = {name: facts[name]["default"] for name in facts if "default" in facts[name]}
    enough = ENOUGH[tool.name]
    assert tool.parse({**enough, **defaults}) == tool.parse(enough)
    assert tool.input_schema.get("required", []) == list(enough)


def test_every_search_argument_is_taken() -> None:
    given = {
        "query": "什麼是 KV cache?",
        "top_k": 20,
        "offset": 40,
        "section": "/inference/",
        "tag": " LLM ",
        "after": "2024",
        "before": "2024-02",
        "response_format": "markdown",
    }
    taken = SEARCH_BLOG.parse(given)
    assert taken == SearchArguments(
        query="什麼是 KV cache?",
        top_k=20,
        offset=40,
        section="inference",
        tag="LLM",
        after="2024",
        before="2024-02",
        response_format="markdown",
    )
    assert taken.filters == Filters("inference", "LLM", "2024-01-01", "2024-02-29")


def test_null_means_not_set_and_a_whole_float_is_an_integer() -> None:
    given = {"query": "q", "top_k": 3.0, "tag": None, "offset": None}
    assert SEARCH_BLOG.parse(given) == SearchArguments(query="q", top_k=3)


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    assert SEARCH_BLOG.parse({"query": "a\ud800b"}).query == "a?b"


def test_read_arguments_have_one_default() -> None:
    given = {"source": "a.md", "chunk_index": 0}
    assert READ_CHUNK.parse(given) == ReadArguments(source="a.md", chunk_index=0, neighbors=0)


@pytest.mark.parametrize(
    ("given", "day"),
    [
        ({"after": "2025"}, "2025-01-01"),
        ({"after": "2025-12"}, "2025-12-01"),
        ({"after": "2025-12-31"}, "2025-12-31"),
        ({"before": "2025"}, "2025-12-31"),
        ({"before": "2023-02"}, "2023-02-28"),
        ({"before": "2024-02-29"}, "2024-02-29"),
    ],
)
def test_a_date_means_the_day_at_its_edge(given: dict[str, str], day: str) -> None:
    filters = SEARCH_BLOG.parse({"query": "q", **given}).filters
    assert (filters.after or filters.before) == day


TEXT = "it must be text of 1 to 1,000 characters."
TOP_K = "top_k must be a whole number from 1 to 20, got"
OFFSET = "offset must be a whole number from 0 to 10,000, got"
DATE = "must be a date as YYYY-MM-DD, YYYY-MM or YYYY, got"
DATE_TEXT = "must be text, a date as YYYY-MM-DD, YYYY-MM or YYYY, got"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, f"query is missing; {TEXT}"),
        ({"query": None}, f"query is missing; {TEXT}"),
        ({"query": 7}, "query must be text, got 7."),
        ({"query": ["a"]}, "query must be text, got ['a']."),
        ({"query": ""}, "query must not be blank, got ''."),
        ({"query": " \n\u3000"}, r"query must not be blank, got ' \n\u3000'."),
        ({"query": "x" * 1001}, "query must be at most 1,000 characters, got 1,001."),
        ({"query": "q", "top_k": 0}, f"{TOP_K} 0."),
        ({"query": "q", "top_k": 21}, f"{TOP_K} 21."),
        ({"query": "q", "top_k": True}, f"{TOP_K} True."),
        ({"query": "q", "top_k": "5"}, f"{TOP_K} '5'."),
        ({"query": "q", "top_k": 2.5}, f"{TOP_K} 2.5."),
        ({"query": "q", "top_k": float("inf")}, f"{TOP_K} inf."),
        ({"query": "q", "top_k": [1]}, f"{TOP_K} [1]."),
        ({"query": "q", "offset": -1}, f"{OFFSET} -1."),
        ({"query": "q", "offset": 10**30}, f"{OFFSET} {10**30}."),
        ({"query": "q", "offset": False}, f"{OFFSET} False."),
        ({"query": "q", "tag": ""}, "tag must not be blank, got ''."),
        ({"query": "q", "tag": 3}, "tag must be text, got 3."),
        ({"query": "q", "section": {}}, "section must be text, got {}."),
        ({"query": "q", "after": "yesterday"}, f"after {DATE} 'yesterday'."),
        ({"query": "q", "after": "2025-1-1"}, f"after {DATE} '2025-1-1'."),
        ({"query": "q", "after": "2025-02-30"}, f"after {DATE} '2025-02-30'."),
        ({"query": "q", "after": "20250101"}, f"after {DATE} '20250101'."),
        ({"query": "q", "after": "0000"}, f"after {DATE} '0000'."),
        ({"query": "q", "before": "2025-13"}, f"before {DATE} '2025-13'."),
        ({"query": "q", "before": 2025}, f"before {DATE_TEXT} 2025."),
        ({"query": "q", "before": "２０２５"}, f"before {DATE} '２０２５'."),
        (
            {"query": "q", "after": "2025", "before": "2024"},
            "after must not be later than before, got 2025-01-01 and 2024-12-31.",
        ),
        (
            {"query": "q", "response_format": "xml"},
            "response_format must be 'json' or 'markdown', got 'xml'.",
        ),
        (
            {"query": "q", "response_format": ["json"]},
            "response_format must be 'json' or 'markdown', got ['json'].",
        ),
        (
            {"query": "q", "limit": 3},
            "search_blog has no argument 'limit'; it takes query, section, tag, after, before, "
            "top_k, offset, sort, response_format.",
        ),
        ({"query": "q", "top_k": "9" * 500}, f"{TOP_K} '{'9' * 79}…."),
    ],
)
def test_a_bad_search_argument_is_named_with_its_value_and_the_rule(
    given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(UsageError) as refused:
        SEARCH_BLOG.parse(given)
    assert str(refused.value) == sentence


CHUNK_INDEX = "a whole number from 0 to 1,000,000"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"chunk_index": 0}, f"source is missing; {TEXT}"),
        (
            {"source": "a.md", "chunk_index": -1},
            f"chunk_index must be {CHUNK_INDEX}, got -1.",
        ),
        (
            {"source": "a.md", "chunk_index": True},
            f"chunk_index must be {CHUNK_INDEX}, got True.",
        ),
        (
            {"source": "a.md", "chunk_index": 0, "neighbors": 4},
            "neighbors must be a whole number from 0 to 3, got 4.",
        ),
        (
            {"source": "a.md", "chunk_index": 0, "whole": "yes"},
            "whole must be true or false, got 'yes'.",
        ),
        (
            {"source": "a.md", "chunk_index": 0, "query": "q"},
            "read_chunk has no argument 'query'; it takes source, chunk_index, neighbors, whole.",
        ),
    ],
)
def test_a_bad_read_argument_is_named_with_its_value_and_the_rule(
    given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(UsageError) as refused:
        READ_CHUNK.parse(given)
    assert str(refused.value) == sentence


def test_a_refused_value_can_always_be_sent() -> None:
    with pytest.raises(UsageError) as refused:
        SEARCH_BLOG.parse({"query": "q", "\ud800": "x"})
    assert str(refused.value).encode("utf-8").startswith(b"search_blog has no argument")
