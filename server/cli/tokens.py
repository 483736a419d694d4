"""`blog-server tokens`: print what the tools and their typical answers cost a model.

Typical answers are real ones: the titles of the newest posts are the queries, and what they find
is read. Without an index there are only the definitions.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from statistics import median_low
from typing import TYPE_CHECKING, Any

from blog_search_mcp.index.errors import BlogSearchError, IndexMissing
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.format.text import count_columns, to_json
from blog_search_mcp.server.protocol.instructions import instructions
from blog_search_mcp.server.tools.registry import Toolset

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from blog_search_mcp.server.engine import Searcher
    from blog_search_mcp.server.settings import Settings
    from blog_search_mcp.server.tools.base import Tool

WINDOW = 200_000
"""Tokens: the context window that shares are given of."""
PER_TOKEN = 4
"""Characters: for English prose and JSON within a few per cent of the tokenizers in use."""


@dataclass(frozen=True, slots=True)
class Cost:
    """One text, or several together."""

    characters: int = 0
    tokens: int = 0


def estimate_cost(text: str) -> Cost:
    """Estimate: a token for PER_TOKEN characters begun, and one for each wide one (Chinese)."""
    wide = count_columns(text) - len(text)
    return Cost(len(text), wide + -(-(len(text) - wide) // PER_TOKEN))


def add_costs(costs: Iterable[Cost]) -> Cost:
    """Add costs up."""
    known = tuple(costs)
    return Cost(sum(cost.characters for cost in known), sum(cost.tokens for cost in known))


def definition_of(tool: Tool[Any]) -> str:
    """Write a tool as a model is shown it."""
    return to_json(
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
    )


SAMPLE = 5
"""Posts whose titles are the queries."""
BASIS = (
    f"Tokens are estimated: one for {PER_TOKEN} characters, and one for each Chinese, Japanese "
    "or Korean character. Tokenizers differ from that by some per cent."
)


def tokens(settings: Settings) -> int:
    """Print the table; returns the exit status, 1 if there is an index that cannot be asked."""
    toolset, engine = Toolset(settings.extended), engine_for(settings)
    try:
        answers = typical_answers(toolset, engine)
    except IndexMissing as error:
        answers = {}
        sys.stderr.write(f"{error}\n")
    except BlogSearchError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    about = estimate_cost(instructions(engine.folder))
    sys.stdout.write("\n".join(table(toolset, about, answers)) + "\n")
    return 0


def typical_answers(toolset: Toolset, searcher: Searcher) -> dict[str, Cost]:
    """By tool, the median answer by tokens. Raises BlogSearchError."""
    costs: dict[str, list[Cost]] = {}
    for name, arguments in _calls(searcher):
        if tool := toolset.find(name):
            text = "\n".join(tool.call(searcher, arguments).texts)
            costs.setdefault(name, []).append(estimate_cost(text))
    return {name: _median(found) for name, found in costs.items()}


def table(toolset: Toolset, about: Cost, answers: dict[str, Cost]) -> list[str]:
    """Write a row for the instructions, for each tool and for all, then the shares."""
    definitions = {tool.name: estimate_cost(definition_of(tool)) for tool in toolset.tools}
    before = add_costs([about, *definitions.values()])
    once = add_costs(answers.values())
    rows = [
        _row("", "definition", "", "answer", ""),
        _row("", "characters", "tokens", "characters", "tokens"),
        _costs("instructions", about, None),
        *(_costs(name, cost, answers.get(name)) for name, cost in definitions.items()),
        _costs("in all", before, once if answers else None),
        "",
        f"Before the first question: {_share(before)}.",
    ]
    if answers:
        rows.append(f"With one answer of each tool: {_share(add_costs([before, once]))}.")
    return [*rows, BASIS]


def _calls(searcher: Searcher) -> Iterator[tuple[str, dict[str, Any]]]:
    for post in searcher.listing().posts(Filters(), "newest", SAMPLE, 0).page:
        yield "search_blog", {"query": post.title}
        found = searcher.search(post.title, Filters(), limit=1, offset=0).hits
        for hit in found:
            chunk = hit.chunk
            yield "read_chunk", {"source": chunk.source, "chunk_index": chunk.index}
        yield "get_outline", {"source": post.source}
    yield "list_posts", {}


def _median(costs: Sequence[Cost]) -> Cost:
    middle = median_low(cost.tokens for cost in costs)
    return next(cost for cost in costs if cost.tokens == middle)


def _costs(name: str, definition: Cost, answer: Cost | None) -> str:
    weighed = [definition.characters, definition.tokens]
    weighed += [] if answer is None else [answer.characters, answer.tokens]
    return _row(name, *(f"{number:,}" for number in weighed))


def _row(name: str, *cells: str) -> str:
    return f"{name:<14}{''.join(f'{cell:>12}' for cell in cells)}".rstrip()


def _share(cost: Cost) -> str:
    return f"{cost.tokens:,} tokens, {cost.tokens / WINDOW:.2%} of a window of {WINDOW:,}"
