"""Ollama's own API by its official client, which neither times out nor retries.

Statuses alone do not sort failures: a crashed runner is a 400, a text too long is a 400, and so is
a malformed request. The texts have changed between versions, the fragments matched here have not.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.embedders.client import (
    FOR_A_CHECK,
    FailureKind,
    RequestFailed,
    RetryPolicy,
    ServerState,
    Wire,
    clean_text,
    client_options,
    read_rows,
)
from blog_search_mcp.index.embedders.ollama.host import resolve_url
from blog_search_mcp.index.embedders.ollama.models import (
    find_model,
    full_name,
    misreading_warning,
    misreads_capitals,
)

if TYPE_CHECKING:
    import httpx
    from ollama import Client

    from blog_search_mcp.index.types import Vectors

KEEP_ALIVE: Final = "30m"
"""How long Ollama keeps the model loaded; its default of 5 minutes makes queries wait for it."""


class OllamaWire(Wire["Client"]):
    """One Ollama, whose address is in any form of OLLAMA_HOST."""

    kind = "ollama"
    name = it = "Ollama"
    setting = "--embedder-url or OLLAMA_HOST"
    start = "Start it (`ollama serve` or the app)"
    fetch = "Run `ollama pull {model}`"
    check = (
        "Try again; if it stays so, restart or update Ollama, and check that --embedder-url or "
        "OLLAMA_HOST names one"
    )
    advice = (
        "Correct OLLAMA_HOST, which it reads even beside --embedder-url, SSL_CERT_FILE or the "
        "proxy variables."
    )

    def __init__(self, url: str) -> None:
        """Take the address. Raises UsageError for none that Ollama could have."""
        super().__init__(resolve_url(url))
        self._dimensions: dict[str, int] = {}
        """By digest."""

    def connect(self, timeout: float) -> Client:
        """As Wire: the import alone trips on odd settings."""
        from ollama import Client

        options = client_options(self.url, timeout)
        options["event_hooks"]["request"] = [_remove_key]
        return Client(host=self.url, **options)

    def translate(self, error: Exception) -> RequestFailed | None:
        """As Wire."""
        import ollama

        if not isinstance(error, ollama.ResponseError):
            return super().translate(error)
        detail = f"{error.error or 'no reason given'} (status {error.status_code})"
        return RequestFailed(classify_reply(error.status_code, error.error), detail)

    def describe(self, model: str, policy: RetryPolicy) -> ServerState:
        """As Wire, by version and digest: two requests of a millisecond."""
        state = self._read_state(model, policy)
        if not state.digest:
            raise RequestFailed(FailureKind.MISSING)
        if state.digest not in self._dimensions:
            self._dimensions[state.digest] = self._read_dimension(model, policy)
        return replace(state, dimension=self._dimensions[state.digest])

    def peek(self, model: str) -> ServerState:
        """Return version and digest, empty if the model is missing, within about a second.

        Raises EmbedderError.
        """
        try:
            return self._read_state(model, FOR_A_CHECK)
        except RequestFailed as failure:
            raise self.make_error(failure, model) from failure

    def list_installed(self) -> tuple[str, ...]:
        """Return the full names of its models within about a second; none if it does not answer."""
        try:
            return tuple(self._read_digests(FOR_A_CHECK))
        except RequestFailed:
            return ()

    def embed(
        self, model: str, texts: list[str], dimension: int | None, policy: RetryPolicy
    ) -> Vectors:
        """As Wire. Ollama cuts long texts unless told not to."""

        def send(client: Client) -> Vectors:
            reply = client.embed(model=model, input=texts, truncate=False, keep_alive=KEEP_ALIVE)
            return read_rows(reply.embeddings, len(texts), dimension)

        return self.request(send, policy)

    def load(self, model: str, policy: RetryPolicy) -> None:
        """As Wire: embeds an empty list of texts."""
        self.request(lambda c: c.embed(model=model, input=[], keep_alive=KEEP_ALIVE), policy)

    def warnings(self, model: str, state: ServerState) -> tuple[str, ...]:
        """As Wire: of a version that misreads the words of a model for English alone."""
        card = find_model(model)
        if card is None or card.is_multilingual or not misreads_capitals(state.version):
            return ()
        return (misreading_warning(state.version, model),)

    def _read_state(self, model: str, policy: RetryPolicy) -> ServerState:
        digest = self._read_digests(policy).get(full_name(model), "")
        return ServerState(self._read_version(policy), digest)

    def _read_digests(self, policy: RetryPolicy) -> dict[str, str]:
        """Return the digests of the installed models by full name."""
        models = self.request(lambda client: client.list(), policy).models
        return {clean_text(full_name(m.model or "")): clean_text(m.digest or "") for m in models}

    def _read_version(self, policy: RetryPolicy) -> str:
        """Return the version, empty if it reports none.

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

    def _read_dimension(self, model: str, policy: RetryPolicy) -> int:
        """Read the dimension of a model, which must be one that embeds.

        `capabilities` came with Ollama 0.6.4; older ones show at the first text what they can.
        """
        shown = self.request(lambda client: client.show(model), policy)
        if shown.capabilities is not None and "embedding" not in shown.capabilities:
            raise RequestFailed(FailureKind.NOT_EMBEDDING)
        info = shown.modelinfo or {}
        dimension = info.get(f"{info.get('general.architecture')}.embedding_length")
        if not isinstance(dimension, int) or dimension < 1:
            said = "a model description without a dimension"
            raise RequestFailed(FailureKind.NO_VECTOR, said)
        return dimension


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


def _remove_key(request: httpx.Request) -> None:
    """Keep OLLAMA_API_KEY, which the client adds to every request, off unencrypted ones."""
    if request.url.scheme != "https":
        request.headers.pop("authorization", None)
