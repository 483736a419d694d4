"""The product by its front doors: an ingest, a command, a tool, each given text and giving text.

New tests use this alone. Everything runs in this process and as a user has it, with the embedder
of the package; where the doors lie inside the product is known here and nowhere else.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.types import TextContent

from blog_search_mcp.ingest import cli as ingest_cli
from blog_search_mcp.server.__main__ import run
from blog_search_mcp.server.cli.parser import read_settings
from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.tools.registry import AUTHOR, EXTENDED


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Reply:
    """What a tool answers."""

    text: str
    facts: Any
    is_error: bool


@dataclass(frozen=True)
class Blog:
    """A folder of posts, and the index made of it."""

    content: Path
    index: Path

    def write(self, posts: Mapping[str, str | bytes]) -> None:
        """Write files below the content folder, by path."""
        for name, text in posts.items():
            path = self.content / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)

    def ingest(self, *options: str) -> Ran:
        """Bring the index up to date, by the embedder in the package unless options say more."""
        if "--embedder" not in options:
            options = ("--embedder", "embedded", *options)
        arguments = [str(self.content), "--index", str(self.index), *options]
        out, err = io.StringIO(), io.StringIO()
        status = ingest_cli.run(ingest_cli.read_settings(arguments, {}), out, err)
        return Ran(status, out.getvalue(), err.getvalue())

    def command(self, *words: str, env: Mapping[str, str] | None = None) -> Ran:
        """Run a command over the index, such as `search --json QUERY`."""
        return command("--index", str(self.index), *words, env=env)

    def tool(self, name: str, **arguments: Any) -> Reply:
        """Call a tool as a client does; every tool is offered."""

        async def call() -> Reply:
            async with Client(build_server(engine, offered)) as client:
                result = await client.call_tool(name, arguments)
            text = "\n".join(each.text for each in result.content if isinstance(each, TextContent))
            return Reply(text, result.structured_content, bool(result.is_error))

        engine = engine_for(read_settings(["--index", str(self.index)], {}))
        offered = EXTENDED if name in {"list_posts", "get_outline"} else AUTHOR
        return anyio.run(call)

    def sources(self, query: str, *options: str) -> list[str]:
        """The sources of a search's hits, best first; none where the confidence is low."""
        answer = json.loads(self.command("search", "--json", *options, "--", query).out)
        return [] if answer["confidence"] == "low" else [hit["source"] for hit in answer["hits"]]

    def posts(self) -> dict[str, dict[str, Any]]:
        """What the index says of each of its posts, by source."""
        facts = self.tool("list_posts", limit=100).facts
        return {post["source"]: post for post in facts["posts"]}


def command(*words: str, env: Mapping[str, str] | None = None) -> Ran:
    """Run a command of the program, options first."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = run(read_settings(words, env or {}))
        except SystemExit as stopped:
            status = int(stopped.code or 0)
    return Ran(status, out.getvalue(), err.getvalue())


def made(folder: Path, posts: Mapping[str, str | bytes], *options: str) -> Blog:
    """Write posts below `folder` and ingest them, which must succeed."""
    blog = Blog(folder / "content", folder / "index")
    blog.content.mkdir(parents=True)
    blog.write(posts)
    report = blog.ingest(*options)
    assert report.status == 0, report.err
    return blog
