"""Requests to one Ollama with timeouts and retries, and the short check whether it is well.

The official client neither times out nor retries; both are decided here, and every
failure that stays leaves as a RequestFailed with its kind. It follows redirects and reads whatever
comes, which is refused here: texts go to the address that was asked for alone, and an answer has a
limit.

Statuses alone do not sort failures: a crashed runner is a 400, a text too long is a 400, and so is
a malformed request. The texts have changed between versions, the fragments matched here have not.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.embedders.ollama.host import is_loopback, resolve_url
from blog_search_mcp.index.embedders.ollama.models import full_name
from blog_search_mcp.index.embedders.remote.failures import (
    FailureKind,
    FailureMessages,
    RequestFailed,
    clean_text,
)
from blog_search_mcp.index.embedders.remote.requests import (
    CONNECT_TIMEOUT,
    FOR_A_CHECK,
    RetryingClient,
    RetryPolicy,
    ServerState,
    bound_response,
    import_httpx,
    translate_http_error,
)
from blog_search_mcp.index.errors import EmbedderRefused, EmbedderUnavailable, ModelMissing

if TYPE_CHECKING:
    import ssl

    import httpx
    from ollama import Client

MESSAGES: Final = FailureMessages(
    name="Ollama",
    it="Ollama",
    sort="Ollama",
    setting="--embedder-url or OLLAMA_HOST",
    own={
        FailureKind.DOWN: (
            EmbedderUnavailable,
            "{place} cannot be reached. Start it (`ollama serve` or the app), or name its address "
            "with {setting}.",
        ),
        FailureKind.MISSING: (
            ModelMissing,
            "{place} does not have the model {model}. Run `ollama pull {model}`.",
        ),
        FailureKind.NOT_EMBEDDING: (
            EmbedderRefused,
            "{model} gives no embeddings. Choose an embedding model, such as --model bge-m3.",
        ),
        FailureKind.NO_VECTOR: (
            EmbedderRefused,
            "{place} answered with {detail}. Try again; if it stays so, restart or update Ollama.",
        ),
        FailureKind.REFUSED: (
            EmbedderRefused,
            "{place} refused the request: {detail}. Check that {setting} names an Ollama, and what "
            "its log says.",
        ),
    },
)


def classify_reply(status: int, text: str) -> FailureKind:
    """Classify an HTTP reply of 400 and above by its status and Ollama's own words."""
    if "exceed" in text and "context length" in text:
        return FailureKind.TOO_LONG
    if status == 501 or "does not support embeddings" in text:
        return FailureKind.NOT_EMBEDDING
    if status == 404 and "model" in text:
        return FailureKind.MISSING
    if status == 503:
        return FailureKind.BUSY
    if status >= 500 or re.search(r"\bEOF\b|connection (reset|refused)|do embedding req", text):
        return FailureKind.CRASHED
    return FailureKind.REFUSED


def translate_error(error: Exception) -> RequestFailed | None:
    """Translate what the client, httpx or the JSON reader raised."""
    import ollama

    if isinstance(error, ollama.ResponseError):
        text = error.error
        detail = f"{text or 'no reason given'} (status {error.status_code})"
        return RequestFailed(classify_reply(error.status_code, text), detail)
    return translate_http_error(error, "something that is not Ollama's answer")


