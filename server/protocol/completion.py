"""Complete an argument of a prompt or resource template as a person types it.

What begins with the typed text comes first, then what has a word that does, then what holds
it anywhere; a post is found by its title too, since few people know its path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
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
TYPED = 200
"""Characters of the typed text that are looked at."""
OF_POSTS = {"path", "a", "b", "draft"}
"""Arguments that name a post."""
VARIABLES = {POST_TEMPLATE: ("path",), CHUNK_TEMPLATE: ("path", "index")}


def complete(
    searcher: Engine,
    offered: Prompts,
    _context: ServerRequestContext[Any],
    params: CompleteRequestParams,
) -> CompleteResult:
    """Complete an argument.

    Raises MCPError for a template, prompt or argument that does not exist, IndexProblem.
    """
    known, argument = _argument_names(offered, params), params.argument.name
    if argument not in known:
        raise invalid_params(f"Unknown argument {argument[:80]!r}; there is {' and '.join(known)}.")
    try:
        values = _values(searcher, params)
    except (IndexMissing, UnknownPost):  # nothing to choose from, which is no failure
        values = []
    return CompleteResult(
        completion=Completion(values=values[:MOST], total=len(values), has_more=len(values) > MOST)
    )


def _argument_names(prompts: Prompts, params: CompleteRequestParams) -> tuple[str, ...]:
    if isinstance(params.ref, PromptReference):
        return argument_names(find_prompt(prompts, params.ref.name))
    if params.ref.uri in VARIABLES:
        return VARIABLES[params.ref.uri]
    known = " and ".join(VARIABLES)
    raise invalid_params(f"Unknown template {params.ref.uri[:80]!r}; there is {known}.")


def _values(searcher: Engine, params: CompleteRequestParams) -> list[str]:
    argument, typed = params.argument.name, params.argument.value[:TYPED]
    if argument in OF_POSTS:
        posts = searcher.listing().names()
        return _best(
            (min(_rank(source, typed), _rank(title, typed)), source) for source, title in posts
        )
    if argument == "index":
        given = (params.context.arguments if params.context else None) or {}
        parts = searcher.outline(given.get("path", "")).parts
        return [str(part.chunk_index) for part in parts if str(part.chunk_index).startswith(typed)]
    if argument == "topic":
        overview = searcher.overview
        sections = sorted(overview.sections, key=lambda section: -section[1])
        names = dict.fromkeys(name for name, _posts in (*overview.tags, *sections))
        return _best((_rank(name, typed), name) for name in names)
    return []


def _best(ranked: Iterable[tuple[int, str]]) -> list[str]:
    """Return what matches, best first, and within one rank as it was."""
    return [name for rank, name in sorted(ranked, key=lambda pair: pair[0]) if rank < _NONE]


_NONE = 3


def _rank(name: str, typed: str) -> int:
    name, typed = name.casefold(), typed.strip().casefold()
    if typed not in name:
        return _NONE
    if name.startswith(typed):
        return 0
    return 1 if re.search(rf"(?<![^\W_]){re.escape(typed)}", name) else 2
