"""Requests to one Ollama, with patience: what may pass by itself is tried again, a while.

The official client neither times out nor tries again; both are decided here, and
every failure that stays leaves as an OllamaError with its kind.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from index.embedder.ollama_failures import Kind, OllamaError, failure_of, foreign_errors
from index.embedder.ollama_host import base_url, is_loopback
from index.embedder.ollama_models import full_name
from index.errors import EmbedderRefused

if TYPE_CHECKING:
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


FOR_DOCUMENTS: Final = Patience(
    read=300.0,
    pauses={
        Kind.DOWN: (0.5, 1.0, 2.0),
        Kind.SLOW: (1.0,),
        Kind.BUSY: (0.5, 1.0, 2.0, 4.0, 8.0, 8.0),
        Kind.CRASHED: (0.5, 1.0, 2.0),
        Kind.NO_VECTOR: (1.0,),
    },
)
"""`read` is the time Ollama itself gives a model to load."""

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
            time.sleep(pauses[spent[failure.kind]])
            spent[failure.kind] += 1

    def version(self, patience: Patience) -> str:
        """The server's version; empty if it tells none, as what only resembles an Ollama may.

        The official client has no method for it, but its connection has the right settings.
        """
        try:
            told = self.ask(
                lambda client: client._client.get("/api/version").json().get("version"), patience
            )
        except OllamaError as failure:
            if failure.kind is not Kind.NO_VECTOR:
                raise
            return ""
        return str(told or "")

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
            event_hooks={"request": [_without_key]},
        )
    except (ImportError, OSError, ValueError) as error:
        raise EmbedderRefused(
            f"The Ollama client cannot start: {error}. Check OLLAMA_HOST, SSL_CERT_FILE and the "
            "proxy variables."
        ) from error


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
