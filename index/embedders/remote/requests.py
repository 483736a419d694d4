"""Requests of JSON to an embedding server: how long they may take, retries, what may be answered.

By httpx, since the clients that vendors publish neither time out nor retry, follow redirects and
read whatever comes: texts go to the address that was asked for alone, and an answer has a limit.
"""

from __future__ import annotations

import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from blog_search_mcp.index.embedders.remote.failures import Kind, RequestFailed, Wording
from blog_search_mcp.index.errors import EmbedderRefused

if TYPE_CHECKING:
    import ssl

    import httpx

T = TypeVar("T")

CONNECT_TIMEOUT: Final = 3.0
"""Seconds until a host that swallows packets counts as down."""

MOST_BYTES: Final = 8_000_000
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


def send_with_retries(
    send: Callable[[], T],
    policy: RetryPolicy,
    translate: Callable[[Exception], RequestFailed],
    wording: Wording,
    url: str,
) -> T:
    """Make one request, and retry it as the policy grants. Raises RequestFailed."""
    retries: Counter[Kind] = Counter()
    is_said = False
    while True:
        try:
            return send()
        except Exception as error:
            failure = translate(error)
            pauses = policy.pauses.get(failure.kind, ())
            if retries[failure.kind] == len(pauses):
                raise failure from error
        if not is_said and pauses[retries[failure.kind]] >= LONG_PAUSE:
            is_said = True
            seconds = sum(pauses[retries[failure.kind] :])
            said = wording.describe(failure, url)
            log.warning("Waiting for %s, %.0f s at most. %s", wording.name, seconds, said)
        time.sleep(pauses[retries[failure.kind]])
        retries[failure.kind] += 1


class ServerClient:
    """One server; connects at the first request. Safe to use from several threads."""

    def __init__(
        self,
        url: str,
        wording: Wording,
        classify: Callable[[int, str], Kind],
        key_variable: str = "",
    ) -> None:
        """Take the address and how this sort of server fails.

        `classify` sorts an answer of 400 and above by its status and text; `key_variable` names
        the environment variable of a bearer token, empty for none.
        """
        self.url = url
        self._wording = wording
        self._classify = classify
        self._key_variable = key_variable
        self._client: httpx.Client | None = None

    def prepare(self) -> httpx.Client:
        """Import and set up what requests need; waits for nobody. Raises EmbedderRefused."""
        if self._client is None:
            self._client = self._connect()
        return self._client

    def ask(
        self,
        path: str,
        policy: RetryPolicy,
        read: Callable[[httpx.Response], T],
        body: Mapping[str, Any] | None = None,
    ) -> T:
        """Return what `read` makes of the answer to a GET, or with a `body` to a POST.

        Retries as the policy grants, also what `read` raises. Raises RequestFailed.
        """
        import httpx

        client = self.prepare()
        timeout = httpx.Timeout(policy.timeout, connect=CONNECT_TIMEOUT)
        method = "GET" if body is None else "POST"

        def send() -> T:
            return read(client.request(method, path, json=body, timeout=timeout))

        return send_with_retries(send, policy, self._translate, self._wording, self.url)

    def read_json(self, response: httpx.Response) -> Any:
        """Return the JSON of an answer. Raises RequestFailed for a status of 400 and above."""
        if response.status_code < 400:
            return response.json()
        text = response.text
        try:
            error = response.json()["error"]
            text = str(error["message"] if isinstance(error, dict) else error)
        except (ValueError, LookupError, TypeError, RecursionError):
            pass
        detail = f"{text or 'no reason given'} (status {response.status_code})"
        raise RequestFailed(self._classify(response.status_code, text), detail)

    def _connect(self) -> httpx.Client:
        try:
            import httpx

            key = os.environ.get(self._key_variable, "") if self._key_variable else ""
            headers = {"Accept-Encoding": "identity", "User-Agent": "blog-search-mcp"}
            trust_env = not is_loopback(self.url)  # a proxy in it is not for this machine
            is_encrypted = trust_env or self.url.startswith("https:")
            return httpx.Client(
                base_url=self.url,
                limits=httpx.Limits(max_keepalive_connections=0),
                trust_env=trust_env,
                verify=_load_certificates(trust_env) if is_encrypted else False,
                headers=headers | ({"Authorization": f"Bearer {key}"} if key else {}),
                event_hooks={"response": [bound_response]},
            )
        except (ImportError, OSError, ValueError) as error:
            names = filter(None, (self._key_variable, "SSL_CERT_FILE"))
            advice = f"Correct {', '.join(names)} or the proxy variables."
            raise EmbedderRefused(
                f"The HTTP client cannot start: {error}. {advice}",
                for_clients=f"The HTTP client cannot start. {advice}",
            ) from error

    def _translate(self, error: Exception) -> RequestFailed:
        return translate_http_error(error) or RequestFailed(
            Kind.NO_VECTOR, "something that is no answer of such a server"
        )


@cache
def _load_certificates(trust_env: bool) -> ssl.SSLContext:
    """Load them once a process: that takes longer than a query's other work."""
    import httpx

    return httpx.create_ssl_context(trust_env=trust_env)


def is_loopback(url: str) -> bool:
    """Whether the URL's host is this machine: such requests must never go to a proxy."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def bound_response(response: httpx.Response) -> None:
    """Refuse redirects and compressed bodies, and end any other at MOST_BYTES.

    A hook of httpx. Raises RequestFailed.
    """
    import httpx

    if response.has_redirect_location:
        raise RequestFailed(Kind.REDIRECTED, _address_of_redirect(response))
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise RequestFailed(Kind.NO_VECTOR, "a compressed body, which was not asked for")

    class Bounded(httpx.SyncByteStream):
        def __init__(self, stream: httpx.SyncByteStream) -> None:
            self._stream = stream

        def __iter__(self) -> Iterator[bytes]:
            left = MOST_BYTES
            for part in self._stream:
                left -= len(part)
                if left < 0:
                    raise RequestFailed(Kind.NO_VECTOR, f"more than {MOST_BYTES / 1e6:.0f} MB")
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


def translate_http_error(error: Exception) -> RequestFailed | None:
    """Translate what httpx raises; a RequestFailed stays itself, `None` for anything else."""
    import httpx

    match error:
        case RequestFailed():
            return error
        case ConnectionError() | httpx.ConnectError() | httpx.ConnectTimeout():
            return RequestFailed(Kind.DOWN, str(error))
        case httpx.TimeoutException():
            return RequestFailed(Kind.SLOW, str(error))
        case httpx.UnsupportedProtocol() | httpx.InvalidURL():
            return RequestFailed(Kind.REFUSED, str(error))
        case httpx.HTTPError():
            return RequestFailed(Kind.CRASHED, str(error))
    return None
