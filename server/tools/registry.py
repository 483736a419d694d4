"""Which tools are offered: two for every client, two more for those who browse a blog.

Two tools answer questions, and a model pays for each definition in every session, so the
others are asked for: at the start, or while clients stay connected by sending the process
SIGUSR1. Not SIGHUP, which a closing terminal sends to a server that should then end.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from mcp.types import CallToolResult, Tool

from blog_search_mcp.server.tools.definitions import LIST, OUTLINE, READ, SEARCH
from blog_search_mcp.server.tools.get_outline import get_outline
from blog_search_mcp.server.tools.list_posts import list_posts
from blog_search_mcp.server.tools.read_chunk import read_chunk
from blog_search_mcp.server.tools.search_blog import search_blog

if TYPE_CHECKING:
    from blog_search_mcp.server.engine import Searcher

RunTool: TypeAlias = "Callable[[Searcher, Mapping[str, Any]], CallToolResult]"

CORE = (SEARCH, READ)
EXTENDED = (*CORE, LIST, OUTLINE)
_RUN: dict[str, RunTool] = {
    SEARCH.name: search_blog,
    READ.name: read_chunk,
    LIST.name: list_posts,
    OUTLINE.name: get_outline,
}


class Toolset:
    """The tools of one server; may be switched while it serves."""

    def __init__(self, extended: bool = False) -> None:
        """Begin with the core tools or with all."""
        self.extended = extended

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What is offered at this moment."""
        return EXTENDED if self.extended else CORE

    def find(self, name: str) -> RunTool | None:
        """Return what runs the tool, `None` if it is not offered."""
        return _RUN[name] if name in {tool.name for tool in self.tools} else None

    def switch(self) -> None:
        """Offer the other set; connected clients are told by the announcer."""
        self.extended = not self.extended


def switchable(extended: bool) -> Toolset:
    """Make a toolset that SIGUSR1 switches, on systems that have it; for the main thread."""
    toolset = Toolset(extended)
    if hasattr(signal, "SIGUSR1"):
        signal.signal(signal.SIGUSR1, lambda *_: toolset.switch())
    return toolset
