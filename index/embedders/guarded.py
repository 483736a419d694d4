"""Ollama's embedder as a server asks it: soon a vector, or soon the sentence why there is none.

A query must not wait for an Ollama that is dead, hangs or loads its model. So each request
runs in the background and is waited for briefly: first a look whether anybody is there and
still has the same model, then the embedding. What comes too late is kept for when the same
is asked again, and tells that Ollama is well.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from blog_search_mcp.index.embedders.base import Embedder
from blog_search_mcp.index.embedders.circuit_breaker import WAIT, Attempt, Breaker
from blog_search_mcp.index.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from blog_search_mcp.index.embedders.ollama.client import Lookout, Seen
    from blog_search_mcp.index.types import EmbedderIdentity, Vectors

T = TypeVar("T")


class Time(Protocol):
    """What waiting needs of the world."""

    def now(self) -> float:
        """Seconds since some moment; never goes back."""
        ...

    def wait(self, work: Future[Any], seconds: float) -> bool:
        """Wait until `work` has ended, but no longer than this; whether it has."""
        ...


class RealTime:
    """The time of this machine."""

    def now(self) -> float:
        """As Time."""
        return time.monotonic()

    def wait(self, work: Future[Any], seconds: float) -> bool:
        """As Time."""
        return bool(wait([work], seconds).done)


def in_background(work: Callable[[], T]) -> Future[T]:
    """Start `work` in a thread that the process does not wait for at its end."""
    ended: Future[T] = Future()

    def run() -> None:
        try:
            ended.set_result(work())
        except BaseException as error:  # whatever it is, it belongs to who waits
            ended.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return ended


KEPT: Final = 64
"""Queries: more than one conversation asks, in 200 KB."""


class Recent:
    """Vectors by text; the one that was not asked for the longest gives way."""

    def __init__(self, kept: int = KEPT) -> None:
        """`kept` says how many."""
        self._most = kept
        self._lock = threading.Lock()
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()

    def get(self, text: str) -> Vectors | None:
        """The vector, if it is here."""
        with self._lock:
            if text in self._vectors:
                self._vectors.move_to_end(text)
            return self._vectors.get(text)

    def keep(self, text: str, vector: Vectors) -> None:
        """Keep one more."""
        with self._lock:
            self._vectors[text] = vector
            if len(self._vectors) > self._most:
                self._vectors.popitem(last=False)


class Loadable(Embedder, Protocol):
    """An embedder whose model lies on a server."""

    def prepare(self) -> None:
        """Do what takes time before the first request but waits for nobody."""
        ...

    def load(self) -> None:
        """Have the server load the model. Raises EmbedderError or EmbedderMismatch."""
        ...


class GuardedEmbedder:
    """Never keeps a query waiting for long; safe to use from several threads."""

    def __init__(
        self, make: Callable[[], Loadable], lookout: Lookout, time: Time | None = None
    ) -> None:
        """`make` gives an embedder that has learnt nothing of its server yet."""
        self._make = make
        self._lookout = lookout
        self._time = time or RealTime()
        self._breaker = Breaker(self._time.now)
        self._recent = Recent()
        self._making = threading.Lock()
        self._embedder = make()
        self._seen: Seen | None = None

    @property
    def identity(self) -> EmbedderIdentity:
        """As Embedder."""
        return self._embedder.identity

    def readable(self, texts: Sequence[str]) -> list[float]:
        """As Embedder."""
        return self._embedder.readable(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder; however long it takes, since documents have time."""
        return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        """As Embedder, but raises EmbedderUnavailable rather than wait for long.

        While it is too early to ask again it raises at once what an earlier query met.
        """
        known = self._recent.get(text)
        if known is not None:
            return known
        attempt = self._breaker.admit()
        self._prepare(self._lookout, attempt)
        began = self._time.now()
        embedder = self._embedder_for(self._looked(attempt))
        left = max(attempt.patience - (self._time.now() - began), 0.0)
        self._prepare(embedder, attempt)
        return self._embedded(embedder, text, attempt, left)

    def warm_up(self) -> Future[None]:
        """Have the model loaded in the background; a failure is what the next query hears."""
        return in_background(self._load)

    def _load(self) -> None:
        attempt = self._breaker.admit()
        with self._breaker.noting_failures(attempt):
            embedder = self._embedder_for(self._lookout.look())
            embedder.load()
        self._breaker.succeeded()

    def _prepare(self, what: Lookout | Loadable, attempt: Attempt) -> None:
        with self._breaker.noting_failures(attempt):
            what.prepare()

    def _looked(self, attempt: Attempt) -> Seen:
        def look() -> Seen:
            with self._breaker.noting_failures(attempt):
                return self._lookout.look()

        looking = in_background(look)
        if self._time.wait(looking, WAIT):
            return looking.result()
        silent = EmbedderUnavailable(
            f"Ollama at {self._lookout.host} does not answer. Ask again in a moment; if it stays "
            "so, restart Ollama."
        )
        self._breaker.failed(attempt, silent)
        raise silent

    def _embedder_for(self, seen: Seen) -> Loadable:
        """The embedder, made anew if what it has learnt of its server is old."""
        with self._making:
            if seen != self._seen:
                self._embedder, self._seen = self._make(), seen
            return self._embedder

    def _embedded(
        self, embedder: Loadable, text: str, attempt: Attempt, patience: float
    ) -> Vectors:
        embedding = in_background(lambda: self._embed(embedder, text, attempt))
        if self._time.wait(embedding, patience):
            return embedding.result()
        late = EmbedderUnavailable(
            f"Ollama at {self._lookout.host} is still loading {self._lookout.model}, or is busy. "
            "Ask again in a moment; if it stays so, restart Ollama."
        )
        self._breaker.unanswered(attempt, late)
        raise late

    def _embed(self, embedder: Loadable, text: str, attempt: Attempt) -> Vectors:
        began = self._time.now()
        with self._breaker.noting_failures(attempt):
            vector = embedder.embed_query(text)
        self._breaker.succeeded(self._time.now() - began)
        self._recent.keep(text, vector)
        return vector
