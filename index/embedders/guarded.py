"""A server's embedder for serving: soon a vector, or soon the sentence why there is none.

A query must not wait for a server that is dead, hangs or loads its model. So each request
runs in the background and is waited for briefly: first a health check, which also shows
whether the model is still the same, then the embedding. A vector that comes too late is
kept for when the same is asked again, and shows that the server is well.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from blog_search_mcp.index.embedders.circuit_breaker import (
    GIVEN_UP,
    WAIT,
    Attempt,
    CircuitBreaker,
)
from blog_search_mcp.index.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from blog_search_mcp.index.embedders.base import Embedder, HealthCheck, ServerState
    from blog_search_mcp.index.embedders.verified import VerifiedEmbedder
    from blog_search_mcp.index.types import EmbedderIdentity, Vectors

T = TypeVar("T")

RECENT_QUERIES: Final = 64
"""Vectors kept: more than one conversation asks, in 200 KB."""


class Clock(Protocol):
    """What waiting needs of the world."""

    def now(self) -> float:
        """Return seconds since some moment; never goes back."""
        ...

    def wait(self, work: Future[Any], seconds: float) -> bool:
        """Wait until `work` has ended, but no longer than this; whether it has."""
        ...


class SystemClock:
    """As Clock, by this machine's time."""

    def now(self) -> float:
        """As Clock."""
        return time.monotonic()

    def wait(self, work: Future[Any], seconds: float) -> bool:
        """As Clock."""
        return bool(wait([work], seconds).done)


def run_in_background(work: Callable[[], T]) -> Future[T]:
    """Start `work` in a thread that the process does not wait for at its end."""
    ended: Future[T] = Future()

    def run() -> None:
        try:
            ended.set_result(work())
        except BaseException as error:  # whatever it is, it belongs to who waits
            ended.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return ended


class GuardedEmbedder:
    """Never keeps a query waiting for long; safe to use from several threads."""

    def __init__(
        self,
        make: Callable[[], VerifiedEmbedder],
        health: HealthCheck,
        clock: Clock | None = None,
    ) -> None:
        """`make` returns an embedder that has learnt nothing of its server yet."""
        self._make = make
        self._health = health
        self._clock = clock or SystemClock()
        self._breaker = CircuitBreaker(self._clock.now)
        self._recent: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()
        self._embedder = make()
        self._state: ServerState | None = None

    @property
    def identity(self) -> EmbedderIdentity:
        """As Embedder."""
        return self._embedder.identity

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        """As Embedder."""
        return self._embedder.vocabulary_coverage(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder; however long it takes, since documents have time."""
        return self._embedder.embed_documents(texts)

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
        began = self._clock.now()
        embedder = self._embedder_for(self._check_health(attempt))
        left = max(attempt.wait - (self._clock.now() - began), 0.0)
        with self._breaker.recording_failures(attempt):
            embedder.prepare()
        return self._wait_for_vector(embedder, text, attempt, left)

    def warm_up(self) -> Future[None]:
        """Have the model loaded in the background; the next query raises what fails."""

        def load() -> None:
            attempt = self._breaker.admit()
            with self._breaker.recording_failures(attempt):
                self._embedder_for(self._health.check()).load_model()
            self._breaker.record_success()

        return run_in_background(load)

    def _check_health(self, attempt: Attempt) -> ServerState:
        def check() -> ServerState:
            with self._breaker.recording_failures(attempt):
                return self._health.check()

        checking = run_in_background(check)
        if self._clock.wait(checking, WAIT):
            return checking.result()
        silent = EmbedderUnavailable(
            f"{self._health.place} does not answer. Ask again in a moment; if it stays so, restart "
            f"{self._health.server}."
        )
        self._breaker.record_failure(attempt, silent)
        raise silent

    def _embedder_for(self, state: ServerState) -> VerifiedEmbedder:
        """Return the embedder, made anew if what it learnt of its server is old."""
        with self._lock:
            if state != self._state:
                self._embedder, self._state = self._make(), state
            return self._embedder

    def _wait_for_vector(
        self, embedder: Embedder, text: str, attempt: Attempt, seconds: float
    ) -> Vectors:
        embedding = run_in_background(lambda: self._embed(embedder, text, attempt))
        if self._clock.wait(embedding, seconds):
            return embedding.result()
        late = EmbedderUnavailable(
            f"{self._health.place} is still loading {self._health.model}, or is busy. Ask again in "
            f"a moment; if it stays so, restart {self._health.server}."
        )
        self._breaker.record_failure(attempt, late, pause=GIVEN_UP)
        raise late

    def _embed(self, embedder: Embedder, text: str, attempt: Attempt) -> Vectors:
        began = self._clock.now()
        with self._breaker.recording_failures(attempt):
            vector = embedder.embed_query(text)
        self._breaker.record_success(self._clock.now() - began)
        with self._lock:
            self._recent[text] = vector
            if len(self._recent) > RECENT_QUERIES:
                self._recent.popitem(last=False)
        return vector
