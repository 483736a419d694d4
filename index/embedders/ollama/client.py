"""Requests to one Ollama with timeouts and retries, and the short look whether it is well.

The official client neither times out nor retries; both are decided here, and every
failure that stays leaves as an OllamaError with its kind. It follows redirects and reads whatever
comes, which is refused here: texts go to the address that was asked for alone, and an answer has a
limit.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

from blog_search_mcp.index.embedders.ollama.errors import Kind, OllamaError, translate_error
from blog_search_mcp.index.embedders.ollama.host import is_loopback, resolve_url
from blog_search_mcp.index.embedders.ollama.models import full_name
from blog_search_mcp.index.errors import EmbedderRefused

if TYPE_CHECKING:
    import ssl

    import httpx
    from ollama import Client

T = TypeVar("T")

CONNECT_TIMEOUT: Final = 3.0
"""Seconds until a host that swallows packets counts as down."""

MOST_BYTES: Final = 8_000_000
"""Of one answer: 32 vectors of the longest that Ollama's library has, 4,096 numbers, are 3 MB."""

RETRY_TIMEOUT: Final = 60.0
"""Seconds for what failed once: half a batch takes half of them on a slow machine."""


@dataclass(frozen=True, slots=True)
class ServerState:
    """What an Ollama runs now; once it differs, nothing learnt before holds."""

    version: str = ""
    """Empty if it reports none."""
    digest: str = ""
    """Of the model's weights; empty if the model is not installed."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to wait for a reply, and the pauses before each retry, in seconds."""

    timeout: float
    pauses: Mapping[Kind, tuple[float, ...]]

    def shorten(self) -> RetryPolicy:
        """Retry a crash once and wait less, for requests that are retries themselves."""
        crashed = self.pauses.get(Kind.CRASHED, ())[:1]
        return RetryPolicy(min(self.timeout, RETRY_TIMEOUT), {**self.pauses, Kind.CRASHED: crashed})


FOR_DOCUMENTS: Final = RetryPolicy(
    timeout=300.0,
    pauses={
        Kind.DOWN: (0.5, 1.0, 2.0, 4.0, 8.0),
        Kind.BUSY: (0.5, 1.0, 2.0, 4.0, 8.0, 8.0),
        Kind.CRASHED: (0.5, 1.0, 2.0),
        Kind.NO_VECTOR: (1.0,),
    },
)
"""The timeout is the time Ollama itself gives a model to load; an Ollama that updates itself is
down for some seconds. What was too slow is retried in halves, not as it was."""

FOR_A_QUERY: Final = RetryPolicy(
    timeout=20.0, pauses={Kind.BUSY: (0.25,), Kind.CRASHED: (0.25,), Kind.NO_VECTOR: (0.25,)}
)
"""Somebody waits: the timeout covers the 15 s that a cold start was seen to take, and no more."""

FOR_A_CHECK: Final = RetryPolicy(timeout=1.0, pauses={})
"""A local Ollama lists its models in milliseconds, and the next check is near."""


LONG_PAUSE: Final = 1.0
"""Seconds from which on a pause is said, once a request; before a query there is none so long."""

log = logging.getLogger(__name__)


class RetryingClient:
    """The official client for one URL; connects at the first request."""

    def __init__(self, url: str) -> None:
        """Take the URL to connect to, as `resolve_url` gives it."""
        self.url = url
        self._clients: dict[float, Client] = {}

    def prepare(self, policy: RetryPolicy) -> Client:
        """Import and set up the client for requests of this policy. Raises EmbedderRefused."""
        if policy.timeout not in self._clients:
            self._clients[policy.timeout] = connect(self.url, policy.timeout)
        return self._clients[policy.timeout]

    def request(self, send: Callable[[Client], T], policy: RetryPolicy) -> T:
        """Make one request, and retry it as the policy grants. Raises OllamaError."""
        client = self.prepare(policy)
        retries: Counter[Kind] = Counter()
        is_said = False
        while True:
            try:
                return send(client)
            except Exception as error:
                failure = translate_error(error)
                pauses = policy.pauses.get(failure.kind, ())
                if retries[failure.kind] == len(pauses):
                    raise failure from error
            if not is_said and pauses[retries[failure.kind]] >= LONG_PAUSE:
                is_said = True
                seconds = sum(pauses[retries[failure.kind] :])
                log.warning(
                    "Waiting for Ollama, %.0f s at most. %s", seconds, failure.say(self.url)
                )
            time.sleep(pauses[retries[failure.kind]])
            retries[failure.kind] += 1

    def read_version(self, policy: RetryPolicy) -> str:
        """Return the server's version; empty if it reports none. Raises OllamaError.

        The official client has no method for it, but its connection has the right settings.
        """

        def get(client: Client) -> httpx.Response:
            response: httpx.Response = client._client.get("/api/version")
            return response.raise_for_status() if response.is_server_error else response

        response = self.request(get, policy)
        try:
            return str(response.json()["version"])
        except (ValueError, LookupError, TypeError, RecursionError):
            return ""

    def read_state(self, model: str, policy: RetryPolicy) -> ServerState:
        """Return version and the model's digest: two requests of a millisecond.

        Raises OllamaError.
        """
        digests = self.read_digests(policy)
        return ServerState(self.read_version(policy), digests.get(full_name(model), ""))

    def read_digests(self, policy: RetryPolicy) -> dict[str, str]:
        """Return the digests of the installed models by full name. Raises OllamaError."""
        listed = self.request(lambda client: client.list(), policy).models
        return {full_name(entry.model or ""): entry.digest or "" for entry in listed}