class OllamaClient(RetryingClient["Client"]):
    """The official client for one URL, as `resolve_url` gives it."""

    messages = MESSAGES

    def translate(self, error: Exception) -> RequestFailed | None:
        """As RetryingClient."""
        return translate_error(error)

    def connect(self, timeout: float) -> Client:
        """As RetryingClient: its import alone trips on odd settings."""
        try:
            import_httpx()
            import httpx
            from ollama import Client

            trust_env = not is_loopback(self.url)  # a proxy is not for this machine
            is_encrypted = trust_env or self.url.startswith("https:")
            return Client(
                host=self.url,
                timeout=httpx.Timeout(timeout, connect=CONNECT_TIMEOUT),
                limits=httpx.Limits(max_keepalive_connections=0),
                trust_env=trust_env,
                verify=_load_certificates(trust_env) if is_encrypted else False,
                follow_redirects=False,
                headers={"Accept-Encoding": "identity"},
                event_hooks={"request": [_remove_key], "response": [bound_response]},
            )
        except (ImportError, OSError, ValueError) as error:
            advice = (
                "Correct OLLAMA_HOST, which it reads even beside --embedder-url, SSL_CERT_FILE or "
                "the proxy variables."
            )
            raise EmbedderRefused(
                f"The Ollama client cannot start: {error}. {advice}",
                for_clients=f"The Ollama client cannot start. {advice}",
            ) from error

    def read_version(self, policy: RetryPolicy) -> str:
        """Return the server's version; empty if it reports none. Raises RequestFailed.

        The official client has no method for it, but its connection has the right settings.
        """

        def get(client: Client) -> httpx.Response:
            response: httpx.Response = client._client.get("/api/version")
            return response.raise_for_status() if response.is_server_error else response

        response = self.request(get, policy)
        try:
            return clean_text(str(response.json()["version"]))
        except (ValueError, LookupError, TypeError, RecursionError):
            return ""

    def read_state(self, model: str, policy: RetryPolicy) -> ServerState:
        """Return version and the model's digest: two requests of a millisecond.

        Raises RequestFailed.
        """
        digests = self.read_digests(policy)
        return ServerState(self.read_version(policy), digests.get(full_name(model), ""))

    def read_digests(self, policy: RetryPolicy) -> dict[str, str]:
        """Return the digests of the installed models by full name. Raises RequestFailed."""
        listed = self.request(lambda client: client.list(), policy).models
        return {
            clean_text(full_name(entry.model or "")): clean_text(entry.digest or "")
            for entry in listed
        }


class OllamaHealthCheck:
    """A short check of one Ollama for one model; safe to use from several threads."""

    def __init__(self, model: str, url: str) -> None:
        """Take the address in any form of OLLAMA_HOST. Raises UsageError for any other."""
        self.model = model
        self.url = resolve_url(url)
        self.place = f"Ollama at {self.url}"
        self.name = "Ollama"
        self._client = OllamaClient(self.url)

    def prepare(self) -> None:
        """Import and set up what requests need; waits for nobody. Raises EmbedderRefused."""
        self._client.prepare(FOR_A_CHECK)

    def check(self) -> ServerState:
        """Ask within about a second; whatever else than Ollama answers has an empty state.

        Raises EmbedderUnavailable if nobody answers, EmbedderRefused if the answer is a redirect.
        """
        try:
            return self._client.read_state(self.model, FOR_A_CHECK)
        except RequestFailed as failure:
            if failure.kind in (FailureKind.DOWN, FailureKind.SLOW, FailureKind.REDIRECTED):
                raise MESSAGES.make_error(failure, self.url, self.model) from failure
            return ServerState()


def list_installed(url: str) -> tuple[str, ...]:
    """Return the full names of the models that an Ollama has, within about a second.

    Takes the address in any form of OLLAMA_HOST; nothing for an Ollama that does not answer.
    Raises UsageError for any other address.
    """
    try:
        return tuple(OllamaClient(resolve_url(url)).read_digests(FOR_A_CHECK))
    except RequestFailed:
        return ()


@cache
def _load_certificates(trust_env: bool) -> ssl.SSLContext:
    """Load them once a process: that takes longer than a query's other work."""
    import httpx

    return httpx.create_ssl_context(trust_env=trust_env)


def _remove_key(request: httpx.Request) -> None:
    """Keep OLLAMA_API_KEY, which the client adds to every request, off unencrypted ones."""
    if request.url.scheme != "https":
        request.headers.pop("authorization", None)
