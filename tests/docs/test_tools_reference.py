"""docs/tools.md and the code's definitions say the same."""

import re
from functools import partial
from typing import Any

import pytest

from blog_search_mcp.index.text.query import analyze_query
from blog_search_mcp.index.types import Answer, Chunk, Hit, Post
from blog_search_mcp.server.author.tools import DRAFT_LENGTH, SUGGEST_LINKS
from blog_search_mcp.server.format.results import hit_facts, page_facts
from blog_search_mcp.server.mcp.prompts import offered_prompts
from blog_search_mcp.server.mcp.resources import TEMPLATE
from blog_search_mcp.server.mcp.server import TOOLSETS
from blog_search_mcp.server.tool import MAX_ANSWER, MAX_TEXT, Tool
from tests.support.pages import table_of
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
rows = partial(table_of, PAGE)
DOCUMENTED = (*TOOLSETS["extended"], SUGGEST_LINKS)
DATES = ("after", "before")
DATE = "`YYYY-MM-DD`, `YYYY-MM` or `YYYY`"
TEXT = f"1 to {MAX_TEXT:,} characters"
"""The range of a text whose schema has none, to save a model's tokens."""
DRAFT = f"1 to {DRAFT_LENGTH:,} characters"

PROMPTS = offered_prompts("author")


def named(cells: list[str]) -> set[str]:
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def expected_row(tool: Tool[Any], name: str) -> list[str]:
    schema: dict[str, Any] = tool.input_schema["properties"][name]
    default = f"`{schema['default']}`" if "default" in schema else "–"
    if name in tool.input_schema.get("required", []):
        default = "required"
    if schema["type"] == "integer":
        reach = f"{schema['minimum']:,} to {schema['maximum']:,}"
        return [f"`{name}`", "integer", default, reach]
    if schema["type"] == "boolean":
        return [f"`{name}`", "boolean", default.lower(), "`true`, `false`"]
    if name in DATES:
        return [f"`{name}`", "date", default, DATE]
    values = ", ".join(f"`{value}`" for value in schema.get("enum", ()))
    reach = DRAFT if name == "text" else TEXT
    return [f"`{name}`", "string", default, values or reach]


@pytest.mark.parametrize("tool", DOCUMENTED, ids=lambda tool: str(tool.name))
def test_each_argument_has_its_type_default_and_range(tool: Tool[Any]) -> None:
    shown = [row[:4] for row in rows(f"`{tool.name}`", "argument")]
    assert shown == [expected_row(tool, name) for name in tool.input_schema["properties"]]


def test_the_tools_on_the_page_are_those_there_are() -> None:
    assert re.findall(r"^## `(\w+)`$", PAGE, re.MULTILINE) == [tool.name for tool in DOCUMENTED]
    assert f"at most {MAX_ANSWER:,} tokens" in PAGE


def test_every_fact_of_a_search_is_explained() -> None:
    chunk = Chunk("a.md", 0, "A.", "A.", (), 1, 1)
    hit = hit_facts(Hit(Post("a.md", "A"), chunk, 1.0, "A."))
    del hit["headings"]  # of the search page alone
    page = page_facts(Answer(analyze_query("a"), (), 2, 0, notice="More."), [hit])
    assert [row[0] for row in rows("`search_blog`", "result")] == [f"`{name}`" for name in page]
    assert [row[0] for row in rows("`search_blog`", "field of a hit")] == [
        f"`{name}`" for name in hit
    ]


def test_every_resource_is_there_with_its_type() -> None:
    assert [row[:2] for row in rows("Resources", "URI")] == [
        [f"`{TEMPLATE.uri_template}`", f"`{TEMPLATE.mime_type}`"]
    ]


def test_every_prompt_is_there_with_its_arguments() -> None:
    assert [row[:2] for row in rows("Prompts", "prompt")] == [
        [f"`{name}`", ", ".join(f"`{argument.name}`" for argument in prompt.arguments or ())]
        for name, prompt in PROMPTS.items()
    ]
    assert all(
        argument.required for prompt in PROMPTS.values() for argument in prompt.arguments or ()
    )
