"""How many messages still wait for their answer: each takes a place, each answer gives it back.

Two things follow. No more than MOST are worked on, so that a client that asks faster than
it reads is held by its own pipe and not by our memory. And a client may write its questions
and close its end at once (`printf … | blog-server`): the SDK would drop every call that is
still running then.
"""

from __future__ import annotations

import anyio

MOST = 64
"""Places: more than the 40 threads that work on calls, so that none of them idles. What is
sent beyond them is not read yet, a cancellation included."""

GRACE = 10.0
"""Seconds that calls may take to end after the client has closed its end."""


class InFlight:
    """The messages of one client that were read and not yet answered."""

    def __init__(self) -> None:
        self._places = anyio.Semaphore(MOST)

    async def begin(self) -> None:
        """Take a place for a message that is owed an answer; wait until there is one."""
        await self._places.acquire()

    async def end(self) -> None:
        """Give a place back: the answer has left, or there will be none."""
        self._places.release()

    async def settled(self) -> None:
        """Return once nothing waits, or after GRACE; nothing may begin after it."""
        with anyio.move_on_after(GRACE):
            for _ in range(MOST):
                await self._places.acquire()
