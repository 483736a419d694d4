"""Several servers with the same model, as one: each batch goes to whichever is free.

A server that fails cools down for a while and the batch goes to another, so that one that is
switched off costs a timeout and not the ingest. Before its first batch a server is compared with
the first one that answered: another model under the same name would spoil the index.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from blog_search_mcp.index.embedders.remote.failures import (
    FailureKind,
    FailureMessages,
    RequestFailed,
)

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.remote.embedder import Description, Wire
    from blog_search_mcp.index.embedders.remote.requests import RetryPolicy, ServerState
    from blog_search_mcp.index.types import Vectors

T = TypeVar("T")

COOLDOWN: Final = 30.0
"""Seconds for which a server that failed is given no batch."""

_SERVER_FAULTS: Final = {
    FailureKind.DOWN,
    FailureKind.SLOW,
    FailureKind.BUSY,
    FailureKind.CRASHED,
    FailureKind.REFUSED,
    FailureKind.MISSING,
}
"""Kinds of failures that another server may not have."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Member:
    """One server of the pool."""

    wire: Wire
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held by who sends it a batch."""
    cooling_until: float = 0.0
    is_compared: bool = False


class PooledWire:
    """Wires of one kind, as Wire."""

    def __init__(self, wires: Sequence[Wire], now: Callable[[], float] = time.monotonic) -> None:
        """Take one wire or more; `now` gives seconds that never go back."""
        self._members = [_Member(wire) for wire in wires]
        self._now = now
        self._known: Description | None = None
        self._freed = threading.Condition()
        self.kind = wires[0].kind
        self.messages: FailureMessages = wires[0].messages

    @property
    def url(self) -> str:
        """All addresses, as --embedder-url has them."""
        return ",".join(member.wire.url for member in self._members)

    @property
    def concurrency(self) -> int:
        """How many requests may be made at once."""
        return len(self._members)

    def describe(self, model: str, policy: RetryPolicy) -> Description:
        """As Wire, by the first server that answers."""

        def ask(member: _Member) -> Description:
            member.is_compared = True
            return member.wire.describe(model, policy)

        for member in self._members:
            member.is_compared = False
        self._known = self._try_each(ask)
        return self._known

    def read_state(self, model: str, policy: RetryPolicy) -> ServerState:
        """As Wire, by every server that has embedded: of one that is not what it was, if any."""
        states: list[ServerState] = []
        failure: RequestFailed | None = None
        for member in sorted(self._members, key=lambda m: (self._is_cooling(m), not m.is_compared)):
            if states and (self._is_cooling(member) or not member.is_compared):
                break
            try:
                states.append(member.wire.read_state(model, policy))
            except RequestFailed as failed:
                if failed.kind not in _SERVER_FAULTS:
                    raise
                failure = failure or failed
                self._cool_down(member, failed)
        if not states:
            raise failure or RequestFailed(FailureKind.DOWN)
        before = self._known.state if self._known else states[0]
        return next((state for state in states if state != before), before)

    def read_version(self, policy: RetryPolicy) -> str:
        """As Wire."""
        return self._try_each(lambda member: member.wire.read_version(policy))

    def peek_digest(self, model: str) -> str | None:
        """As Wire."""
        return self._members[0].wire.peek_digest(model)

    def embed(
        self, model: str, texts: list[str], known: Description, policy: RetryPolicy
    ) -> Vectors:
        """As Wire, by a server that is free; waits for one if all are busy."""
        failure: RequestFailed | None = None
        tried: set[int] = set()
        while (member := self._take(tried)) is not None:
            try:
                self._compare(member, model, policy)
                return member.wire.embed(model, texts, known, policy)
            except RequestFailed as failed:
                if failed.kind not in _SERVER_FAULTS:
                    raise
                failure = failed
                self._cool_down(member, failed)
            finally:
                tried.add(id(member))
                self._free(member)
        raise failure or RequestFailed(FailureKind.DOWN)

    def load(self, model: str, policy: RetryPolicy) -> None:
        """As Wire."""
        self._try_each(lambda member: member.wire.load(model, policy))

    def warnings(self, model: str, known: Description) -> tuple[str, ...]:
        """As Wire."""
        return self._members[0].wire.warnings(model, known)

    def _try_each(self, ask: Callable[[_Member], T]) -> T:
        """Return what the first server gives that does not fail, those that cool down last."""
        failure: RequestFailed | None = None
        for member in sorted(self._members, key=self._is_cooling):
            try:
                return ask(member)
            except RequestFailed as failed:
                if failed.kind not in _SERVER_FAULTS:
                    raise
                failure = failure or failed
                self._cool_down(member, failed)
        raise failure or RequestFailed(FailureKind.DOWN)

    def _is_cooling(self, member: _Member) -> bool:
        return member.cooling_until > self._now()

    def _cool_down(self, member: _Member, failure: RequestFailed) -> None:
        if len(self._members) > 1 and not self._is_cooling(member):
            log.warning("%s", self.messages.describe(failure, member.wire.url))
        member.cooling_until = self._now() + COOLDOWN

    def _take(self, tried: set[int]) -> _Member | None:
        """Lock a free server that was not tried; `None` once all were.

        One that cools down is tried only when no other is left.
        """
        with self._freed:
            while True:
                left = [member for member in self._members if id(member) not in tried]
                available = [member for member in left if not self._is_cooling(member)]
                for member in available or left:
                    if member.lock.acquire(blocking=False):
                        return member
                if not left:
                    return None
                self._freed.wait()

    def _free(self, member: _Member) -> None:
        with self._freed:
            member.lock.release()
            self._freed.notify_all()

    def _compare(self, member: _Member, model: str, policy: RetryPolicy) -> None:
        """Raise RequestFailed if this server does not have the model of the others."""
        if member.is_compared or self._known is None:
            return
        found = member.wire.describe(model, policy)
        if found != self._known:
            raise RequestFailed(
                FailureKind.REFUSED, f"its vectors for {model} are not those of the other servers"
            )
        member.is_compared = True
