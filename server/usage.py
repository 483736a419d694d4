"""The usage log: one line of JSON in a local file for each tool call.

Off unless a file is named. It holds queries, so only its owner may read it, nothing reads it but
`author usage`, and no answer to a client has anything of it. Every client has a server of its own,
so several may append to one file: a line is one write to its end, and nobody waits for another.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from blog_search_mcp.index.store.disk import read_regular
from blog_search_mcp.server.format.results import replace_surrogates
from blog_search_mcp.server.tools.base import ToolReply
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG

LONGEST_QUERY = 300
"""Characters of a query that are kept."""
LARGEST_READ = 128_000_000
"""Bytes of a file that is read: some 600,000 calls."""

log = logging.getLogger(__name__)


class LoggedCall(BaseModel):
    """One tool call."""

    model_config = ConfigDict(frozen=True)

    time: datetime
    """UTC."""
    tool: str
    query: str = ""
    """What a reader searched for; empty for other tools, whose arguments may hold a draft."""
    ms: int = 0
    """Milliseconds until the answer was ready, without its way to the client."""
    hits: int | None = None
    """How many there are on all pages; `None` if nothing was searched."""
    offset: int = 0
    confidence: str = ""
    """Empty if nothing was searched."""

    @property
    def day(self) -> str:
        """The ISO day of the call."""
        return self.time.date().isoformat()


class UsageLog:
    """One log file; safe for concurrent use by threads and processes."""

    def __init__(self, path: Path) -> None:
        """Take the file; it and its folder need not exist."""
        self._path = path

    def log_call(
        self, tool: str, arguments: Mapping[str, Any], reply: ToolReply, seconds: float
    ) -> None:
        """Append a call. A file that cannot be written is no reason to withhold an answer."""
        query = arguments.get("query") if tool == SEARCH_BLOG.name else None
        answer = reply.answer
        call = LoggedCall(
            time=datetime.now(UTC),
            tool=tool,
            query=replace_surrogates(query)[:LONGEST_QUERY] if isinstance(query, str) else "",
            ms=round(seconds * 1_000),
            hits=answer.total if answer else None,
            offset=answer.offset if answer else 0,
            confidence=answer.confidence if answer else "",
        )
        try:
            self._append(f"{call.model_dump_json(exclude_defaults=True)}\n".encode())
        except OSError as error:
            log.warning("A call could not be noted in the usage log: %s", error)

    def read_calls(self) -> Iterator[LoggedCall]:
        """Yield the calls that were kept, the oldest first; lines that are none are left out.

        Raises OSError, also for what is no file.
        """
        lines: list[bytes] = []
        with suppress(FileNotFoundError):
            lines = read_regular(self._path, LARGEST_READ).splitlines()
        for line in lines:
            try:
                yield LoggedCall.model_validate_json(line)
            except ValidationError:
                log.warning("A line of the usage log is no call and left out: %.60r", line)

    def _append(self, line: bytes) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._path, "ab", buffering=0, opener=_open_for_owner) as file:
            file.write(line)


def _open_for_owner(path: str, flags: int) -> int:
    """Open a file for its owner alone. Raises OSError for a pipe that nobody reads."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), mode=0o600)
