"""Requests to one Ollama, and the short look whether it is well."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from blog_search_mcp.index.embedders.ollama.host import resolve_url
from blog_search_mcp.index.embedders.ollama.models import full_name
from blog_search_mcp.index.embedders.remote.failures import Kind, RequestFailed, Wording
from blog_search_mcp.index.embedders.remote.requests import (
    FOR_A_CHECK,
    MOST_BYTES,
    RetryPolicy,
    ServerClient,
    ServerState,
    is_loopback,
)

if TYPE_CHECKING:
    import httpx

WORDING: Final = Wording(
    "Ollama",
    "--embedder-url or OLLAMA_HOST",
    {
        Kind.DOWN: "{place} cannot be reached. Start it (`ollama serve` or the app), or name its "
        "address with {setting}.",
        Kind.MISSING: "{place} does not have the model {model}. Run `ollama pull {model}`.",
        Kind.NOT_EMBEDDING: "{model} gives no embeddings. Choose an embedding model, such as "
        "--model bge-m3.",
    },
)

KEY_VARIABLE = "OLLAMA_API_KEY"
"""Environment variable of the bearer token; it is kept off connections that are not encrypted."""


def classify_reply(status: int, text: str) -> Kind:
    """Classify an HTTP reply of 400 and above by its status and Ollama's own words.

    Statuses alone do not sort them: a crashed runner is a 400, a text too long is a 400, and so is
    a malformed request. The texts have changed between versions, the fragments matched here have
    not.
    """
    if "exceed" in text and "context length" in text:
        return Kind.TOO_LONG
    if status == 501 or "does not support embeddings" in text:
        return Kind.NOT_EMBEDDING
    if status == 404 and "model" in text:
        return Kind.MISSING
    if status == 503:
        return Kind.BUSY
    if status >= 500 or re.search(r"\bEOF\b|connection (reset|refused)|do embedding req", text):
        return Kind.CRASHED
    return Kind.REFUSED


class OllamaClient(ServerClient):
    """One Ollama; connects at the first request."""

    def __init__(self, url: str) -> None:
        """Take the URL to connect to, as `resolve_url` gives it."""
        is_encrypted = url.startswith("https://")
        super().__init__(url, WORDING, classify_reply, KEY_VARIABLE if is_encrypted else "")

    def read_version(self, policy: RetryPolicy) -> str:
        """Return the server's version; empty if it reports none. Raises RequestFailed."""

        def read(response: httpx.Response) -> str:
            if response.is_server_error:
                self.read_json(response)
            try:
                return str(response.json()["version"])
            except (ValueError, LookupError, TypeError, RecursionError):
                return ""

        return self.ask("/api/version", policy, read)

    def read_state(self, model: str, policy: RetryPolicy) -> ServerState:
        """Return version and the model's digest: two requests of a millisecond.

        Raises RequestFailed.
        """
        digests = self.read_digests(policy)
        return ServerState(self.read_version(policy), digests.get(full_name(model), ""))

    def read_digests(self, policy: RetryPolicy) -> dict[str, str]:
        """Return the digests of the installed models by full name. Raises RequestFailed."""
        return self.ask(
            "/api/tags", policy, lambda response: _find_digests(self.read_json(response))
        )


def _find_digests(listed: Any) -> dict[str, str]:
    return {full_name(each["model"]): str(each["digest"]) for each in listed["models"] or ()}


class OllamaHealthCheck:
    """A short look at one Ollama for one model; safe to use from several threads."""

    def __init__(self, model: str, url: str) -> None:
        """Take the address in any form of OLLAMA_HOST. Raises UsageError for any other."""
        self.model = model
        self.url = resolve_url(url)
        self.place = f"Ollama at {self.url}"
        self.name = "Ollama"
        self._client = OllamaClient(self.url)

    def prepare(self) -> None:
        """Import and set up what requests need; waits for nobody. Raises EmbedderRefused."""
        self._client.prepare()

    def check(self) -> ServerState:
        """Ask within about a second; whatever else than Ollama answers has an empty state.

        Raises EmbedderUnavailable if nobody answers, EmbedderRefused if the answer is a redirect.
        """
        try:
            return self._client.read_state(self.model, FOR_A_CHECK)
        except RequestFailed as failure:
            if failure.kind in (Kind.DOWN, Kind.SLOW, Kind.REDIRECTED):
                raise WORDING.make_error(failure, self.url, self.model) from failure
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


def peek_digest(model: str, url: str) -> str | None:
    """Return the digest of a model, empty if the Ollama at `url` does not have it.

    `None` if nobody answers within about a second, or what answers is no Ollama or a redirect. The
    standard library does it: httpx takes longer to import than an ingest without changes.
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
            digests = _find_digests(json.loads(reply.read(MOST_BYTES)))
    except (OSError, HTTPException, ValueError, LookupError, TypeError, RecursionError):
        return None
    return digests.get(full_name(model), "")
