"""Complete an argument of a prompt or resource template as a person types it.

A post is found by any part of its path or of its title, since few people know its path.
"""

from __future__ import annotations

from typing import Any

from mcp.server import ServerRequestContext
from mcp.types import CompleteRequestParams, CompleteResult, Completion, PromptReference

from blog_search_mcp.index.errors import IndexMissing, UnknownPost
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.protocol.errors import invalid_params
from blog_search_mcp.server.protocol.prompts import Prompts, argument_names, find_prompt
from blog_search_mcp.server.protocol.resources import CHUNK_TEMPLATE, POST_TEMPLATE

MOST = 100
"""The specification's limit."""
OF_POSTS = {"path", "a", "b", "draft"}
"""Arguments that name a post."""
VARIABLES = {POST_TEMPLATE: ["path"], CHUNK_TEMPLATE: ["path", "index"]}


def complete(
    engine: Engine,
    offered: Prompts,
    _context: ServerRequestContext[Any],
    params: CompleteRequestParams,
) -> CompleteResult:
    """Complete an argument with what holds the typed text.

    Raises MCPError for a template, prompt or argument that does not exist, IndexProblem.
    """
    known, argument = _argument_names(offered, params), params.argument.name
    if argument not in known:
        raise invalid_params(f"Unknown argument {argument[:80]!r}; there is {' and '.join(known)}.")
    typed = params.argument.value.strip().casefold()
    try:
        choices = _choices(engine, params)
    except (IndexMissing, UnknownPost):  # nothing to choose from, which is no failure
        choices = {}
    values = [name for name, words in choices.items() if typed in words.casefold()]
    return CompleteResult(
        completion=Completion(values=values[:MOST], total=len(values), has_more=len(values) > MOST)
    )


def _argument_names(prompts: Prompts, params: CompleteRequestParams) -> list[str]:
    if isinstance(params.ref, PromptReference):
        return argument_names(find_prompt(prompts, params.ref.name))
    if params.ref.uri in VARIABLES:
        return VARIABLES[params.ref.uri]
    known = " and ".join(VARIABLES)
    raise invalid_params(f"Unknown template {params.ref.uri[:80]!r}; there is {known}.")


def _choices(engine: Engine, params: CompleteRequestParams) -> dict[str, str]:
    """Return the values of an argument, each with the words that it is found by."""
    argument = params.argument.name
    if argument in OF_POSTS:
        return {source: f"{source}\n{title}" for source, title in engine.listing().names()}
    if argument == "index":
        given = (params.context.arguments if params.context else None) or {}
        parts = engine.outline(given.get("path", "")).parts
        return {str(part.chunk_index): str(part.chunk_index) for part in parts}
    if argument == "topic":
        overview = engine.overview
        sections = sorted(overview.sections, key=lambda section: -section[1])
        return {name: name for name, _posts in (*overview.tags, *sections)}
    return {}
