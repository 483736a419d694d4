"""Requests to an embedding server: how long one may take, its retries, what is said if it fails.

What a server speaks is its `Wire`. Texts go to the address that was asked for alone, and what a
server says is printed without control characters and keys.
"""

from __future__ import annotations

import json
import logging
import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any, ClassVar, Final

import httpx
import numpy as np

from blog_search_mcp.index.analysis.lines import to_line
from blog_search_mcp.index.embedders.addresses import is_loopback
from blog_search_mcp.index.errors import EmbedderError, UsageError
from blog_search_mcp.index.types import Vectors

log = logging.getLogger(__name__)

DETAIL_LIMIT: Final = 200
"""Characters of a foreign message worth repeating; a proxy's HTML page is longer."""

KEY_VARIABLE: Final = "EMBEDDER_API_KEY"
"""Environment variable of the bearer token; of no other program, so that no key goes astray."""

CONNECT_TIMEOUT: Final = 3.0
"""Seconds until a host that swallows packets counts as down."""


class FailureKind(Enum):
    """One kind for each thing the caller would do differently, with what happened and what to do.

    What stands in braces is filled in; `0` is the wire.
    """

    DOWN = "{0.place} cannot be reached. {0.start}, or name its address with {0.setting}."
    SLOW = "{0.place} did not answer in time. Try again; if it stays so, restart it."
    BUSY = "{0.place} is busy: {detail}. Try again in a moment."
    FAILED = (
        "{0.place} failed: {detail}. Try again; if it stays so, restart or update it, and check "
        "{0.setting}."
    )
    """It crashed or answered with something else than vectors."""
    TOO_LONG = "{0.model} takes no text, however short. Choose another model."
    MISSING = "{0.place} does not have the model {0.model}. {0.fetch}."
    NOT_EMBEDDING = "{0.model} gives no embeddings. Choose a model that does, such as bge-m3."
    REFUSED = "{0.place} refused the request: {detail}. Check {0.setting}."


RETRIES: Final = {FailureKind.DOWN: 6, FailureKind.BUSY: 8, FailureKind.FAILED: 3}
"""At most, of a request that fails so; what was too slow goes out in halves, not as it was."""


class RequestFailed(EmbedderError):
    """One failed request."""

    pause: float = 0.0
    """Seconds after which the server wants to be asked again, if it says so."""

    def __init__(self, kind: FailureKind, wire: Wire, detail: str = "") -> None:
        self.kind = kind
        self.detail = clean_text(detail) or "no reason given"
        hidden = kind.value.format(wire, detail="its log has the reason")
        super().__init__(kind.value.format(wire, detail=self.detail), for_clients=hidden)


def clean_text(text: str) -> str:
    """Make a line to print of a server's text: no control characters, no key, DETAIL_LIMIT."""
    for name in (KEY_VARIABLE, "OLLAMA_API_KEY"):  # the second is sent by Ollama's own client
        if key := os.environ.get(name, "").strip():
            text = text.replace(key, "[key]")
    return to_line(text)[:DETAIL_LIMIT]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to wait for a reply, and the pauses before each retry, in seconds."""

    timeout: float
    pauses: tuple[float, ...] = ()


FOR_DOCUMENTS: Final = RetryPolicy(300.0, pauses=(0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 16.0, 32.0))
"""The timeout is the time Ollama itself gives a model to load; an Ollama that updates itself is
down for some seconds, and many servers count requests by the minute."""

LONGEST_PAUSE: Final = 60.0
"""Seconds, whatever a server says: it is asked up to eight times more."""

FOR_A_QUERY: Final = RetryPolicy(timeout=20.0)
"""Somebody waits: the timeout covers the 15 s that a cold start was seen to take, and no more."""

FOR_A_LOOK: Final = RetryPolicy(timeout=1.0)
"""A local Ollama lists its models in milliseconds."""


class Wire(ABC):
    """How one server is spoken to about one model; connects at the first request of a timeout."""

    kind: ClassVar[str]
    """Of EmbedderIdentity."""
    name: ClassVar[str]
    """Of the server, as a sentence begins with it: `Ollama`."""
    setting: ClassVar[str]
    """What sets its address and key."""
    start: ClassVar[str] = "Start it"
    fetch: str
    """How to give it the `{model}`."""

    def __init__(self, url: str, model: str) -> None:
        """Take the address and the model's name."""
        self.url = url
        self.model = model
        self.place = f"{self.name} at {url}"
        self.fetch = self.fetch.format(model=model)
        self._clients: dict[float, Any] = {}

    @abstractmethod
    def connect(self, timeout: float) -> Any:
        """Import and set up the client. Raises UsageError for an address that cannot be meant."""

    @abstractmethod
    def ask(self, client: Any, texts: list[str]) -> Any:
        """Return the vectors of texts, in order, as they stand in the answer to one request."""

    def embed(self, texts: list[str], dimension: int | None, policy: RetryPolicy) -> Vectors:
        """Embed texts by one request; return their unit rows in order. Raises RequestFailed."""
        rows: Vectors = self.request(
            lambda client: read_rows(self.ask(client, texts), len(texts), dimension), policy
        )
        return rows

    def describe(self, policy: RetryPolicy) -> tuple[str, str]:  # noqa: ARG002 - nothing to ask
        """Return the server's version and the digest of the model's weights now; cheap.

        Once these differ, nothing learnt before holds. Raises RequestFailed.
        """
        return "", ""

    def prepare(self, policy: RetryPolicy) -> Any:
        """Return the client for requests of this policy. Raises EmbedderError."""
        if policy.timeout not in self._clients:
            try:
                self._clients[policy.timeout] = self.connect(policy.timeout)
            except (ImportError, OSError, ValueError, UsageError) as error:
                failed = f"{self.name}'s client cannot start"
                remedy = f"Correct {self.setting}, SSL_CERT_FILE or the proxy variables."
                hidden = f"{failed}. {remedy}"
                raise EmbedderError(f"{failed}: {error}. {remedy}", for_clients=hidden) from error
        return self._clients[policy.timeout]

    def request(self, send: Callable[[Any], Any], policy: RetryPolicy) -> Any:
        """Make one request, and retry it as the policy grants. Raises RequestFailed."""
        client, attempt = self.prepare(policy), 0
        while True:
            try:
                return send(client)
            except RequestFailed as error:
                failure = error
            except _FAILURES as error:
                failure = RequestFailed(classify_error(error), self, str(error))
            if attempt >= min(RETRIES.get(failure.kind, 0), len(policy.pauses)):
                raise failure
            pause = max(policy.pauses[attempt], min(failure.pause, LONGEST_PAUSE))
            if pause > policy.pauses[attempt]:
                log.warning("%s is busy and is asked again in %.0f s.", self.place, pause)
            time.sleep(pause)
            attempt += 1

    def options(self, url: str, timeout: float) -> dict[str, Any]:
        """Return the settings of an httpx client for this server, at `url`."""
        trust_env = not is_loopback(url)  # a proxy in the environment is not for this machine
        return {
            "timeout": httpx.Timeout(timeout, connect=CONNECT_TIMEOUT),
            "limits": httpx.Limits(max_keepalive_connections=0),
            "trust_env": trust_env,
            "verify": trust_env or url.startswith("https:"),  # loading certificates takes time
            "follow_redirects": False,
            "headers": {"Accept-Encoding": "identity"},
            "event_hooks": {"response": [self._check_answer]},
        }

    def _check_answer(self, response: httpx.Response) -> None:
        """Raise RequestFailed for a status of 300 or above, or an error without: a hook of httpx.

        An error is `{"error": "…"}`, as Ollama says it, or of OpenAI's form.
        """
        status, text = response.status_code, response.read().decode(errors="replace")
        error: Any = None
        with suppress(*_MALFORMED):
            error = json.loads(text)["error"] if status >= 300 or '"error"' in text else None
        said = error if isinstance(error, dict) else {"message": error}
        if status < 300 and not error:
            return
        if status < 300:
            status = said["code"] if said.get("code") in range(400, 600) else 500
        reason = str(said.get("message") or text or "no reason given")
        failure = RequestFailed(classify_reply(status, reason), self, f"{reason} (status {status})")
        if failure.kind is FailureKind.BUSY:
            failure.pause = read_pause(response.headers.get("retry-after", ""))
        raise failure


