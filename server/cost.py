"""What a text costs a model: tool definitions and answers come in, estimated tokens go out.

A session pays for the instructions and the definitions whether the blog is asked or not, and
for each answer once more. Counted is what a model is shown: of a definition its name,
description and schema, of an answer its text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from server.wire import columns, compact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp.types import Tool

WINDOW = 200_000
"""Tokens: the context window that shares are given of."""
PER_TOKEN = 4
"""Characters: for English prose and JSON within a few per cent of the tokenizers in use."""


@dataclass(frozen=True, slots=True)
class Cost:
    """One text, or several together."""

    characters: int = 0
    tokens: int = 0


def cost_of(text: str) -> Cost:
    """Estimate: a token for PER_TOKEN characters begun, and one for each wide one (Chinese)."""
    wide = columns(text) - len(text)
    return Cost(len(text), wide + -(-(len(text) - wide) // PER_TOKEN))


def added(costs: Iterable[Cost]) -> Cost:
    """Add costs up."""
    known = tuple(costs)
    return Cost(sum(cost.characters for cost in known), sum(cost.tokens for cost in known))


def shown(tool: Tool) -> str:
    """Write a tool as a model is shown it."""
    return compact(
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
    )
