"""Prompts for common tasks.

A person picks a prompt in a client. Prompts contain no text of the blog, so their size is the same
for every blog. The model reads posts through the tools.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from mcp import MCPError, types

from blog_search_mcp.server.mcp.resources import Context
from blog_search_mcp.server.settings import ToolsetName

Prompts: TypeAlias = Mapping[str, types.Prompt]  # by name
_PROMPTS = json.loads(Path(__file__).with_name("prompts.json").read_text(encoding="utf-8"))
"""Prompts by name: title, description, required arguments with descriptions, and lines of text."""


def offered_prompts(toolset: ToolsetName) -> Prompts:
    """Return the prompts of a toolset by name."""
    return {
        name: types.Prompt(
            name=name,
            title=row["title"],
            description=row["description"],
            arguments=[
                types.PromptArgument(name=argument, description=description, required=True)
                for argument, description in row["arguments"].items()
            ],
        )
        for name, row in _PROMPTS.items()
        if toolset == "author" or "for_authors" not in row
    }


def get_prompt(
    offered: Prompts, _context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult:
    """Fill in a prompt. Raises MCPError for an unknown prompt and for wrong arguments."""
    if params.name not in offered:
        sentence = f"Unknown prompt {params.name[:80]!r}; there is {', '.join(offered)}."
        raise MCPError(types.INVALID_PARAMS, sentence)
    names = [argument.name for argument in offered[params.name].arguments or ()]
    values = {name: value.strip() for name, value in (params.arguments or {}).items()}
    if values.keys() != set(names) or not all(values.values()):
        sentence = f"{params.name} takes {' and '.join(names)}, not blank, and nothing else."
        raise MCPError(types.INVALID_PARAMS, sentence)
    text = types.TextContent(text="\n".join(_PROMPTS[params.name]["text"]).format_map(values))
    return types.GetPromptResult(
        description=offered[params.name].description,
        messages=[types.PromptMessage(role="user", content=text)],
    )
