"""Prompts: instructions for common tasks, filled in with a person's arguments.

A person picks these in a client. They hold no text of the blog: the model reads what it needs
through the tools, so the message costs the same for every blog. The SDK leaves their arguments
unchecked.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from mcp.server import ServerRequestContext
from mcp.types import (
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from blog_search_mcp.server.format.results import replace_surrogates
from blog_search_mcp.server.protocol.errors import invalid_params
from blog_search_mcp.server.tools.base import TEXT_LENGTH, Tool
from blog_search_mcp.server.tools.find_similar import FIND_SIMILAR

Prompts: TypeAlias = Mapping[str, Prompt]
"""By name."""

_TABLE = tomllib.loads(Path(__file__).with_name("prompts.toml").read_text(encoding="utf-8"))
PROMPTS: Prompts = {
    name: Prompt(
        name=name,
        title=row["title"],
        description=row["description"],
        arguments=[
            PromptArgument(name=argument, description=said, required=True)
            for argument, said in row["arguments"].items()
        ],
    )
    for name, row in _TABLE.items()
}
READERS: Prompts = {name: PROMPTS[name] for name in _TABLE if "for_authors" not in _TABLE[name]}
"""The others need the author's tools."""


def offered_prompts(tools: Iterable[Tool[Any]]) -> Prompts:
    """Return the prompts for a client that is offered these tools."""
    return PROMPTS if any(tool.name == FIND_SIMILAR.name for tool in tools) else READERS


def find_prompt(prompts: Prompts, name: str) -> Prompt:
    """Return the prompt. Raises MCPError."""
    prompt = prompts.get(name)
    if prompt is None:
        raise invalid_params(f"Unknown prompt {name[:80]!r}; there is {', '.join(prompts)}.")
    return prompt


def argument_names(prompt: Prompt) -> list[str]:
    """Return the names of a prompt's arguments."""
    return [argument.name for argument in prompt.arguments or ()]


def list_prompts(offered: Prompts, *_request: Any) -> ListPromptsResult:
    """List the prompts, all on one page."""
    return ListPromptsResult(prompts=list(offered.values()))


def get_prompt(
    offered: Prompts, _context: ServerRequestContext[Any], params: GetPromptRequestParams
) -> GetPromptResult:
    """Fill in a prompt. Raises MCPError for an unknown one, and for wrong arguments."""
    prompt, given = find_prompt(offered, params.name), params.arguments or {}
    names = argument_names(prompt)
    if other := next((argument for argument in given if argument not in names), None):
        raise invalid_params(
            f"{prompt.name} has no argument {other[:80]!r}; it takes {', '.join(names)}."
        )
    filled = {argument: _value(prompt.name, argument, given) for argument in names}
    text = TextContent(text=_TABLE[prompt.name]["text"].format_map(filled))
    return GetPromptResult(
        description=prompt.description, messages=[PromptMessage(role="user", content=text)]
    )


def _value(prompt: str, argument: str, given: Mapping[str, str]) -> str:
    value = replace_surrogates(given.get(argument, "").strip())
    if not value:
        raise invalid_params(f"{prompt} needs {argument}, which is missing or blank.")
    if len(value) > TEXT_LENGTH:
        raise invalid_params(f"{argument} must be at most {TEXT_LENGTH:,} characters.")
    return value
