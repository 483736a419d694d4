"""Requests to an embedding server: how long one may take, its retries, what is said if it fails.

What a server speaks is its `Wire`. Texts go to the address that was asked for alone, an answer has
a limit, and what a server says is printed without control characters and keys.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar
from urllib.parse import urlsplit

from blog_search_mcp.index.analysis.lines import to_line
from blog_search_mcp.index.embedders.fingerprint import SAME
from blog_search_mcp.index.errors import (
    EmbedderError,
    EmbedderRefused,
    EmbedderUnavailable,
    ModelMissing,
)

if TYPE_CHECKING:
    import httpx

    from blog_search_mcp.index.types import Vectors

C = TypeVar("C")
T = TypeVar("T")

DETAIL_LIMIT: Final = 200
"""Characters of a foreign message worth repeating; a proxy's HTML page is longer."""

KEY_VARIABLE: Final = "EMBEDDER_API_KEY"
"""Environment variable of the bearer token; of no other program, so that no key goes astray."""
_KEYS: Final = (KEY_VARIABLE, "OLLAMA_API_KEY")
"""Those whose values a server is sent, the last by Ollama's client, and may repeat."""

CONNECT_TIMEOUT: Final = 3.0
"""Seconds until a host that swallows packets counts as down."""

ROUNDING: Final = 1e-6
"""How far from 1 the length of a float32 row may lie that a server has normalised."""

MOST_REPLY_BYTES: Final = 8_000_000
"""Of one answer: 32 vectors of the longest that Ollama's library has, 4,096 numbers, are 3 MB."""


def clean_text(text: str) -> str:
    """Make a line to print of a server's text: no control characters, no key, DETAIL_LIMIT."""
    for name in _KEYS:
        if key := os.environ.get(name, "").strip():
            text = text.replace(key, "[key]")
    return to_line(text)[:DETAIL_LIMIT]


class FailureKind(Enum):
    """One kind for each thing the caller would do differently."""

    DOWN = auto()
    SLOW = auto()
    BUSY = auto()
    CRASHED = auto()
    TOO_LONG = auto()
    MISSING = auto()
    NOT_EMBEDDING = auto()
    NO_VECTOR = auto()
    REDIRECTED = auto()
    REFUSED = auto()


class RequestFailed(Exception):
    """One failed request; it leaves an embedder as an EmbedderError."""

    def __init__(self, kind: FailureKind, detail: str = "") -> None:
        self.kind = kind
        self.detail = clean_text(detail)
        super().__init__(f"{kind.name}: {self.detail}")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to wait for a reply, and the pauses before each retry, in seconds."""

    timeout: float
    pauses: Mapping[FailureKind, tuple[float, ...]]


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


@dataclass(frozen=True, slots=True)
class ServerState:
    """What a server runs now; once it differs, nothing learnt before holds."""

    version: str = ""
    """Empty if it reports none."""
    digest: str = ""
    """Of the model's weights; empty if it reports none, or lacks the model."""
    dimension: int = 0
    """Of the model's vectors; 0 if that was not asked."""
    sample: Vectors | None = field(default=None, compare=False)
    """The vector of a fingerprint text, where nothing else tells the weights."""

    def is_same(self, other: ServerState) -> bool:
        """Whether vectors of both can be compared without another look."""
        if self != other or self.sample is None or other.sample is None:
            return self == other
        return float(self.sample @ other.sample) >= SAME