class OllamaHealthCheck:
    """A short look at one Ollama for one model; safe to use from several threads."""

    def __init__(self, model: str, url: str) -> None:
        """Take the address in any form of OLLAMA_HOST. Raises UsageError for any other."""
        self.model = model
        self.url = resolve_url(url)
        self.place = f"Ollama at {self.url}"
        self._client = RetryingClient(self.url)

    def prepare(self) -> None:
        """Import and set up what requests need; waits for nobody. Raises EmbedderRefused."""
        self._client.prepare(FOR_A_CHECK)

    def check(self) -> ServerState:
        """Ask within about a second; whatever else than Ollama answers has an empty state.

        Raises EmbedderUnavailable if nobody answers, EmbedderRefused if the answer is a redirect.
        """
        try:
            return self._client.read_state(self.model, FOR_A_CHECK)
        except OllamaError as failure:
            if failure.kind in (Kind.DOWN, Kind.SLOW, Kind.REDIRECTED):
                raise failure.as_embedder_error(self.url, self.model) from failure
            return ServerState()


def list_installed(url: str) -> tuple[str, ...]:
    """Return the full names of the models that an Ollama has, within about a second.

    Takes the address in any form of OLLAMA_HOST; nothing for an Ollama that does not answer.
    Raises UsageError for any other address.
    """
    try:
        return tuple(RetryingClient(resolve_url(url)).read_digests(FOR_A_CHECK))
    except OllamaError:
        return ()


def peek_digest(model: str, url: str) -> str | None:
    """Return the digest of a model, empty if the Ollama at `url` does not have it.

    `None` if nobody answers within about a second, or what answers is no Ollama or a redirect. The
    standard library does it: the official client takes longer to import than an ingest without
    changes.
    """
    import json
    from http.client import HTTPException
    from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener

    class NoRedirect(HTTPRedirectHandler):
        def redirect_request(self, *_arguments: object) -> None:
            """Follow none: urllib raises HTTPError then."""

    opener = build_opener(NoRedirect, *([ProxyHandler({})] if is_loopback(url) else []))
    try:
        with opener.open(f"{url}/api/tags", timeout=FOR_A_CHECK.timeout) as reply:
            listed = json.loads(reply.read(MOST_BYTES))["models"] or ()
        digests = {full_name(each["model"]): str(each["digest"]) for each in listed}
    except (OSError, HTTPException, ValueError, LookupError, TypeError, RecursionError):
        return None
    return digests.get(full_name(model), "")


def connect(url: str, timeout: float) -> Client:
    """Make the official client. Raises EmbedderRefused: its import alone trips on odd settings."""
    try:
        import httpx
        from ollama import Client

        trust_env = not is_loopback(url)  # a proxy in the environment is not for this machine
        return Client(
            host=url,
            timeout=httpx.Timeout(timeout, connect=CONNECT_TIMEOUT),
            limits=httpx.Limits(max_keepalive_connections=0),
            trust_env=trust_env,
            verify=_load_certificates(trust_env),
            follow_redirects=False,
            headers={"Accept-Encoding": "identity"},
            event_hooks={"request": [_remove_key], "response": [_bound_response]},
        )
    except (ImportError, OSError, ValueError) as error:
        advice = (
            "Correct OLLAMA_HOST, which it reads even beside --embedder-url, SSL_CERT_FILE or the "
            "proxy variables."
        )
        raise EmbedderRefused(
            f"The Ollama client cannot start: {error}. {advice}",
            for_clients=f"The Ollama client cannot start. {advice}",
        ) from error


@cache
def _load_certificates(trust_env: bool) -> ssl.SSLContext:
    """Load them once a process: that takes longer than a query's other work."""
    import httpx

    return httpx.create_ssl_context(trust_env=trust_env)


def _remove_key(request: httpx.Request) -> None:
    """Keep OLLAMA_API_KEY, which the client adds to every request, off unencrypted ones."""
    if request.url.scheme != "https":
        request.headers.pop("authorization", None)


def _bound_response(response: httpx.Response) -> None:
    """Refuse redirects and compressed bodies, and end any other at MOST_BYTES.

    Raises OllamaError.
    """
    import httpx

    if response.has_redirect_location:
        raise OllamaError(Kind.REDIRECTED, _address_of_redirect(response))
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise OllamaError(Kind.NO_VECTOR, "a compressed body, which was not asked for")

    class Bounded(httpx.SyncByteStream):
        def __init__(self, stream: httpx.SyncByteStream) -> None:
            self._stream = stream

        def __iter__(self) -> Iterator[bytes]:
            left = MOST_BYTES
            for part in self._stream:
                left -= len(part)
                if left < 0:
                    raise OllamaError(Kind.NO_VECTOR, f"more than {MOST_BYTES / 1e6:.0f} MB")
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
