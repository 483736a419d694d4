"""Tools as plain functions over the index itself: no server, no protocol, no other process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyio.to_thread import run_sync

from blog_search_mcp.index.embedders.registry import serving_embedder
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.reader import LiveIndex
from blog_search_mcp.server.format.results import compact, facts, link, one_line, results_of
from blog_search_mcp.server.tools.arguments import (
    NEIGHBORS_MOST,
    TOP_K_MOST,
    read_arguments,
    search_arguments,
)
from examples.agent.conversation import Tool, ToolResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from blog_search_mcp.index.reader import Reader
    from examples.agent.conversation import Call

SEARCH = Tool(
    "search_blog",
    "Find passages of the blog. Returns hits, best first, each with source, chunk_index, title, "
    "url and a preview, and how sure the answer is. Call read_chunk for the text.",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "A question or words, in any language"},
            "top_k": {"type": "integer", "minimum": 1, "maximum": TOP_K_MOST},
        },
        "required": ["query"],
    },
)
READ = Tool(
    "read_chunk",
    "Read one passage, by a hit's source and chunk_index; neighbors adds passages around it.",
    {
        "type": "object",
        "properties": {
            "source": {"type": "string"},
            "chunk_index": {"type": "integer", "minimum": 0},
            "neighbors": {"type": "integer", "minimum": 0, "maximum": NEIGHBORS_MOST},
        },
        "required": ["source", "chunk_index"],
    },
)


def search_blog(reader: Reader, given: Mapping[str, Any]) -> ToolResult:
    """Search. Raises UsageError, IndexBroken."""
    asked = search_arguments(given)
    answer = reader.search(asked.query, asked.filters, limit=asked.top_k, offset=asked.offset)
    found = facts(results_of(answer, answer.notice))
    return ToolResult((compact(found),), found)


def read_chunk(reader: Reader, given: Mapping[str, Any]) -> ToolResult:
    """Read, and say where the passage stands. Raises UsageError, NotInIndex, IndexBroken."""
    asked = read_arguments(given)
    passage = reader.read(asked.source, asked.chunk_index, asked.neighbors)
    chunk = next(chunk for chunk in passage.chunks if chunk.index == passage.asked)
    place = {
        "title": passage.post.title,
        "source": passage.post.source,
        "date": passage.post.date,
        "url": link(passage.post, chunk),
    }
    said = "\n".join(f"{name}: {one_line(value)}" for name, value in place.items() if value)
    return ToolResult(("\n\n".join(chunk.text for chunk in passage.chunks), said))


FUNCTIONS = {SEARCH.name: search_blog, READ.name: read_chunk}


class LocalSource:
    """The functions over the newest generation of one index folder."""

    def __init__(self, index: Path, embedder_url: str) -> None:
        """Take the index folder and where Ollama answers, if the index was built with it."""
        self._live = LiveIndex(index, lambda identity: serving_embedder(identity, embedder_url))

    async def tools(self) -> Sequence[Tool]:
        """List both."""
        return SEARCH, READ

    async def call(self, call: Call) -> ToolResult:
        """Call a function, in a thread; its errors are the result."""
        return await run_sync(self._called, call)

    def _called(self, call: Call) -> ToolResult:
        function = FUNCTIONS.get(call.tool)
        if function is None:
            return _failed(f"There is no tool {call.tool!r}, only {' and '.join(FUNCTIONS)}.")
        try:
            return function(self._live.reader(), call.arguments)
        except BlogSearchError as error:
            return _failed(str(error))


def _failed(sentence: str) -> ToolResult:
    return ToolResult((sentence,), is_error=True)
