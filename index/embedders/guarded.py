"""A server's embedder for serving: soon a vector, or soon the sentence why there is none.

A query must not wait for a server that is dead, hangs or loads its model. So each request
runs in the background and is waited for briefly: first a health check, then the embedding.
A vector that comes too late is kept for when the same is asked again, and shows that
the server is well. One that was checked a moment ago is asked for the vector alone.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from blog_search_mcp.index.embedders.circuit_breaker import (
    ATTEMPT_TIMEOUT,
    LEAST_WAIT,
    RETRY_PAUSE,
    Attempt,
    CircuitBreaker,
)
from blog_search_mcp.index.errors import EmbedderMismatch, EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from blog_search_mcp.index.embedders.verified import VerifiedEmbedder
    from blog_search_mcp.index.types import EmbedderIdentity, Vectors

T = TypeVar("T")

RECENT_QUERIES: Final = 64
"""Vectors kept: more than one conversation asks, in 200 KB."""

HEALTH_CHECK_INTERVAL: Final = 5.0
"""Seconds for which an Ollama that was checked counts as well and unchanged: a check is two
requests beside the one that embeds. A model that is replaced meanwhile answers for that long at
most, and RETRY_PAUSE is no shorter, so that a failure is followed by a check."""


def run_in_background(work: Callable[[], T], *, awaited: bool = False) -> Future[T]:
    """Start `work` in a thread, which the process waits for at its end if it is `awaited`.

    Native code that is still starting threads when the process ends aborts it.
    """
    ended: Future[T] = Future()

    def run() -> None:
        try:
            ended.set_result(work())
        except BaseException as error:  # whatever it is, it belongs to who waits
            ended.set_exception(error)

    threading.Thread(target=run, daemon=not awaited).start()
    return ended


def wait_for(work: Future[Any], seconds: float) -> bool:
    """Wait until `work` has ended, but no longer than this; returns whether it has."""
    return bool(wait([work], seconds).done)


class HealthCheck(Protocol):
    """A short check of one server for one model; safe to use from several threads."""

    model: str
    place: str
    """The server and its address, as a sentence names them."""

    name: str
    """Of the server alone, or `it`."""

    def prepare(self) -> None:
        """Import and set up what requests need; waits for nobody. Raises EmbedderRefused."""

    def check(self) -> object:
        """Ask within about a second; what is there now, if that is told. Raises EmbedderError."""


class GuardedEmbedder:
    """Never keeps a query waiting for long; safe to use from several threads."""

    def __init__(
        self,
        embedder: VerifiedEmbedder,
        health: HealthCheck,
        now: Callable[[], float] = time.monotonic,
        wait_for: Callable[[Future[Any], float], bool] = wait_for,
    ) -> None:
        """`now` gives seconds that never go back."""
        self._embedder = embedder
        self._health = health
        self._now = now
        self._wait_for = wait_for
        self._breaker = CircuitBreaker(now)
        self._recent: OrderedDict[str, Vectors] = OrderedDict()
        self._checked_at: float | None = None
        self._lock = threading.Lock()
        self.window_pieces = embedder.window_pieces
        self.vocabulary_coverage = embedder.vocabulary_coverage
        self.embed_documents = embedder.embed_documents
        self.embed_queries = embedder.embed_queries

    @property
    def identity(self) -> EmbedderIdentity:
        """As Embedder."""
        return self._embedder.identity

    def embed_query(self, text: str) -> Vectors:
        """As Embedder, but raises EmbedderUnavailable rather than wait for long.

        While it is too early to ask again it raises at once what an earlier query met.
        """
        with self._lock:
            if text in self._recent:
                self._recent.move_to_end(text)
                return self._recent[text]
        attempt = self._breaker.admit()
        with self._breaker.recording_failures(attempt):
            self._health.prepare()
        began = self._now()
        is_due = self._checked_at is None or began - self._checked_at >= HEALTH_CHECK_INTERVAL
        is_same = False
        if is_due:
            seen = self._await(
                self._health.check, attempt, LEAST_WAIT, RETRY_PAUSE, "does not answer"
            )
            is_same = self._embedder.is_verified_for(seen)
        left = max(attempt.wait - (self._now() - began), 0.0)
        state = f"is still loading {self._health.model}, or is busy"
        if not is_due:  # nor is it known whether it would answer a check
            state = f"does not answer, {state}"
        pause = ATTEMPT_TIMEOUT if is_due else RETRY_PAUSE
        return self._await(lambda: self._embed(text, is_due, is_same), attempt, left, pause, state)

    def warm_up(self) -> Future[None]:
        """Have the model loaded in the background; the next query raises what fails."""

        def load() -> None:
            attempt = self._breaker.admit()
            with self._breaker.recording_failures(attempt):
                self._health.check()
                self._embedder.load_model()
            self._breaker.record_success()

        return run_in_background(load)

    def _await(
        self, work: Callable[[], T], attempt: Attempt, seconds: float, pause: float, state: str
    ) -> T:
        """Return what the work gives in this time; its own failure is recorded even later.

        Raises EmbedderUnavailable with `state` if it takes longer, which is a failure for
        `pause` seconds.
        """

        def record() -> T:
            with self._breaker.recording_failures(attempt):
                return work()

        ended = run_in_background(record)
        if self._wait_for(ended, seconds):
            return ended.result()
        late = EmbedderUnavailable(
            f"{self._health.place} {state}. Ask again in a moment; if it stays so, restart "
            f"{self._health.name}."
        )
        self._breaker.record_failure(attempt, late, pause)
        raise late

    def _embed(self, text: str, was_checked: bool, is_same: bool) -> Vectors:
        """Embed; check again afterwards if the check before did not show what was verified."""
        began = self._now()
        try:
            vector = self._embedder.embed_query(text, check_after=was_checked and not is_same)
        except EmbedderMismatch:
            with self._lock:
                self._recent.clear()  # the last ones may be the other model's
            raise
        if was_checked:
            self._checked_at = began
        self._breaker.record_success(self._now() - began)
        with self._lock:
            self._recent[text] = vector
            if len(self._recent) > RECENT_QUERIES:
                self._recent.popitem(last=False)
        return vector
