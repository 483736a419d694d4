"""`blog-server tokens`: print what the tools and their typical answers cost a model.

Typical answers are real ones: the titles of the newest posts are the queries, and what they find
is read. Without an index there are only the definitions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from blog_search_mcp.index.errors import BlogSearchError, IndexMissing
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.cli.terminal import tell
from blog_search_mcp.server.engine import Searcher
from blog_search_mcp.server.format.results import count_columns, to_json
from blog_search_mcp.server.library.library import engine_for
from blog_search_mcp.server.protocol.instructions import instructions
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.base import Tool
from blog_search_mcp.server.tools.registry import Tools, tools_for

WINDOW = 200_000
"""Tokens: the context window that shares are given of."""
PER_TOKEN = 4
"""Characters: for English prose and JSON within a few per cent of the tokenizers in use."""


@dataclass(frozen=True, slots=True)
class Cost:
    """One text, or several together."""

    characters: int = 0
    tokens: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.characters + other.characters, self.tokens + other.tokens)


def estimate_cost(text: str) -> Cost:
    """Estimate: a token for PER_TOKEN characters begun, and one for each wide one (Chinese)."""
    wide = count_columns(text) - len(text)
    return Cost(len(text), wide + -(-(len(text) - wide) // PER_TOKEN))


def definition_of(tool: Tool[Any]) -> str:
    """Write a tool as it stands in a model's context."""
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
    """Print the table; returns the exit status, 1 if there is an index that cannot be used."""
    engine = engine_for(settings)
    tools = tools_for(settings.toolset, engine.status.blogs)
    try:
        answers = typical_answers(tools, engine)
    except IndexMissing as error:
        answers = {}
        tell(str(error), settings)
    except BlogSearchError as error:
        tell(str(error), settings)
        return 1
    about = estimate_cost(instructions(engine.status))
    sys.stdout.write("\n".join(table(tools, about, answers)) + "\n")
    return 0


def typical_answers(offered: Tools, searcher: Searcher) -> dict[str, Cost]:
    """Return the median answer by tokens of each tool. Raises BlogSearchError."""
    costs: dict[str, list[Cost]] = {}
    tools = {tool.name: tool for tool in offered}
    for name, arguments in _calls(searcher):
        if tool := tools.get(name):
            text = "\n".join(tool.call(searcher, arguments).texts)
            costs.setdefault(name, []).append(estimate_cost(text))
    for several in costs.values():
        several.sort(key=lambda cost: cost.tokens)
    return {name: several[(len(several) - 1) // 2] for name, several in costs.items()}


def table(tools: Tools, about: Cost, answers: dict[str, Cost]) -> list[str]:
    """Write a row for the instructions, for each tool and for all, then the shares."""
    definitions = {tool.name: estimate_cost(definition_of(tool)) for tool in tools}
    before = sum(definitions.values(), about)
    once = sum(answers.values(), Cost())
    rows = [
        _row("", "definition", "", "answer", ""),
        _row("", "characters", "tokens", "characters", "tokens"),
        _costs("instructions", about),
        *(_costs(name, cost, answers.get(name)) for name, cost in definitions.items()),
        _costs("in all", before, once if answers else None),
        "",
        f"Before the first question: {_share(before)}.",
    ]
    if answers:
        rows.append(f"With one answer of each tool: {_share(before + once)}.")
    return [*rows, BASIS]


def _calls(searcher: Searcher) -> Iterator[tuple[str, dict[str, Any]]]:
    for post in searcher.listing().posts(Filters(), "newest", SAMPLE, 0).page:
        yield "search_blog", {"query": post.title}
        yield "timeline", {"subject": post.title}
        for hit in searcher.search(post.title, Filters(), limit=1, offset=0).hits:
            yield "read_chunk", {"source": hit.chunk.source, "chunk_index": hit.chunk.index}
        for name in ("get_outline", "find_similar", "suggest_links"):
            yield name, {"source": post.source}
    yield "list_posts", {}


def _costs(name: str, *costs: Cost | None) -> str:
    numbers = (number for cost in costs if cost for number in (cost.characters, cost.tokens))
    return _row(name, *(f"{number:,}" for number in numbers))


def _row(name: str, *cells: str) -> str:
    return f"{name:<14}{''.join(f'{cell:>12}' for cell in cells)}".rstrip()


def _share(cost: Cost) -> str:
    return f"{cost.tokens:,} tokens, {cost.tokens / WINDOW:.2%} of a window of {WINDOW:,}"
