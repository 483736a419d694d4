"""`ask`: one question through a real MCP client, over stdio, to a server of our own.

What any client does, to see that all of it works: search_blog, then read_chunk of the
best hit. The client knows the server by its protocol alone.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import CallToolResult, TextContent
from rich.console import Console
from rich.markup import escape

from blog_search_mcp.server.cli.terminal import escape_controls

if TYPE_CHECKING:
    from blog_search_mcp.server.settings import Settings


class FailedError(Exception):
    """The server answered with an error, or found nothing; the message is its sentence."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What the server answered."""

    found: dict[str, Any]
    """The facts of search_blog, with at least one hit."""
    text: str
    """The best hit's."""
    place: str
    """Where it stands."""


def ask(settings: Settings, question: str) -> int:
    """Print the hits and the best one's text; returns the exit status, 1 if there is none.

    Printed only once the server has ended: a reader who closes the pipe early then ends
    the printing and nothing else.
    """
    heard: list[Heard] = []
    try:
        heard.append(anyio.run(_converse, server_command(settings), question))
    except* (FailedError, MCPError, OSError) as group:
        sys.stderr.write("".join(f"{error}\n" for error in _leaves(group)))
    for each in heard:
        show(each, plain_console())
    return 0 if heard else 1


def plain_console() -> Console:
    """Make a console that prints a post's text as it is: not wrapped, no smileys for codes."""
    return Console(soft_wrap=True, highlight=False, emoji=False)


def server_command(settings: Settings) -> StdioServerParameters:
    """Say how a client starts this server, whatever modules lie in the current folder."""
    return StdioServerParameters(
        command=sys.executable,
        args=[
            *("-P", "-m", "blog_search_mcp.server"),
            *("--index", str(settings.index)),
            *("--embedder-url", settings.embedder_url),
            *(("--content", str(settings.content)) if settings.content else ()),
        ],
    )


async def _converse(command: StdioServerParameters, question: str) -> Heard:
    async with Client(command) as client:
        found = _facts(await client.call_tool("search_blog", {"query": question}))
        if not found["results"]:
            raise FailedError(found["notice"])
        best = found["results"][0]
        chosen = {"source": best["source"], "chunk_index": best["chunk_index"]}
        text, place = _texts(await client.call_tool("read_chunk", chosen))
        return Heard(found, text, place)


def show(heard: Heard, console: Console) -> None:
    """Print what the server answered, in one piece, so that `head` may end when it has enough."""
    with console:
        _print_hits(heard.found, console)
        console.print(f"\n{_shown(heard.text)}\n\n[dim]{_shown(heard.place)}[/dim]")


def _print_hits(found: dict[str, Any], console: Console) -> None:
    console.print(f"Confidence: {found['confidence']}")
    if found.get("notice"):
        console.print(f"[yellow]{_shown(found['notice'])}[/yellow]")
    for number, hit in enumerate(found["results"], 1):
        heading = f" › {hit['heading']}" if "heading" in hit else ""
        place = f"{hit['source']} chunk {hit['chunk_index']}"
        console.print(
            f"{number}. [bold]{_shown(hit['title'])}[/bold]{_shown(heading)}"
            f"  [cyan]{_shown(place)}[/cyan]  {hit['score']:.3f}"
        )
        console.print(f"   [dim]{_shown(hit['preview'])}[/dim]")
        for language, source in hit.get("translations", {}).items():
            console.print(f"   [dim]also in {language}: {_shown(source)}[/dim]")


def _shown(text: str) -> str:
    """Return `text` as a terminal may have it: no markup of rich's, no controls of its own."""
    return escape(escape_controls(text))


def _facts(result: CallToolResult) -> dict[str, Any]:
    _texts(result)
    facts: dict[str, Any] = result.structured_content or {}
    return facts


def _texts(result: CallToolResult) -> list[str]:
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    if result.is_error:
        raise FailedError(" ".join(texts))
    return texts


def _leaves(group: BaseExceptionGroup[Any]) -> list[BaseException]:
    found: list[BaseException] = []
    for error in group.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found
