"""`ask`: one question through a real MCP client, over stdio, to a server of our own.

What any client does, to see that all of it works: search_blog, then read_chunk of the
best hit. The client knows the server by its protocol alone.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import CallToolResult, TextContent
from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from server.settings import Settings


class FailedError(Exception):
    """The server answered with an error, or found nothing; the message is its sentence."""


def ask(settings: Settings, question: str) -> int:
    """Print the hits and the best one's text; returns the exit status, 1 if there is none."""
    status = 0
    try:
        anyio.run(_converse, server_command(settings), question, plain_console())
    except* (FailedError, MCPError, OSError) as group:
        sys.stderr.write("".join(f"{error}\n" for error in _leaves(group)))
        status = 1
    return status


def plain_console() -> Console:
    """Make a console that prints a post's text as it is: not wrapped, no smileys for codes."""
    return Console(soft_wrap=True, highlight=False, emoji=False)


def server_command(settings: Settings) -> StdioServerParameters:
    """Say how a client starts this server.

    In the package's own folder, so that no other module named `server` can stand in for it.
    """
    return StdioServerParameters(
        command=sys.executable,
        args=[
            *("-m", "server"),
            *("--index", str(settings.index)),
            *("--ollama-host", settings.ollama_host),
        ],
        cwd=Path(__file__).resolve().parents[1],
    )


async def _converse(command: StdioServerParameters, question: str, console: Console) -> None:
    async with Client(command) as client:
        found = _facts(await client.call_tool("search_blog", {"query": question}))
        _print_hits(found, console)
        if not found["results"]:
            raise FailedError(found["notice"])
        best = found["results"][0]
        chosen = {"source": best["source"], "chunk_index": best["chunk_index"]}
        text, place = _texts(await client.call_tool("read_chunk", chosen))
        console.print(f"\n{escape(text)}\n\n[dim]{escape(place)}[/dim]")


def _print_hits(found: dict[str, Any], console: Console) -> None:
    if found["results"]:
        console.print(f"Confidence: {found['confidence']}")
        if found.get("notice"):
            console.print(f"[yellow]{escape(found['notice'])}[/yellow]")
    for number, hit in enumerate(found["results"], 1):
        heading = f" › {hit['heading']}" if "heading" in hit else ""
        place = f"{hit['source']} chunk {hit['chunk_index']}"
        console.print(
            f"{number}. [bold]{escape(hit['title'])}[/bold]{escape(heading)}"
            f"  [cyan]{escape(place)}[/cyan]  {hit['score']:.3f}"
        )
        console.print(f"   [dim]{escape(hit['preview'])}[/dim]")
        for language, source in hit.get("translations", {}).items():
            console.print(f"   [dim]also in {language}: {escape(source)}[/dim]")


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
