from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import pytest
from mcp.types import ListToolsResult

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.server import VERSION
from blog_search_mcp.server.tools.arguments import (
    list_arguments,
    outline_source,
    read_arguments,
    search_arguments,
)
from blog_search_mcp.server.tools.registry import CORE, EXTENDED
from tests.support.paths import ROOT

TOOLS_LIST_BYTES = 2_500
CHECKS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "search_blog": search_arguments,
    "read_chunk": read_arguments,
    "list_posts": list_arguments,
    "get_outline": outline_source,
}
ENOUGH: dict[str, dict[str, Any]] = {
    "search_blog": {"query": "q"},
    "read_chunk": {"source": "a.md", "chunk_index": 0},
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
    listed = ListToolsResult(tools=list(CORE))
    sent = listed.model_dump_json(by_alias=True, exclude_none=True)
    assert len(sent.encode()) < TOOLS_LIST_BYTES


def test_a_client_may_call_every_tool_without_asking() -> None:
    for tool in EXTENDED:
        assert tool.annotations is not None
        assert tool.annotations.model_dump(exclude_none=True) == {
            "read_only_hint": True,
            "destructive_hint": False,
            "idempotent_hint": True,
            "open_world_hint": False,
        }


@pytest.mark.parametrize(("tool", "name", "schema"), WHOLE_NUMBERS)
def test_a_range_in_a_schema_is_the_range_that_is_enforced(
    tool: str, name: str, schema: dict[str, int]
) -> None:
    for allowed in (schema["minimum"], schema["maximum"]):
        CHECKS[tool]({**ENOUGH[tool], name: allowed})
    for refused in (schema["minimum"] - 1, schema["maximum"] + 1):
        with pytest.raises(UsageError):
            CHECKS[tool]({**ENOUGH[tool], name: refused})


@pytest.mark.parametrize("tool", EXTENDED)
def test_a_schema_names_exactly_the_arguments_that_are_taken(tool: Any) -> None:
    with pytest.raises(UsageError) as refused:
        CHECKS[tool.name]({"unheard-of": 1})
    names = str(refused.value).partition("it takes ")[2].rstrip(".").split(", ")
    assert names == list(tool.input_schema["properties"])
    assert tool.input_schema["additionalProperties"] is False
    assert set(tool.input_schema.get("required", [])) == set(ENOUGH[tool.name])


@pytest.mark.parametrize("tool", EXTENDED)
def test_a_default_in_a_schema_is_what_an_absent_argument_means(tool: Any) -> None:
    defaults = {
        name: schema["default"]
        for name, schema in tool.input_schema["properties"].items()
        if "default" in schema
    }
    check, enough = CHECKS[tool.name], ENOUGH[tool.name]
    assert check({**enough, **defaults}) == check(enough)


def test_the_version_is_the_distribution_s() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == VERSION
