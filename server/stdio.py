"""Serving one client over stdin and stdout: the process's two pipes come in, replies go out.

The pipes are taken from the process for the protocol alone: what anything else prints
goes to stderr. They are ours and not the SDK's so that the index opens only once the
first reply has left, and so that a request with half a character still gets an answer.
"""

from __future__ import annotations

import gc
import io
import json
import logging
import os
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.stdio import stdio_server

from server.app import build_server
from server.engine import engine_for
from server.in_flight import InFlight

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.lowlevel import Server

    from server.settings import Settings

log = logging.getLogger(__name__)


class Requests(anyio.AsyncFile[str]):
    """Lines from the client, each made valid JSON where only a lone surrogate spoils it."""

    def __init__(self, pipe: io.TextIOWrapper, in_flight: InFlight) -> None:
        super().__init__(pipe)
        self._in_flight = in_flight

    async def readline(self) -> str:
        """Return the next line; at the end the empty string, once all is answered."""
        line = mended(await super().readline())
        if line:
            self._in_flight.asked(line)
        else:
            await self._in_flight.settled()
        return line


class Replies(anyio.AsyncFile[str]):
    """Lines to the client; `on_first` is called once, after the first has left."""

    def __init__(
        self, pipe: io.TextIOWrapper, in_flight: InFlight, on_first: Callable[[], None]
    ) -> None:
        super().__init__(pipe)
        self._in_flight = in_flight
        self._on_first: Callable[[], None] | None = on_first

    async def write(self, text: str) -> int:
        """Write a line; it leaves with the next flush."""
        self._in_flight.answered(text)
        return await super().write(text)

    async def flush(self) -> None:
        """Send what was written."""
        await super().flush()
        if self._on_first is not None:
            announce, self._on_first = self._on_first, None
            announce()


def mended(line: str) -> str:
    """Replace lone surrogate escapes: the SDK drops a line that has one, unanswered."""
    if "\\ud" not in line.lower():
        return line
    try:
        message = json.loads(line)
    except ValueError:
        return line
    text = json.dumps(message, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode("utf-8") + "\n"


def serve_stdio(settings: Settings) -> int:
    """Serve until the client closes stdin; returns the exit status."""
    engine = engine_for(settings)
    server = build_server(engine)
    in_flight = InFlight()
    requests = Requests(taken(0, "r", os.open(os.devnull, os.O_RDONLY)), in_flight)
    replies = Replies(taken(1, "w", os.dup(2)), in_flight, engine.warm_up)
    gc.freeze()  # what is imported by now stays; collections need not look at it again
    try:
        anyio.run(_serve, server, requests, replies)
    except* BrokenPipeError:
        log.info("The client went away without closing stdin.")
    return 0


async def _serve(server: Server[Any], requests: Requests, replies: Replies) -> None:
    async with stdio_server(requests, replies) as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def taken(descriptor: int, mode: str, instead: int) -> io.TextIOWrapper:
    """Take the pipe behind `descriptor`, which from now on leads to `instead`."""
    pipe = io.TextIOWrapper(
        os.fdopen(os.dup(descriptor), f"{mode}b"),
        encoding="utf-8",
        errors="replace",
        newline="\n",
    )
    os.dup2(instead, descriptor)
    os.close(instead)
    return pipe
