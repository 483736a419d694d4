"""Whether an embedder may be asked now and how long it may be waited for: its past in, that out.

As long as all goes well every query asks. After a failure one query in a while asks, and
all others hear at once what went wrong; its success lets every query ask again.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median_low
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.errors import BlogSearchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WAIT: Final = 0.2
"""Seconds that a query waits for an embedder of which nothing good is known: with the work
around it, on a busy machine too, a dead one may cost a query 0.3 s and no more."""

USUAL_TIMES: Final = 2.0
"""How often its usual time an embedder that works may take: one on a slow machine would miss
WAIT each time, one that answers in 0.1 s and now does not is as good as dead after WAIT."""

LONGEST: Final = 2.0
"""Seconds that a query waits at most, whatever is usual; keyword matches are better by then."""

RECENT: Final = 5
"""Embeddings whose median is the usual time: loading a model is one long one among them."""

PAUSE: Final = 5.0
"""Seconds after a failure until a query asks again: soon enough for a reader who has just
started Ollama, seldom enough for one who never will."""

GIVEN_UP: Final = 30.0
"""Seconds after which an attempt without an end no longer keeps others from asking; a model was
seen to take 15 s to load from a cold disk."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """Leave to ask once."""

    patience: float
    """Seconds that its answer may be waited for."""
    successes: int
    """How many there had been: a failure that is heard of after a further one is out of date."""


class Breaker:
    """The past of one embedder; safe to use from several threads."""

    def __init__(self, now: Callable[[], float]) -> None:
        """`now` gives seconds that never go back."""
        self._now = now
        self._lock = threading.Lock()
        self._trouble: BlogSearchError | None = None
        self._due = 0.0
        self._successes = 0
        self._seconds: deque[float] = deque(maxlen=RECENT)

    def admit(self) -> Attempt:
        """Leave to ask, or the last failure raised again while it is too early for that."""
        with self._lock:
            if self._trouble is None:
                return Attempt(self._patience(), self._successes)
            if self._now() < self._due:
                raise self._trouble.with_traceback(None)  # each raise would lengthen it
            self._due = self._now() + GIVEN_UP
            return Attempt(WAIT, self._successes)

    def succeeded(self, seconds: float | None = None) -> None:
        """Note a success, and how long it took if it was an embedding."""
        with self._lock:
            self._trouble = None
            self._successes += 1
            if seconds is not None:
                self._seconds.append(seconds)

    def failed(self, attempt: Attempt, trouble: BlogSearchError) -> None:
        """Note how an attempt ended that brought nothing."""
        self._note(attempt, trouble, PAUSE)

    def unanswered(self, attempt: Attempt, trouble: BlogSearchError) -> None:
        """Note that an attempt was waited for in vain; it is still under way."""
        self._note(attempt, trouble, GIVEN_UP)

    @contextmanager
    def noting_failures(self, attempt: Attempt) -> Iterator[None]:
        """Note any failure of ours that leaves the block."""
        try:
            yield
        except BlogSearchError as error:
            self.failed(attempt, error)
            raise

    def _note(self, attempt: Attempt, trouble: BlogSearchError, pause: float) -> None:
        with self._lock:
            if attempt.successes == self._successes:
                self._trouble, self._due = trouble, self._now() + pause

    def _patience(self) -> float:
        usual = median_low(self._seconds) if self._seconds else 0.0
        return min(max(WAIT, USUAL_TIMES * usual), LONGEST)
