"""The usage log: one line of a local file for each tool call.

Off unless a file is named. It holds queries, so only its owner may read it, nothing reads it but
`author usage`, and no answer to a client has anything of it. Every client has a server of its own,
so that several may write to one file: each line is one write under a lock, and the file is renamed
when it is full.
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

LARGEST_FILE = 1_000_000
"""Bytes from which on the file is renamed to `.1`: about 5,000 calls."""
KEPT_FILES = 3
"""Renamed files that are kept, `.1` the newest; the oldest is deleted for the next."""
LONGEST_QUERY = 300
"""Characters of a query that are kept."""
_LARGEST_READ = 64 * LARGEST_FILE
"""Bytes of a file that is read; a longer one is no log of ours."""
LOCK_WAIT = 1.0
"""Seconds to wait for another server that writes; then the line is lost, with a warning."""

log = logging.getLogger(__name__)


class LoggedCall(BaseModel):
    """One tool call."""

    model_config = ConfigDict(frozen=True)

    time: datetime
    """UTC."""
    tool: str
    query: str = ""
    """What readers searched for; nothing of other tools, whose arguments may hold a draft."""
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
    session: str = ""
    """What the calls of one client have in common; empty where several share a server."""


def logged_call(
    tool: str, arguments: Mapping[str, Any], reply: ToolReply, ms: int, now: datetime
) -> LoggedCall:
    """Put together what is kept of a call."""
    answer = reply.answer
    query = arguments.get("query") if tool == SEARCH_BLOG.name else ""
    query = replace_surrogates(query)[:LONGEST_QUERY] if isinstance(query, str) else ""
    found: dict[str, Any] = {}
    if answer is not None:
        score = round(answer.hits[0].score, 3) if answer.hits else None
        found = {"hits": answer.total, "offset": answer.offset, "top_score": score}
        found["confidence"] = answer.confidence
    return LoggedCall(time=now, tool=tool, query=query, ms=ms, failed=reply.is_error, **found)


class UsageLog:
    """One log file; safe for concurrent use by threads and processes."""

    def __init__(self, path: Path, session: str = "") -> None:
        """Take the file; it and its folder need not exist. `session` is noted with each call."""
        self._path = path
        self._session = session

    def log_call(
        self, tool: str, arguments: Mapping[str, Any], reply: ToolReply, seconds: float
    ) -> None:
        """Append a call that has been done to the log."""
        noted = logged_call(tool, arguments, reply, round(seconds * 1_000), datetime.now(UTC))
        self.append(noted.model_copy(update={"session": self._session}))

    def append(self, call: LoggedCall) -> None:
        """Append one call. A file that cannot be written is no reason to withhold an answer."""
        from filelock import FileLock, Timeout

        line = call.model_dump_json(exclude_defaults=True) + "\n"
        lock = self._path.with_name(self._path.name + ".lock")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(lock, timeout=LOCK_WAIT):
                self._make_room()
                with open(self._path, "ab", buffering=0, opener=_open_for_owner) as file:
                    file.write(line.encode())
        except (OSError, Timeout) as error:
            log.warning("A call could not be noted in the usage log: %s", error)

    def calls(self) -> Iterator[LoggedCall]:
        """Yield every kept call, oldest first; lines that are none of ours are counted in the log.

        Raises OSError, also for what is no file.
        """
        for path in (*reversed(self._older()), self._path):
            lines: list[bytes] = []
            with suppress(FileNotFoundError):
                lines = read_regular(path, _LARGEST_READ).splitlines()
            left_out = 0
            for line in lines:
                try:
                    yield LoggedCall.model_validate_json(line)
                except ValidationError:
                    left_out += 1
            if left_out:
                log.warning("Of %s %s no call and left out.", path.name, _count_lines(left_out))

    def _make_room(self) -> None:
        if not self._path.exists() or self._path.stat().st_size < LARGEST_FILE:
            return
        names = [self._path, *self._older()]
        for older, newer in zip(reversed(names[1:]), reversed(names[:-1]), strict=True):
            if newer.exists():
                newer.replace(older)

    def _older(self) -> list[Path]:
        """The renamed files' names, newest first."""
        name = self._path.name
        return [self._path.with_name(f"{name}.{number}") for number in range(1, KEPT_FILES + 1)]


def _count_lines(count: int) -> str:
    return "1 line is" if count == 1 else f"{count:,} lines are"


def _open_for_owner(path: str, flags: int) -> int:
    """Open a file for its owner alone. Raises OSError for a pipe that nobody reads."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), mode=0o600)
