"""One request to an embedding server: how long it may take, its retries, what it may answer."""

from __future__ import annotations

import logging
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Final, Generic, TypeVar, cast

from blog_search_mcp.index.embedders.remote.failures import (
    FailureKind,
    FailureMessages,
    RequestFailed,
)

if TYPE_CHECKING:
    import httpx

C = TypeVar("C")
T = TypeVar("T")

CONNECT_TIMEOUT: Final = 3.0
"""Seconds until a host that swallows packets counts as down."""

MOST_REPLY_BYTES: Final = 8_000_000
"""Of one answer: 32 vectors of the longest that Ollama's library has, 4,096 numbers, are 3 MB."""

RETRY_TIMEOUT: Final = 60.0
"""Seconds for what failed once: half a batch takes half of them on a slow machine."""


@dataclass(frozen=True, slots=True)
class ServerState:
    """What a server runs now; once it differs, nothing learnt before holds."""

    version: str = ""
    """Empty if it reports none."""
    digest: str = ""
    """Of the model's weights; empty if the model is not installed."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to wait for a reply, and the pauses before each retry, in seconds."""

    timeout: float
    pauses: Mapping[FailureKind, tuple[float, ...]]

    def shorten(self) -> RetryPolicy:
        """Retry a crash once and wait less, for requests that are retries themselves."""
        crashed = self.pauses.get(FailureKind.CRASHED, ())[:1]
        return RetryPolicy(
            min(self.timeout, RETRY_TIMEOUT), {**self.pauses, FailureKind.CRASHED: crashed}
        )


FOR_DOCUMENTS: Final = RetryPolicy(
    timeout=300.0,
    pauses={
        FailureKind.DOWN: (0.5, 1.0, 2.0, 4.0, 8.0),
        FailureKind.BUSY: (0.5, 1.0, 2.0, 4.0, 8.0, 8.0),
        FailureKind.CRASHED: (0.5, 1.0, 2.0),
        FailureKind.NO_VECTOR: (1.0,),
    },
)
"""The timeout is the time Ollama itself gives a model to load; an Ollama that updates itself is
down for some seconds. What was too slow is retried in halves, not as it was."""

FOR_A_QUERY: Final = RetryPolicy(
    timeout=20.0,
    pauses={
        FailureKind.BUSY: (0.25,),
        FailureKind.CRASHED: (0.25,),
        FailureKind.NO_VECTOR: (0.25,),
    },
)
"""Somebody waits: the timeout covers the 15 s that a cold start was seen to take, and no more."""

FOR_A_CHECK: Final = RetryPolicy(timeout=1.0, pauses={})
"""A local Ollama lists its models in milliseconds, and the next check is near."""

LONG_PAUSE: Final = 1.0
"""Seconds from which on a pause is said, once a request; before a query there is none so long."""

log = logging.getLogger(__name__)


class RetryingClient(ABC, Generic[C]):
    """Requests to one server; connects at the first of each timeout."""

    messages: FailureMessages

    def __init__(self, url: str) -> None:
        """Take the address."""
        self.url = url
        self._clients: dict[float, C] = {}

    @abstractmethod
    def connect(self, timeout: float) -> C:
        """Import and set up the client. Raises EmbedderRefused."""

    @abstractmethod
    def translate(self, error: Exception) -> RequestFailed | None:
        """Translate what a request raised; `None` for what neither network nor answer raises."""

    def prepare(self, policy: RetryPolicy) -> C:
        """Return the client for requests of this policy. Raises EmbedderRefused."""
        if policy.timeout not in self._clients:
            self._clients[policy.timeout] = self.connect(policy.timeout)
        return self._clients[policy.timeout]

    def request(self, send: Callable[[C], T], policy: RetryPolicy) -> T:
        """Make one request, and retry it as the policy grants. Raises RequestFailed."""
        client = self.prepare(policy)
        retries: Counter[FailureKind] = Counter()
        is_said = False
        while True:
            try:
                return send(client)
            except Exception as error:
                failure = self.translate(error)
                if failure is None:
                    raise
                pauses = policy.pauses.get(failure.kind, ())[retries[failure.kind] :]
                if not pauses:
                    raise failure from error
            if not is_said and pauses[0] >= LONG_PAUSE:
                is_said = True
                name, said = self.messages.name, self.messages.describe(failure, self.url)
                log.warning("Waiting for %s, %.0f s at most. %s", name, sum(pauses), said)
            time.sleep(pauses[0])
            retries[failure.kind] += 1


def import_httpx() -> None:
    """Import httpx as where its own command line is not installed.

    The libraries of that one, which others brought, take longer than all the rest.
    """
    name = "httpx._main"
    if sys.modules.setdefault(name, cast("ModuleType", None)) is None:
        import httpx  # noqa: F401

        sys.modules.pop(name, None)


def bound_response(response: httpx.Response) -> None:
    """Refuse redirects and compressed bodies, and end any other at MOST_REPLY_BYTES.

    A hook of httpx. Raises RequestFailed.
    """
    import httpx

    if response.has_redirect_location:
        raise RequestFailed(FailureKind.REDIRECTED, _address_of_redirect(response))
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise RequestFailed(FailureKind.NO_VECTOR, "a compressed body, which was not asked for")

    class Bounded(httpx.SyncByteStream):
        def __init__(self, stream: httpx.SyncByteStream) -> None:
            self._stream = stream

        def __iter__(self) -> Iterator[bytes]:
            left = MOST_REPLY_BYTES
            for part in self._stream:
                left -= len(part)
                if left < 0:
                    raise RequestFailed(
                        FailureKind.NO_VECTOR, f"more than {MOST_REPLY_BYTES / 1e6:.0f} MB"
                    )
                yield part

        def close(self) -> None:
            self._stream.close()

    assert isinstance(response.stream, httpx.SyncByteStream)
    response.stream = Bounded(response.stream)


def _address_of_redirect(response: httpx.Response) -> str:
    """Return scheme, host and port of where the answer points."""
    import httpx

    location = response.headers["Location"]
    try:
        url = response.request.url.join(location)
    except httpx.InvalidURL:
        return "what is no address"
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def translate_http_error(error: Exception, unexpected: str) -> RequestFailed | None:
    """Translate what httpx raises, and what reading an answer does; a RequestFailed stays itself.

    `unexpected` describes an answer that is not what was asked for. Returns `None` for the rest.
    """
    import httpx

    match error:
        case RequestFailed():
            return error
        case ConnectionError() | httpx.ConnectError() | httpx.ConnectTimeout():
            return RequestFailed(FailureKind.DOWN, str(error))
        case httpx.TimeoutException():
            return RequestFailed(FailureKind.SLOW, str(error))
        case httpx.UnsupportedProtocol() | httpx.InvalidURL():
            return RequestFailed(FailureKind.REFUSED, str(error))
        case httpx.HTTPError():
            return RequestFailed(FailureKind.CRASHED, str(error))
        case ValueError() | TypeError() | LookupError() | ArithmeticError() | RecursionError():
            return RequestFailed(FailureKind.NO_VECTOR, unexpected)
    return None
