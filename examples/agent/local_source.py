"""Tools as plain functions over the public interface: no server, no protocol, no other process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyio.to_thread import run_sync

from blog_search_mcp import BlogSearchError, open_index
from examples.agent.conversation import AgentError, Tool, ToolResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from blog_search_mcp import BlogIndex
    from examples.agent.conversation import Call

SEARCH = Tool(
    "search_blog",
    "Find passages of the blog. Returns hits, best first: source #chunk_index, title, url "
    "and a preview, and how sure the answer is. Call read_chunk for the text.",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "A question or words, in any language"},
            "top_k": {"type": "integer", "minimum": 1, "maximum": 20},
        },
        "required": ["query"],
    },
)
READ = Tool(
    "read_chunk",
    "Read one passage, by a hit's source #chunk_index; neighbors adds passages around it.",
    {
        "type": "object",
        "properties": {
            "source": {"type": "string"},
            "chunk_index": {"type": "integer", "minimum": 0, "default": 0},
            "neighbors": {"type": "integer", "minimum": 0, "maximum": 3},
        },
        "required": ["source"],
    },
)


def search_blog(blog: BlogIndex, given: Mapping[str, Any]) -> ToolResult:
    """Search. Raises BlogSearchError, or ValueError for arguments that cannot be meant."""
    query = str(given["query"])
    if not query.strip():
        raise ValueError(f"query must not be blank, got {query!r}.")
    answer = blog.search(query, limit=int(given.get("top_k", 5)))
    parts = [f"Confidence: {answer.confidence}." if answer.hits else "", answer.notice or ""]
    for number, hit in enumerate(answer.hits, 1):
        head = f"{number}. {hit.post.source} #{hit.chunk.index} · {hit.post.title}"
        lines = (head, hit.url, f"> {hit.preview}")
        parts.append("\n".join(filter(None, lines)))
    return ToolResult(("\n\n".join(filter(None, parts)),))


def read_chunk(blog: BlogIndex, given: Mapping[str, Any]) -> ToolResult:
    """Read, and name the place of the passage. Raises as `search_blog`."""
    source, _, index = str(given["source"]).partition(" #")
    neighbors = int(given["neighbors"]) if "neighbors" in given else None
    passage = blog.read(source, int(given.get("chunk_index", index or 0)), neighbors=neighbors)
    chunk = next(chunk for chunk in passage.chunks if chunk.index == passage.asked)
    anchor = f"#{chunk.anchor}" if chunk.anchor else ""
    place = {
        "title": passage.post.title,
        "source": passage.post.source,
        "date": passage.post.date,
        "url": passage.post.url and f"{passage.post.url}{anchor}",
        "chunk_index": f"{chunk.index} of 0-{passage.count - 1}",
    }
    lines = "\n".join(f"{name}: {value}" for name, value in place.items() if value)
    return ToolResult(("\n\n".join(chunk.text for chunk in passage.chunks), lines))


FUNCTIONS = {SEARCH.name: search_blog, READ.name: read_chunk}


class LocalSource:
    """The functions over the newest generation of one index folder."""

    def __init__(self, index: Path, embedder_url: str) -> None:
        """Take the index folder and where Ollama answers, if the index was built with it.

        Raises AgentError if there is no index.
        """
        try:
            self._blog = open_index(index, embedder_url=embedder_url)
        except BlogSearchError as error:
            raise AgentError(str(error)) from error

    async def tools(self) -> Sequence[Tool]:
        """List both."""
        return SEARCH, READ

    async def call(self, call: Call) -> ToolResult:
        """Call a function, in a thread; its errors are the result."""
        return await run_sync(self._call, call)

    def _call(self, call: Call) -> ToolResult:
        function = FUNCTIONS.get(call.tool)
        if function is None:
            return _failed(f"There is no tool {call.tool!r}, only {' and '.join(FUNCTIONS)}.")
        try:
            return function(self._blog, call.arguments)
        except KeyError as error:
            return _failed(f"{call.tool} needs {error.args[0]}.")
        except (BlogSearchError, ValueError) as error:
            return _failed(str(error))


def _failed(sentence: str) -> ToolResult:
    return ToolResult((sentence,), is_error=True)