_SENTENCES: Final[Mapping[FailureKind, tuple[type[EmbedderError], str]]] = {
    FailureKind.DOWN: (
        EmbedderUnavailable,
        "{place} cannot be reached. {start}, or name its address with {setting}.",
    ),
    FailureKind.SLOW: (
        EmbedderUnavailable,
        "{place} did not answer in time. Try again; if it stays so, restart {it}.",
    ),
    FailureKind.BUSY: (EmbedderUnavailable, "{place} is busy. Try again in a moment."),
    FailureKind.CRASHED: (
        EmbedderUnavailable,
        "{place} failed while embedding: {detail}. Try again; if it stays so, restart {it}.",
    ),
    FailureKind.TOO_LONG: (
        EmbedderRefused,
        "{model} refuses even a single character as too long. Choose another model.",
    ),
    FailureKind.MISSING: (ModelMissing, "{place} does not have the model {model}. {fetch}."),
    FailureKind.NOT_EMBEDDING: (
        EmbedderRefused,
        "{model} gives no embeddings. Choose an embedding model, such as --model bge-m3.",
    ),
    FailureKind.NO_VECTOR: (EmbedderRefused, "{place} answered with {detail}. {check}."),
    FailureKind.REDIRECTED: (
        EmbedderRefused,
        "{place} redirects to {detail}, where no text is sent. If that is the right server, name "
        "its address with {setting}.",
    ),
    FailureKind.REFUSED: (EmbedderRefused, "{place} refused the request: {detail}. {check}."),
}
"""By kind the error and its sentence; what stands in braces is filled in."""


class Wire(ABC, Generic[C]):
    """How one server is spoken to; connects at the first request of each timeout."""

    kind: ClassVar[str]
    """Of EmbedderIdentity."""
    name: ClassVar[str]
    """Of the server, as a sentence begins with it: `Ollama`."""
    it: ClassVar[str]
    """The same, in a sentence that has named it before."""
    setting: ClassVar[str]
    """What sets its address."""
    start: ClassVar[str]
    """How to start it."""
    fetch: ClassVar[str]
    """How to give it a `{model}`."""
    check: ClassVar[str]
    """What to look at if it answers otherwise than it should."""
    advice: ClassVar[str]
    """What to correct where its client cannot start."""
    for_a_check: ClassVar[RetryPolicy] = FOR_A_CHECK
    """Of `describe` while somebody waits."""

    def __init__(self, url: str) -> None:
        """Take the address."""
        self.url = url
        self._clients: dict[float, C] = {}

    @property
    def place(self) -> str:
        """The server at this address, as a sentence names it."""
        return f"{self.name} at {self.url}"

    @abstractmethod
    def connect(self, timeout: float) -> C:
        """Import and set up the client."""

    @abstractmethod
    def describe(self, model: str, policy: RetryPolicy) -> ServerState:
        """Ask what server and model are now; cheap. Raises RequestFailed."""

    @abstractmethod
    def embed(
        self, model: str, texts: list[str], dimension: int | None, policy: RetryPolicy
    ) -> Vectors:
        """Embed texts by one request; return their unit rows in order. Raises RequestFailed."""

    def load(self, model: str, policy: RetryPolicy) -> None:
        """Have the model loaded into memory, where `describe` does not. Raises RequestFailed."""

    def warnings(self, model: str, state: ServerState) -> tuple[str, ...]:  # noqa: ARG002 - none
        """Return sentences on what is wrong with this version of the server."""
        return ()

    def prepare(self, policy: RetryPolicy) -> C:
        """Return the client for requests of this policy. Raises EmbedderRefused."""
        if policy.timeout not in self._clients:
            try:
                self._clients[policy.timeout] = self.connect(policy.timeout)
            except (ImportError, OSError, ValueError) as error:
                raise EmbedderRefused(
                    f"{self.name}'s client cannot start: {error}. {self.advice}",
                    for_clients=f"{self.name}'s client cannot start. {self.advice}",
                ) from error
        return self._clients[policy.timeout]

    def request(self, send: Callable[[C], T], policy: RetryPolicy) -> T:
        """Make one request, and retry it as the policy grants. Raises RequestFailed."""
        client = self.prepare(policy)
        retries: Counter[FailureKind] = Counter()
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
            time.sleep(pauses[0])
            retries[failure.kind] += 1

    def translate(self, error: Exception) -> RequestFailed | None:
        """Translate what a request raised; `None` for what neither network nor answer raises."""
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
                return RequestFailed(FailureKind.NO_VECTOR, "something unexpected")
        return None

    def describe_text(self, failure: RequestFailed) -> str:
        """Describe why one text has no vector: `Ollama failed on it: EOF (status 400)`."""
        match failure.kind:
            case FailureKind.SLOW:
                return f"{self.name} did not answer in time for it"
            case FailureKind.NO_VECTOR:
                return f"{self.name} answered with {failure.detail}"
            case _:
                return f"{self.name} failed on it: {failure.detail}"

    def make_error(self, failure: RequestFailed, model: str) -> EmbedderError:
        """Describe what happened with `model`, and what to do next."""
        error, sentence = _SENTENCES[failure.kind]
        names = {"place": self.place, "model": model, "it": self.it, "setting": self.setting}
        hints = {"start": self.start, "fetch": self.fetch.format(model=model), "check": self.check}
        fill = partial(sentence.format, **names, **hints)
        is_ours = failure.kind in (FailureKind.NO_VECTOR, FailureKind.REDIRECTED)
        shown = failure.detail if is_ours else "its log has the reason"
        return error(fill(detail=failure.detail), for_clients=fill(detail=shown))


