"""A tool call that is noted: it is run as any other, and what its search found is overheard.

The result on the wire does not tell: as Markdown it has no facts, and what it leaves out for
want of room was found too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from server.usage import UsageLog, call_of

if TYPE_CHECKING:
    from mcp.types import CallToolResult

    from index.listing import Listing
    from index.overview import Overview
    from index.types import Answer, Filters, Outline, Passage
    from server.searcher import Searcher


class Overheard:
    """A searcher that remembers its last answer; for one call."""

    def __init__(self, searcher: Searcher) -> None:
        """Pass everything on to `searcher`."""
        self._searcher = searcher
        self.answer: Answer | None = None

    def search(self, query: str, filters: Filters, *, limit: int, offset: int) -> Answer:
        """Search, and remember what was found. Raises BlogSearchError."""
        self.answer = self._searcher.search(query, filters, limit=limit, offset=offset)
        return self.answer

    def read(self, source: str, chunk_index: int, neighbors: int) -> Passage:
        """Read. Raises BlogSearchError."""
        return self._searcher.read(source, chunk_index, neighbors)

    def outline(self, source: str) -> Outline:
        """Outline. Raises BlogSearchError."""
        return self._searcher.outline(source)

    def listing(self) -> Listing:
        """List. Raises IndexProblem."""
        return self._searcher.listing()

    @property
    def overview(self) -> Overview:
        """Tell of the index. Raises BlogSearchError."""
        return self._searcher.overview


def recorded(
    usage: UsageLog,
    tool: str,
    run: Callable[[Searcher], CallToolResult],
    searcher: Searcher,
    given: Mapping[str, Any],
) -> CallToolResult:
    """Run the call over `searcher` and note it."""
    heard, begun = Overheard(searcher), time.perf_counter()
    result = run(heard)
    ms = round((time.perf_counter() - begun) * 1_000)
    usage.note(call_of(tool, given, heard.answer, failed=bool(result.is_error), ms=ms))
    return result
