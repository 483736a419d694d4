"""What clients reported comes in, the table of docs/clients.md goes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.clients.run import INSPECTOR, Transport, Way, pinned

if TYPE_CHECKING:
    from tests.clients.inspector import Surface

HEAD = (
    "| client | version | connected | called | answered |",
    "|---|---|---|---|---|",
)
CLAUDE = "@anthropic-ai/claude-code"
BETWEEN = "; "
"""Ways of connecting in one cell."""


class Row(NamedTuple):
    """A client, one way in which it connected, and what came of it."""

    client: str
    version: str
    connected: str
    called: str
    answered: str


def write_table(rows: Iterable[Row]) -> Iterator[str]:
    """Write the lines of the table; what answered a client alike is one of them."""
    ways: dict[Row, list[str]] = {}
    for row in rows:
        ways.setdefault(row._replace(connected=""), []).append(row.connected)
    yield from HEAD
    for row, connected in ways.items():
        yield f"| {' | '.join(row._replace(connected=BETWEEN.join(connected)))} |"


def read_table(page: str) -> list[Row]:
    """Read the rows of the table that a page holds."""
    lines = page[page.index(HEAD[1]) :].partition("\n\n")[0].splitlines()[1:]
    found = [Row(*line.removeprefix("| ").removesuffix(" |").split(" | ")) for line in lines]
    return [row._replace(connected=way) for row in found for way in row.connected.split(BETWEEN)]


def library_row(way: Way, said: Mapping[str, Any]) -> Row:
    """Describe a client that listed the tools and called both."""
    connected: list[str] = [way.transport]
    if way.era:
        connected.append(f"{way.era}: {said['protocol']}")
    called = f"tools/list, {', '.join(said['tools'])}"
    return _row(way.client, ", ".join(connected), called, _name_passage(said["hit"]))


def inspector_row(era: str, surface: Surface) -> Row:
    """Describe Inspector over stdio in one era."""
    called = "tools/list --strict, resources, templates, prompts, search_blog, read_chunk"
    return _row(INSPECTOR, f"stdio, {era}", called, surface.answered)


def strict_row(transport: Transport, era: str, tools: Sequence[str], complaints: str) -> Row:
    """Describe Inspector's look at the tools alone."""
    answered = f"{complaints or 'clean'}; {len(tools)} tools"
    return _row(INSPECTOR, f"{transport}, {era}", "tools/list --strict", answered)


def claude_row(status: str) -> Row:
    """Describe Claude Code; `status` is what it says of the entry."""
    return _row(CLAUDE, "stdio, by the entry of `install`", "`claude mcp list`", status)


def _name_passage(hit: Mapping[str, Any]) -> str:
    return f"`{hit['source']}` chunk {hit['chunk_index']}"


def _row(client: str, connected: str, called: str, answered: str) -> Row:
    return Row(client, pinned(client), connected, called, answered)