def client_options(url: str, timeout: float) -> dict[str, Any]:
    """Return the settings of an httpx client for the server at `url`."""
    import httpx

    trust_env = not is_loopback(url)  # a proxy in the environment is not for this machine
    return {
        "timeout": httpx.Timeout(timeout, connect=CONNECT_TIMEOUT),
        "limits": httpx.Limits(max_keepalive_connections=0),
        "trust_env": trust_env,
        "verify": trust_env or url.startswith("https:"),  # to load certificates takes time
        "follow_redirects": False,
        "headers": {"Accept-Encoding": "identity"},
        "event_hooks": {"response": [_bound_response]},
    }


def is_loopback(url: str) -> bool:
    """Whether the URL's host is this machine: such requests must never go to a proxy."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _bound_response(response: httpx.Response) -> None:
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
            self.close = stream.close  # type: ignore[method-assign]

        def __iter__(self) -> Iterator[bytes]:
            left = MOST_REPLY_BYTES
            for part in self._stream:
                left -= len(part)
                if left < 0:
                    said = f"more than {MOST_REPLY_BYTES / 1e6:.0f} MB"
                    raise RequestFailed(FailureKind.NO_VECTOR, said)
                yield part

    assert isinstance(response.stream, httpx.SyncByteStream)
    response.stream = Bounded(response.stream)


def _address_of_redirect(response: httpx.Response) -> str:
    """Return scheme, host and port of where the answer points."""
    import httpx

    try:
        url = response.request.url.join(response.headers["Location"])
    except httpx.InvalidURL:
        return "what is no address"
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def read_rows(vectors: Any, count: int, dimension: int | None) -> Vectors:
    """Read `count` vectors out of an answer, as unit rows.

    Raises RequestFailed if they are not that many, of one width (`dimension`, if that is known),
    finite and longer than zero.
    """
    import numpy as np

    matrix: Vectors = np.asarray(vectors, dtype=np.float32)
    if len(matrix) != count:
        raise RequestFailed(FailureKind.NO_VECTOR, f"{len(matrix)} vectors for {count} texts")
    if matrix.ndim != 2:
        raise RequestFailed(FailureKind.NO_VECTOR, "what is not one vector for a text")
    if dimension not in (None, width := matrix.shape[1]):
        said = f"a vector of {width} numbers instead of {dimension}"
        raise RequestFailed(FailureKind.NO_VECTOR, said)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not (np.isfinite(norms) & (norms > 0)).all():
        said = "a vector of zeros, or with a number that is not finite"
        raise RequestFailed(FailureKind.NO_VECTOR, said)
    norms[np.abs(norms - 1) < ROUNDING] = 1
    unit: Vectors = matrix / norms
    return unit
