"""`python -m examples.agent "question"`: read the command line, run the loop, print the answer."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

from blog_search_mcp.server.settings import read_index
from examples.agent.conversation import AgentError
from examples.agent.loop import answer
from examples.agent.ollama_chat import DEFAULT_MODEL, OllamaChat
from examples.agent.quoting import NAME, QuotingModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

    from examples.agent.conversation import Call, ChatModel, ToolResult, ToolSource
    from examples.agent.loop import Answer

DEFAULT_INDEX = ".blog-index"


def main() -> int:
    """Answer one question; returns 0 if the answer is the blog's, 1 if not."""
    asked = read_options(sys.argv[1:], os.environ)
    found: list[Answer] = []
    try:
        found.append(anyio.run(_answered, asked, os.environ.get("BLOG_SERVER_TOKEN", "")))
    except* AgentError as group:  # a connected client wraps what is raised beside it
        sys.stderr.write("".join(harmless(f"{error}\n") for error in _leaves(group)))
    for answer_ in found:
        sys.stdout.write(harmless(written(answer_)) + "\n")
    return 0 if found and found[0].doubt is None else 1


def read_options(arguments: Sequence[str], environment: Mapping[str, str]) -> argparse.Namespace:
    """Read the command line; exits with status 2 and a sentence if it cannot be meant."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.agent",
        description="Answer a question from the blog, with an Ollama chat model.",
    )
    parser.add_argument("question", help="what to answer")
    tools = parser.add_mutually_exclusive_group()
    tools.add_argument(
        "--mcp",
        metavar="stdio|URL",
        type=_server,
        default="stdio",
        help="use an MCP server: one of its own (default), or the one at this address, which is "
        "sent BLOG_SERVER_TOKEN if that is set",
    )
    tools.add_argument("--local", action="store_true", help="use the index itself, without MCP")
    parser.add_argument(
        "--index",
        metavar="DIR",
        type=read_index,
        default=environment.get("BLOG_INDEX") or DEFAULT_INDEX,
        help=f"the index folder (BLOG_INDEX; default {DEFAULT_INDEX})",
    )
    parser.add_argument(
        "--model",
        default=DEFAULT_MODEL,
        help=f"an Ollama model that can call tools (default {DEFAULT_MODEL}), or {NAME!r}, which "
        "needs no Ollama and only quotes the best hit",
    )
    parser.add_argument(
        "--embedder-url",
        metavar="URL",
        default=environment.get("OLLAMA_HOST", ""),
        help="where Ollama answers (OLLAMA_HOST)",
    )
    return parser.parse_args(arguments)


def _server(value: str) -> str:
    if value != "stdio" and not value.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(f"{value!r} is neither stdio nor an address with http://.")
    return value


def written(found: Answer) -> str:
    """Write the answer, what speaks against it, and the passages it was read from."""
    read = [
        f"- {source.title}: {source.url or source.source} (chunk {source.chunk_index})"
        for source in found.sources
    ]
    parts = [found.text, found.doubt, "\n".join(["Read:", *read]) if read else None]
    return "\n\n".join(filter(None, parts))


def harmless(text: str) -> str:
    """Show control characters instead of having the terminal obey them."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def _leaves(group: BaseExceptionGroup[AgentError]) -> Iterator[AgentError]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


async def _answered(asked: argparse.Namespace, token: str) -> Answer:
    model: ChatModel = QuotingModel()
    if asked.model != NAME:
        model = OllamaChat(asked.model, asked.embedder_url)
    async with _source(asked, token) as source:
        return await answer(asked.question, model, source, _told)


@asynccontextmanager
async def _source(asked: argparse.Namespace, token: str) -> AsyncIterator[ToolSource]:
    index = asked.index.expanduser().absolute()
    if asked.local:
        from examples.agent.local_source import LocalSource

        yield LocalSource(index, asked.embedder_url)
        return
    from mcp import StdioServerParameters

    from examples.agent.mcp_source import connected

    own = asked.mcp == "stdio"
    options = ["--index", str(index), "--embedder-url", asked.embedder_url]
    started = StdioServerParameters(
        command=sys.executable, args=["-m", "blog_search_mcp", "serve", *options]
    )
    server = started if own else asked.mcp
    async with connected(server, "" if own else token) as source:
        yield source


def _told(call: Call, result: ToolResult) -> None:
    """Say on stderr what the model does, as it happens."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    failed = f" failed: {result.text}" if result.is_error else ""
    sys.stderr.write(harmless(f"{call.tool}({arguments}){failed}\n"))


if __name__ == "__main__":
    sys.exit(main())
