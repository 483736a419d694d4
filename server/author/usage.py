"""The usage log: one line of JSON in a local file per tool call, and the report on it.

Logging is off by default. The log contains queries, so only its owner may read the file, only
`author usage` reads it, and nothing of it is sent to a client. Several servers may append to one
file without locks, since each line is one write.
"""

from __future__ import annotations

import logging
import os
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.text.display import replace_surrogates
from blog_search_mcp.server.format.results import to_json
from blog_search_mcp.server.tool import ToolReply

log = logging.getLogger(__name__)


class LoggedCall(BaseModel):
    """One tool call."""

    model_config = ConfigDict(frozen=True)

    time: datetime
    tool: str
    query: str = ""
    """Query of a search; `""` for other tools, whose arguments may hold a draft."""
    hits: int | None = None
    """Number of hits on all pages; `None` if nothing was searched."""
    offset: int = 0
    confidence: str = ""


def log_call(
    path: Path, tool: str, arguments: Mapping[str, Any], reply: ToolReply, seconds: float
) -> None:
    """Append a call to the file at `path`; safe for concurrent threads and processes.

    The first 300 characters of a query are kept. A file that cannot be written causes only a
    warning in the server's log.
    """
    facts: dict[str, Any] = {"time": datetime.now(UTC).isoformat(), "tool": tool}
    if (answer := reply.answer) is not None:
        facts["query"] = replace_surrogates(str(arguments["query"]))[:300]
        facts |= {"hits": answer.total, "offset": answer.offset, "confidence": answer.confidence}
    line = f"{to_json({**facts, 'ms': round(seconds * 1_000)})}\n".encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "ab", buffering=0, opener=partial(os.open, mode=0o600)) as file:
            file.write(line)
    except OSError as error:
        log.warning("A call could not be noted in the usage log: %s", error)


def report_calls(path: Path) -> dict[str, Any]:
    """Count the calls of each tool, and list the 20 most frequent questions without a good answer.

    Questions with the same words count as one. Invalid lines are skipped. Raises UsageError if
    there are no calls or the file cannot be read.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(f"The usage log {path} cannot be read: {error.strerror}.") from error
    calls, misses = list[LoggedCall](), defaultdict[str, list[LoggedCall]](list)
    for line in lines:
        try:
            calls.append(LoggedCall.model_validate_json(line))
        except ValidationError:
            log.warning("A line of the usage log is no call and left out: %.60r", line)
    if not calls:
        raise UsageError(f"{path} holds no calls yet.")
    for call in calls:
        is_search = call.hits is not None and not call.offset
        if is_search and (call.hits == 0 or call.confidence == "low"):
            misses[" ".join(sorted(re.findall(r"\w+", call.query.casefold())))].append(call)
    most = sorted(misses.values(), key=lambda same: (len(same), same[-1].time), reverse=True)
    missed = [{"question": same[-1].query, **_count_calls(same, "count")} for same in most[:20]]
    tools = dict(Counter(call.tool for call in calls).most_common())
    return {**_count_calls(calls, "calls"), "tools": tools, "missed": missed}


def _count_calls(calls: Sequence[LoggedCall], name: str) -> dict[str, Any]:
    days = [call.time.date().isoformat() for call in calls]
    return {name: len(calls), "first": min(days), "last": max(days)}
