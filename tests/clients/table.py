"""What a client reported comes in, its line of docs/clients.md goes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tests.clients.run import INSPECTOR, Transport, Way, pinned

if TYPE_CHECKING:
    from tests.clients.inspector import Surface

HEAD = (
    "| client | version | connected | called | answered |",
    "|---|---|---|---|---|",
)
CLAUDE = "@anthropic-ai/claude-code"


def library_row(way: Way, said: Mapping[str, Any]) -> str:
    """Write the line of a client that listed the tools and called both."""
    connected: list[str] = [way.transport]
    if way.era:
        connected.append(f"{way.era}: {said['protocol']}")
    hit, text = said["hit"], " ".join(said["text"].split())
    answered = f"`{hit['source']}` chunk {hit['chunk_index']}: {text}"
    return _row(
        way.client, ", ".join(connected), f"tools/list, {', '.join(said['tools'])}", answered
    )


def over_two_row(way: Way, search: Mapping[str, str], said: Mapping[str, Any]) -> str:
    """Write the line of a client of one server of two blogs."""
    asked = ", ".join(f'{name}="{value}"' for name, value in search.items())
    hit, text = said["hit"], " ".join(said["text"].split())
    return _row(
        way.client,
        f"{way.transport}, two blogs",
        f"search_blog {asked}, read_chunk",
        f"`{hit['source']}` chunk {hit['chunk_index']}: {text}",
    )


def inspector_row(era: str, surface: Surface) -> str:
    """Write the line of Inspector over stdio in one era."""
    called = "tools/list --strict, resources, templates, prompts, search_blog, read_chunk"
    return _row(INSPECTOR, f"stdio, {era}", called, surface.answered)


def strict_row(transport: Transport, era: str, tools: Sequence[str], complaints: str) -> str:
    """Write the line of Inspector's look at the tools alone."""
    answered = f"{complaints or 'clean'}; {len(tools)} tools"
    return _row(INSPECTOR, f"{transport}, {era}", "tools/list --strict", answered)


def claude_row(status: str) -> str:
    """Write the line of Claude Code; `status` is what it says of the entry."""
    return _row(CLAUDE, "stdio, by the entry of `install`", "`claude mcp list`", status)


def _row(client: str, *cells: str) -> str:
    return f"| {' | '.join([client, pinned(client), *cells])} |"
