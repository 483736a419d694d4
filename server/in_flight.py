"""Which requests still wait for their answer: lines in both directions in, a wait out.

A client may write its questions and close its end at once (`printf … | blog-server`);
the SDK would drop every call that is still running then.
"""

from __future__ import annotations

import json
from typing import Any

import anyio

GRACE = 10.0
"""Seconds that calls may take to end after the client has closed its end."""

LOOK = 0.005
"""Seconds between two looks; what an exit can lose by it."""


class InFlight:
    """The ids of requests that were read and not yet answered."""

    def __init__(self) -> None:
        self._ids: set[str] = set()

    def asked(self, line: str) -> None:
        """Note a line from the client: a request waits, a cancelled one no longer does."""
        message = _object(line)
        if "method" in message and "id" in message:
            self._ids.add(json.dumps(message["id"]))
        elif message.get("method") == "notifications/cancelled":
            params = message.get("params")
            if isinstance(params, dict):
                self._ids.discard(json.dumps(params.get("requestId")))

    def answered(self, line: str) -> None:
        """Note a line to the client."""
        message = _object(line)
        if "id" in message and "method" not in message:
            self._ids.discard(json.dumps(message["id"]))

    async def settled(self) -> None:
        """Return once nothing waits, or after GRACE."""
        with anyio.move_on_after(GRACE):
            while self._ids:
                await anyio.sleep(LOOK)


def _object(line: str) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}
