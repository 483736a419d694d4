"""Complete an argument of a prompt or resource template as a person types it.

What begins with the typed text comes first, then what has a word that does, then what holds
it anywhere; a post is found by its title too, since few people know its path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp.types import Completion, PromptReference

from blog_search_mcp.index.errors import IndexMissing, UnknownPost
from blog_search_mcp.server.protocol.errors import invalid_params
from blog_search_mcp.server.protocol.prompts import COMPARE, argument_names, find_prompt
from blog_search_mcp.server.protocol.uris import CHUNK_TEMPLATE, POST_TEMPLATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcp.types import ResourceTemplateReference

    from blog_search_mcp.index.store.listing import Listing
    from blog_search_mcp.server.engine import Searcher

MOST = 100
"""The specification's limit."""
TYPED = 200
"""Characters of the typed text that are looked at."""

_VARIABLES = {POST_TEMPLATE: ("path",), CHUNK_TEMPLATE: ("path", "index")}


def complete(
    searcher: Searcher,
    reference: PromptReference | ResourceTemplateReference,
    argument: str,
    typed: str,
    given: Mapping[str, str],
) -> Completion:
    """Complete an argument of a template or prompt; `given` are those already filled in.

    Raises MCPError for a template, prompt or argument that does not exist, IndexProblem.
    """
    if isinstance(reference, PromptReference):
        known = argument_names(find_prompt(reference.name))
    else:
        known = _variables(reference.uri)
    if argument not in known:
        raise invalid_params(f"Unknown argument {argument[:80]!r}; there is {' and '.join(known)}.")
    try:
        values = _values(searcher, reference, argument, typed[:TYPED], given)
    except (IndexMissing, UnknownPost):  # nothing to choose from, which is no failure
        values = []
    return Completion(values=values[:MOST], total=len(values), has_more=len(values) > MOST)


def _values(
    searcher: Searcher,
    reference: PromptReference | ResourceTemplateReference,
    argument: str,
    typed: str,
    given: Mapping[str, str],
) -> list[str]:
    if argument == "path" or getattr(reference, "name", None) == COMPARE.name:
        return rank_posts(searcher.listing(), typed)
    if argument == "index":
        parts = searcher.outline(given.get("path", "")).parts
        return [str(part.chunk_index) for part in parts if str(part.chunk_index).startswith(typed)]
    return rank_words(searcher.listing(), typed) if argument == "topic" else []


def rank_posts(listing: Listing, typed: str) -> list[str]:
    """Return the sources of matching posts."""
    ranked = [
        (min(_rank(source, typed), _rank(title, typed)), source)
        for source, title in listing.names()
    ]
    return _best(ranked)


def rank_words(listing: Listing, typed: str) -> list[str]:
    """Return matching tags and sections; one that is both stands once."""
    names = dict.fromkeys([*listing.tags(), *listing.sections()])
    return _best([(_rank(name, typed), name) for name in names])


def _best(ranked: Iterable[tuple[int, str]]) -> list[str]:
    """Return what matches, best first, and within one rank as it was."""
    return [name for rank, name in sorted(ranked, key=lambda pair: pair[0]) if rank < _NONE]


_NONE = 3


def _rank(name: str, typed: str) -> int:
    name, typed = name.casefold(), typed.strip().casefold()
    if name.startswith(typed):
        return 0
    place = name.find(typed)
    if place < 0:
        return _NONE
    begins = any(
        not name[at - 1].isalnum() for at in range(place, len(name)) if name.startswith(typed, at)
    )
    return 1 if begins else 2


def _variables(template: str) -> tuple[str, ...]:
    if template not in _VARIABLES:
        raise invalid_params(
            f"Unknown template {template[:80]!r}; there is {' and '.join(_VARIABLES)}."
        )
    return _VARIABLES[template]
