"""Whether an embedder may be asked now, and how long it may be waited for, given its past.

As long as all goes well every query asks. After a failure one query in a while asks, and
all others get the failure at once; a success lets every query ask again.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.errors import BlogSearchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LEAST_WAIT: Final = 0.2
"""Seconds that a query waits for an embedder of which nothing good is known: with the work
around it, on a busy machine too, a dead one may cost a query 0.3 s and no more."""

WAIT_FACTOR: Final = 2.0
"""How often its usual time an embedder that works may take: one on a slow machine would miss
LEAST_WAIT each time, one that answers in 0.1 s and now does not is as good as dead after it."""

MOST_WAIT: Final = 2.0
"""Seconds that a query waits at most, whatever is usual; keyword matches are better by then."""

RECENT_EMBEDDINGS: Final = 5
"""Embeddings whose median is the usual time: loading a model is one long one among them."""

RETRY_PAUSE: Final = 5.0
"""Seconds after a failure until a query asks again: soon enough for a reader who has just
started Ollama, seldom enough for one who never will."""

ATTEMPT_TIMEOUT: Final = 30.0
"""Seconds after which an attempt without an end no longer keeps others from asking; a model was
seen to take 15 s to load from a cold disk."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """Permission for one request."""

    wait: float
    """Seconds to wait for the answer at most."""
    successes: int
    """How many there had been: a failure reported after a further one is out of date."""


class CircuitBreaker:
    """The past of one embedder; safe to use from several threads."""

    def __init__(self, now: Callable[[], float]) -> None:
        """`now` gives seconds that never go back."""
        self._now = now
        self._lock = threading.Lock()
        self._failure: BlogSearchError | None = None
        self._retry_at = 0.0
        self._successes = 0
        self._seconds: deque[float] = deque(maxlen=RECENT_EMBEDDINGS)

    def admit(self) -> Attempt:
        """Permit a request, or raise the last failure while it is too early to ask again."""
        with self._lock:
            if self._failure is None:
                usual = (
                    sorted(self._seconds)[(len(self._seconds) - 1) // 2] if self._seconds else 0.0
                )
                return Attempt(
                    min(max(LEAST_WAIT, WAIT_FACTOR * usual), MOST_WAIT), self._successes
                )
            if self._now() < self._retry_at:
                raise self._failure.with_traceback(None)  # each raise would lengthen it
            self._retry_at = self._now() + ATTEMPT_TIMEOUT
            return Attempt(LEAST_WAIT, self._successes)

    def record_success(self, seconds: float | None = None) -> None:
        """Record a success, and how long it took if it was an embedding."""
        with self._lock:
            self._failure = None
            self._successes += 1
            if seconds is not None:
                self._seconds.append(seconds)

    def record_failure(
        self, attempt: Attempt, failure: BlogSearchError, pause: float = RETRY_PAUSE
    ) -> None:
        """Record why an attempt has no vector, and the seconds until the next may ask.

        ATTEMPT_TIMEOUT is the pause for an attempt that is still under way.
        """
        with self._lock:
            if attempt.successes == self._successes:
                self._failure, self._retry_at = failure, self._now() + pause

    @contextmanager
    def recording_failures(self, attempt: Attempt) -> Iterator[None]:
        """Record any BlogSearchError that leaves the block."""
        try:
            yield
        except BlogSearchError as error:
            self.record_failure(attempt, error)
            raise
