"""The usage log: a tool call comes in, one line at the end of a local file goes out.

Off unless a file is named. It holds what was asked, so only its owner may read it, nothing
reads it but `blog-server usage`, and no answer to a client has anything of it. Every client
has a server of its own, so that several may write to one file: each line is one write under
a lock, and the file is renamed when it is full.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from blog_search_mcp.server.format.results import compact
from blog_search_mcp.server.tools.arguments import encodable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp.types import CallToolResult

    from blog_search_mcp.index.store.listing import Listing
    from blog_search_mcp.index.store.statistics import Overview
    from blog_search_mcp.index.types import Answer, Filters, Outline, Passage
    from blog_search_mcp.server.engine import Searcher
    from blog_search_mcp.server.settings import Settings

FULL = 1_000_000
"""Bytes from which on the file is renamed to `.1`: about 5,000 calls."""
KEPT = 3
"""Renamed files that are kept, `.1` the newest; the oldest is deleted for the next."""
QUERY = 300
"""Characters of what was asked that are kept."""
PATIENCE = 1.0
"""Seconds to wait for another server that writes; then the line is lost, and said so."""

log = logging.getLogger(__name__)


class Call(BaseModel):
    """One tool call."""

    model_config = ConfigDict(frozen=True)

    time: datetime
    """UTC."""
    tool: str
    query: str
    """What was searched for; of other tools their arguments, as JSON."""
    ms: int
    """Until the answer was ready, without its way to the client."""
    failed: bool = False
    """Whether the answer was an error."""
    hits: int | None = None
    """How many there are on all pages; `None` if nothing was searched."""
    offset: int = 0
    top_score: float | None = None
    """Of the first hit of the page, in [0, 1]."""
    confidence: str | None = None


def call_of(
    tool: str,
    given: Mapping[str, Any],
    answer: Answer | None,
    *,
    failed: bool,
    ms: int,
    now: datetime | None = None,
) -> Call:
    """Put together what is noted of a call; `answer` is what its search found, if it searched."""
    query = given.get("query") if answer is not None else None
    asked = query if isinstance(query, str) else compact(dict(given))
    found: dict[str, Any] = {}
    if answer is not None:
        found = {"hits": answer.total, "offset": answer.offset, "confidence": answer.confidence}
    if answer is not None and answer.hits:
        found["top_score"] = round(answer.hits[0].score, 3)
    asked = encodable(asked)[:QUERY]
    time = now or datetime.now(UTC)
    return Call(time=time, tool=tool, query=asked, ms=ms, failed=failed, **found)


class UsageLog:
    """One log file; safe for concurrent use by threads and processes."""

    def __init__(self, path: Path) -> None:
        """Take the file; it and its folder need not exist."""
        self._path = path

    def note(self, call: Call) -> None:
        """Append the call. A file that cannot be written is no reason to withhold an answer."""
        from filelock import FileLock, Timeout

        line = call.model_dump_json(exclude_defaults=True) + "\n"
        lock = self._path.with_name(self._path.name + ".lock")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(lock, timeout=PATIENCE):
                self._make_room()
                _append(self._path, line.encode())
        except (OSError, Timeout) as error:
            log.warning("A call could not be noted in the usage log: %s", error)

    def calls(self) -> Iterator[Call]:
        """Every call that is kept, oldest first; lines that are none of ours are passed over."""
        for path in (*reversed(self._older()), self._path):
            for line in _lines(path):
                try:
                    yield Call.model_validate_json(line)
                except ValidationError:
                    log.warning("A line of %s is no call and is left out.", path.name)

    def _make_room(self) -> None:
        if not self._path.exists() or self._path.stat().st_size < FULL:
            return
        names = [self._path, *self._older()]
        for older, newer in zip(reversed(names[1:]), reversed(names[:-1]), strict=True):
            if newer.exists():
                newer.replace(older)

    def _older(self) -> list[Path]:
        """The renamed files' names, newest first."""
        name = self._path.name
        return [self._path.with_name(f"{name}.{number}") for number in range(1, KEPT + 1)]


def usage_log_for(settings: Settings) -> UsageLog | None:
    """Make the log that `settings` ask for; `None` if they do not."""
    return UsageLog(settings.usage_log) if settings.usage_log is not None else None


def _append(path: Path, line: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().splitlines()
    except FileNotFoundError:
        return []


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
