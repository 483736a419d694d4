"""The product through its public entry points: ingest, commands and tools, as text in and out.

New tests use only this module. Everything runs in this process, as for a user, with the packaged
embedder. No other module of the tests needs to know where the entry points are.
"""

import io
import json
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

import anyio
from mcp import Client
from mcp.types import TextContent

from blog_search_mcp.cli import run
from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.mcp.server import build_server
from blog_search_mcp.server.settings import Address, Settings, ToolsetName


@dataclass(frozen=True)
class Ran:
    """Exit status of a command, and its output."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Reply:
    """Answer of a tool: its text, its structured content, and whether it is an error."""

    text: str
    facts: Any
    is_error: bool


@dataclass(frozen=True)
class Blog:
    """A folder of posts and its index."""

    content: Path
    index: Path
    report: Mapping[str, Any] = field(default_factory=dict)
    """Report of the ingest that `made` ran, as JSON; empty if another ingest made the index."""

    def write(self, posts: Mapping[str, str | bytes]) -> None:
        """Write files below the content folder; `posts` maps paths to contents."""
        for name, text in posts.items():
            path = self.content / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)

    def ingest(self, *options: str) -> Ran:
        """Bring the index up to date, with the packaged embedder unless options name another."""
        if "--embedder" not in options:
            options = ("--embedder", "embedded", *options)
        return command("ingest", str(self.content), "--index", str(self.index), *options)

    def command(self, *words: str, env: Mapping[str, str] | None = None) -> Ran:
        """Run a command over the index, such as `search --json QUERY` or `author audit`."""
        names = 2 if words[0] == "author" else 1
        return command(*words[:names], "--index", str(self.index), *words[names:], env=env)

    def tool(self, name: str, **arguments: Any) -> Reply:
        """Call a tool as a client does; a search returns JSON, and the toolset has the tool."""
        if name == "search_blog":
            arguments = {"response_format": "json", **arguments}

        async def call() -> Reply:
            async with Client(build_server(engine, offered)) as client:
                result = await client.call_tool(name, arguments)
            text = "\n".join(each.text for each in result.content if isinstance(each, TextContent))
            return Reply(text, result.structured_content, bool(result.is_error))

        engine = engine_for(Settings(self.index))
        offered: ToolsetName = "extended" if name in {"list_posts", "get_outline"} else "author"
        return anyio.run(call)

    def sources(self, query: str, *options: str) -> list[str]:
        """Search, and return the sources of the hits, best first; none if confidence is low."""
        answer = json.loads(self.command("search", "--json", *options, "--", query).out)
        return [] if answer["confidence"] == "low" else [hit["source"] for hit in answer["hits"]]

    def posts(self) -> dict[str, dict[str, Any]]:
        """Return what `list_posts` says of each post, keyed by source."""
        facts = self.tool("list_posts", limit=100).facts
        return {post["source"]: post for post in facts["posts"]}


def command(*words: str, env: Mapping[str, str] | None = None) -> Ran:
    """Run a command of the program, such as `doctor --index DIR`."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), environment(env or {}):
        status = run(words)
    return Ran(status, out.getvalue(), err.getvalue())


def served(*words: str, env: Mapping[str, str] | None = None) -> tuple[Settings, Address | None]:
    """Return the settings and the address with which these words would start a server."""
    with mock.patch("blog_search_mcp.server.cli.commands.start_server", return_value=0) as serve:
        ran = command(*words, env=env)
    assert ran.status == 0, ran.err
    settings, address = serve.call_args.args
    return settings, address


VARIABLES = ("BLOG_INDEX", "EMBEDDER_URL", "OLLAMA_HOST", "BLOG_SERVER_TOKEN")
"""Environment variables that set the defaults of options."""


@contextmanager
def environment(given: Mapping[str, str]) -> Iterator[None]:
    """Set these variables and unset the rest of VARIABLES; restore them and signals at the end."""
    taken = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    with mock.patch.dict(os.environ, given):
        for name in VARIABLES:
            if name not in given:
                os.environ.pop(name, None)
        try:
            yield
        finally:
            for number, handler in taken.items():
                signal.signal(number, handler)


def made(folder: Path, posts: Mapping[str, str | bytes], *options: str) -> Blog:
    """Write posts below `folder` and ingest them; assert that the ingest succeeds."""
    blog = Blog(folder / "content", folder / "index")
    blog.content.mkdir(parents=True)
    blog.write(posts)
    ran = blog.ingest("--json", *options)
    assert ran.status == 0, ran.err
    return replace(blog, report=json.loads(ran.out))
