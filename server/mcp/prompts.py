"""Prompts for common tasks, and the completion of arguments as a person types.

A person picks a prompt in a client. Prompts hold no text of the blog, which the model reads through
the tools, so their size is the same for every blog.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from mcp import MCPError, types

from blog_search_mcp.index.errors import IndexMissing
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.mcp.resources import TEMPLATE, Context
from blog_search_mcp.server.settings import ToolsetName

Prompts: TypeAlias = Mapping[str, types.Prompt]  # by name

_PROMPTS = json.loads(Path(__file__).with_name("prompts.json").read_text(encoding="utf-8"))
"""Prompts by name: title, description, required arguments with descriptions, and lines of text."""
MAX_COMPLETIONS = 100
"""Largest number of completions in a reply, by the specification of MCP."""


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


def argument_names(prompts: Prompts, name: str) -> list[str]:
    """Return the names of a prompt's arguments. Raises MCPError for an unknown prompt."""
    if name not in prompts:
        sentence = f"Unknown prompt {name[:80]!r}; there is {', '.join(prompts)}."
        raise MCPError(types.INVALID_PARAMS, sentence)
    return [argument.name for argument in prompts[name].arguments or ()]


def get_prompt(
    offered: Prompts, _context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult:
    """Fill in a prompt. Raises MCPError for an unknown prompt and for wrong arguments."""
    names = argument_names(offered, params.name)
    values = {name: value.strip() for name, value in (params.arguments or {}).items()}
    if values.keys() != set(names) or not all(values.values()):
        sentence = f"{params.name} takes {' and '.join(names)}, not blank, and nothing else."
        raise MCPError(types.INVALID_PARAMS, sentence)
    text = types.TextContent(text="\n".join(_PROMPTS[params.name]["text"]).format_map(values))
    return types.GetPromptResult(
        description=offered[params.name].description,
        messages=[types.PromptMessage(role="user", content=text)],
    )


def complete(
    engine: Engine, offered: Prompts, _context: Context, params: types.CompleteRequestParams
) -> types.CompleteResult:
    """Complete an argument by the values that contain the typed text.

    A post is found by any part of its path or title, since few people know paths. Raises
    IndexProblem, and MCPError for a template, prompt or argument that does not exist.
    """
    ref, argument = params.ref, params.argument
    if isinstance(ref, types.PromptReference):
        names = argument_names(offered, ref.name)
    else:
        names = ["path"] if ref.uri == TEMPLATE.uri_template else []
    if argument.name not in names:
        sentence = f"Nothing is called {argument.name[:80]!r} there."
        raise MCPError(types.INVALID_PARAMS, sentence)
    typed, choices = argument.value.strip().casefold(), dict[str, str]()
    with suppress(IndexMissing):  # without an index there are no completions
        if argument.name == "topic":
            overview = engine.overview
            sections = sorted(overview.sections, key=lambda section: -section[1])
            choices = {name: name for name, _posts in (*overview.tags, *sections)}
        elif argument.name != "question":
            posts = engine.reader().snapshot.catalog.titles_by_source()
            choices = {source: f"{source}\n{title}" for source, title in posts}
    values = [name for name, words in choices.items() if typed in words.casefold()]
    total, more = len(values), len(values) > MAX_COMPLETIONS
    completion = types.Completion(values=values[:MAX_COMPLETIONS], total=total, has_more=more)
    return types.CompleteResult(completion=completion)
