"""Estimate what the definitions of the tools cost a model in each session."""

from __future__ import annotations

from typing import Any

from blog_search_mcp.server.cli.doctor.results import CheckResult
from blog_search_mcp.server.format.results import count_columns, to_json
from blog_search_mcp.server.settings import ToolsetName
from blog_search_mcp.server.tools.base import Tool
from blog_search_mcp.server.tools.registry import TOOLSETS

PER_TOKEN = 4
"""Characters: for English prose and JSON within a few per cent of the tokenizers in use."""


def describe_tools(toolset: ToolsetName) -> CheckResult:
    """Count the tools of the set, two at least, and the tokens of their definitions."""
    tools = TOOLSETS[toolset]
    tokens = sum(estimate_tokens(definition_of(tool)) for tool in tools)
    text = f"{len(tools)} tools cost a model some {tokens:,} tokens in each session."
    return CheckResult("tools", "ok", text)


def estimate_tokens(text: str) -> int:
    """Estimate: a token for PER_TOKEN characters begun, and one for each wide one (Chinese)."""
    wide = count_columns(text) - len(text)
    return wide + -(-(len(text) - wide) // PER_TOKEN)


def definition_of(tool: Tool[Any]) -> str:
    """Write a tool as it stands in a model's context."""
    return to_json(
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
    )