def read_pause(said: str) -> float:
    """Return the seconds that a `Retry-After`, a number or an HTTP date, asks for; 0 if none."""
    with suppress(ValueError):
        return float(said)
    with suppress(ValueError):
        return parsedate_to_datetime(said).timestamp() - time.time()
    return 0.0


_TOO_LONG = re.compile(
    r"context length|context size|context window|too long|too large|too many (?:input )?tokens"
    r"|input length|max\w*.{0,20}(?:tokens|length)|less than \d+ tokens|batch size"
    r"|exceeds?\b.{0,40}(?:token|batch|limit|length)",
    re.IGNORECASE,
)
"""What vLLM (400), TEI (413), llama.cpp (500) and Ollama (400) say of a text that is too long."""

_CRASH = re.compile(r"\bEOF\b|connection (?:reset|refused)|do embedding req")
"""What Ollama says (400) of a runner that died."""


def classify_reply(status: int, text: str) -> FailureKind:
    """Classify an HTTP reply of 300 and above by its status and the server's first words."""
    text = text[:2_000]
    if status == 413 or (status in (400, 422, 500) and _TOO_LONG.search(text)):
        return FailureKind.TOO_LONG
    if status == 429 and "too large" in text:  # a request of more tokens than a minute may have
        return FailureKind.TOO_LONG
    if status == 501 or "does not support embeddings" in text:
        return FailureKind.NOT_EMBEDDING
    if status == 404 and "model" in text.lower():
        return FailureKind.MISSING
    if status in (408, 425, 429, 502, 503, 504, 529):
        return FailureKind.BUSY
    return FailureKind.FAILED if status >= 500 or _CRASH.search(text) else FailureKind.REFUSED


_MALFORMED = (ValueError, LookupError, TypeError, RecursionError)
"""What reading an answer raises that is not of the form it should have."""

_FAILURES = (ConnectionError, httpx.HTTPError, *_MALFORMED)


def classify_error(error: Exception) -> FailureKind:
    """Classify what a request raised, one of _FAILURES."""
    if isinstance(error, ConnectionError | httpx.ConnectError | httpx.ConnectTimeout):
        return FailureKind.DOWN
    return FailureKind.SLOW if isinstance(error, httpx.TimeoutException) else FailureKind.FAILED


def read_rows(vectors: Any, count: int, dimension: int | None) -> Vectors:
    """Read `count` vectors out of an answer, as unit rows.

    Raises ValueError if they are not that many, of one width (`dimension`, if that is known),
    finite and longer than zero.
    """
    matrix: Vectors = np.asarray(vectors, dtype=np.float32)
    if matrix.ndim != 2 or matrix.shape != (count, dimension or matrix.shape[-1]):
        raise ValueError(f"an answer of shape {matrix.shape} to {count} texts")
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not (np.isfinite(norms) & (norms > 0)).all():
        raise ValueError("a vector of zeros, or with a number that is not finite")
    unit: Vectors = matrix / norms
    return unit
