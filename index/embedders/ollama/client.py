"""Requests to one Ollama, with patience: what may pass by itself is tried again, a while.

The official client neither times out nor tries again; both are decided here, and
every failure that stays leaves as an OllamaError with its kind.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

from blog_search_mcp.index.embedders.ollama.errors import (
    Kind,
    OllamaError,
    as_error,
    failure_of,
    foreign_errors,
)
from blog_search_mcp.index.embedders.ollama.host import base_url, is_loopback
from blog_search_mcp.index.embedders.ollama.models import full_name
from blog_search_mcp.index.errors import EmbedderRefused

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Mapping

    import httpx
    from ollama import Client

T = TypeVar("T")

CONNECT_TIMEOUT: Final = 3.0
"""Seconds until a host that swallows packets counts as down."""

PROBE_TIMEOUT: Final = 1.0
"""Seconds for each step of a probe; a local Ollama lists its models in milliseconds."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for an answer, and the pauses before each new try, in seconds."""

    read: float
    pauses: Mapping[Kind, tuple[float, ...]]

    def brief(self) -> Patience:
        """For what is a second try itself: half the time, and a crash is forgiven once."""
        lasting = (Kind.DOWN, Kind.BUSY)
        pauses = {k: p if k in lasting else p[:1] for k, p in self.pauses.items()}
        return Patience(max(self.read / 2, min(self.read, LEAST_READ)), pauses)


FOR_DOCUMENTS: Final = Patience(
    read=300.0,
    pauses={
        Kind.DOWN: (0.5, 1.0, 2.0, 4.0, 8.0),
        Kind.BUSY: (0.5, 1.0, 2.0, 4.0, 8.0, 8.0),
        Kind.CRASHED: (0.5, 1.0, 2.0),
        Kind.NO_VECTOR: (1.0,),
    },
)
"""`read` is the time Ollama itself gives a model to load; an Ollama that updates itself is down
for some seconds. What was too slow is tried again in halves, not as it was."""

LEAST_READ: Final = 60.0
"""Seconds any document is given: a text of a window's size takes one or two on a slow machine."""

JITTER: Final = 0.25
"""Share by which each pause is longer or shorter, so that two ingests do not keep step."""

FOR_A_QUERY: Final = Patience(
    read=20.0, pauses={Kind.BUSY: (0.25,), Kind.CRASHED: (0.25,), Kind.NO_VECTOR: (0.25,)}
)
"""Somebody waits: `read` covers the 15 s that a cold start was seen to take, and no more."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What a short look at an Ollama found."""

    reachable: bool
    has_model: bool = False
    version: str = ""
    digest: str = ""
    """Of the model's manifest, as Ollama lists it; empty without the model."""


class PatientClient:
    """The official client for one host; connects at the first request."""

    def __init__(self, host: str) -> None:
        """Take the URL to connect to, as `base_url` gives it."""
        self.host = host
        self._clients: dict[float, Client] = {}

    def prepare(self, patience: Patience) -> None:
        """Import and set up the client that requests of this patience use."""
        self._client(patience.read)

    def ask(self, request: Callable[[Client], T], patience: Patience) -> T:
        """Make one request, again after each pause its failures are granted. Raises OllamaError."""
        client = self._client(patience.read)
        spent: Counter[Kind] = Counter()
        while True:
            try:
                return request(client)
            except foreign_errors() as error:
                failure = failure_of(error)
                pauses = patience.pauses.get(failure.kind, ())
                if spent[failure.kind] == len(pauses):
                    raise failure from error
            pause = pauses[spent[failure.kind]]
            time.sleep(pause * random.uniform(1 - JITTER, 1 + JITTER))
            spent[failure.kind] += 1

    def version(self, patience: Patience) -> str:
        """The server's version; empty if it tells none, as what only resembles an Ollama may.

        The official client has no method for it, but its connection has the right settings.
        """
        answer = self.ask(lambda client: _answered(client._client.get("/api/version")), patience)
        try:
            return str(answer.json()["version"])
        except (ValueError, LookupError, TypeError):
            return ""

    def _client(self, read: float) -> Client:
        if read not in self._clients:
            self._clients[read] = connect(self.host, read)
        return self._clients[read]


def connect(host: str, read: float) -> Client:
    """Make the official client. Raises EmbedderRefused: its import alone trips on odd settings."""
    try:
        import httpx
        from ollama import Client

        return Client(
            host=host,
            timeout=httpx.Timeout(read, connect=CONNECT_TIMEOUT),
            limits=httpx.Limits(max_keepalive_connections=0),
            trust_env=not is_loopback(host),
            verify=_certificates(not is_loopback(host)),
            event_hooks={"request": [_without_key]},
        )
    except (ImportError, OSError, ValueError) as error:
        raise EmbedderRefused(
            f"The Ollama client cannot start: {error}. Check OLLAMA_HOST, SSL_CERT_FILE and the "
            "proxy variables."
        ) from error


def _answered(response: httpx.Response) -> httpx.Response:
    """The response, unless it says that the server is in trouble."""
    return response.raise_for_status() if response.is_server_error else response


@cache
def _certificates(trust_env: bool) -> ssl.SSLContext:
    """Read once a process: they take longer than a query's other work."""
    import httpx

    return httpx.create_ssl_context(trust_env=trust_env)


def probe(host: str | None, model: str) -> Probe:
    """Look within about a second whether an Ollama answers at `host` and has `model`."""
    import httpx

    url = base_url(host)
    try:
        with httpx.Client(timeout=PROBE_TIMEOUT, trust_env=not is_loopback(url)) as client:
            version = client.get(f"{url}/api/version").raise_for_status().json()["version"]
            listed = client.get(f"{url}/api/tags").raise_for_status().json()["models"]
            digests = {full_name(entry["model"]): str(entry["digest"]) for entry in listed}
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, TypeError, LookupError):
        return Probe(reachable=False)
    digest = digests.get(full_name(model))
    return Probe(True, digest is not None, version, digest or "")


def _without_key(request: httpx.Request) -> None:
    """Keep OLLAMA_API_KEY, which the client adds to every request, off unencrypted ones."""
    if request.url.scheme != "https":
        request.headers.pop("authorization", None)


GLANCE: Final = Patience(read=PROBE_TIMEOUT, pauses={})
"""Nothing that passes by itself is waited for: the next look is near."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What an Ollama is now; where it is another than before, what was learnt of it is old."""

    version: str = ""
    digest: str = ""
    """Of the model's weights; empty if the model is not there."""


class Lookout:
    """Looks at one host for one model; safe to use from several threads."""

    def __init__(self, model: str, host: str | None) -> None:
        """Take `host` in any form of OLLAMA_HOST. Raises UsageError if it has none of them."""
        self.model = model
        self.host = base_url(host)
        self._client = PatientClient(self.host)

    def prepare(self) -> None:
        """Import the client, which takes time that is not Ollama's. Raises EmbedderRefused."""
        self._client.prepare(GLANCE)

    def look(self) -> Seen:
        """Look now. Raises EmbedderUnavailable if nobody answers."""
        try:
            version = self._client.version(GLANCE)
            listed = self._client.ask(lambda client: client.list(), GLANCE).models
        except OllamaError as failure:
            if failure.kind in (Kind.DOWN, Kind.SLOW):
                raise as_error(failure, self.host, self.model) from failure
            return Seen()
        digests = {full_name(entry.model or ""): entry.digest or "" for entry in listed}
        return Seen(version, digests.get(full_name(self.model), ""))
