"""Check the server of an index's embedder, and Ollama where there is no other."""

from __future__ import annotations

from blog_search_mcp.index.embedders.base import DEFAULT_MODEL
from blog_search_mcp.index.embedders.client import ServerState
from blog_search_mcp.index.embedders.ollama.models import (
    MULTILINGUAL_MODEL,
    misreading_warning,
    misreads_capitals,
)
from blog_search_mcp.index.embedders.ollama.wire import OllamaWire
from blog_search_mcp.index.embedders.packaged import E5
from blog_search_mcp.index.embedders.registry import needs_ollama, open_embedder, runs_on_server
from blog_search_mcp.index.errors import (
    EmbedderError,
    EmbedderMismatch,
    EmbedderRefused,
    UsageError,
)
from blog_search_mcp.index.types import EmbedderIdentity
from blog_search_mcp.server.cli.doctor.results import CheckResult, State, split_message

OTHER = "embedding server"

UPDATE = "Update Ollama to 0.30 or later."
"""The end of `misreading_warning`, which is the result's remedy."""


def check_server(url: str, embedder: EmbedderIdentity | None, rebuild: str) -> list[CheckResult]:
    """Check the server of an index's embedder, and Ollama where there is no other.

    `embedder` is `None` without an index; `rebuild` is the command that builds the index anew.
    """
    if embedder is not None and runs_on_server(embedder) and not needs_ollama(embedder):
        return check_other(url, embedder)
    return check_ollama(url, embedder, rebuild)


def check_other(url: str, embedder: EmbedderIdentity) -> list[CheckResult]:
    """Embed a query with the server at `url`."""
    try:
        open_embedder(embedder, url).embed_query("test")
    except (EmbedderError, EmbedderMismatch) as error:
        text, remedy = split_message(error)
        lack = "Until then search is by words alone."
        return [CheckResult(OTHER, "problem", f"{text} {lack}", remedy)]
    return [CheckResult(OTHER, "ok", f"{url} embeds with {embedder.model} as at the ingest.")]


def check_ollama(url: str, embedder: EmbedderIdentity | None, rebuild: str) -> list[CheckResult]:
    """Ask the Ollama at `url`, in any form of OLLAMA_HOST, if the index or the user names one.

    `embedder` is the index's, `None` without an index; `rebuild` is the command that builds the
    index anew.
    """
    needed = _on_server(embedder)
    if needed is None and not url:
        return [CheckResult("Ollama", "ok", "No index here needs it.")]
    try:
        wire = OllamaWire(url)
    except UsageError as error:
        return [CheckResult("Ollama", "problem", *split_message(error))]
    try:
        return check_model(wire.peek(_model_of(embedder)), wire.url, embedder, rebuild)
    except EmbedderRefused as error:
        return [CheckResult("Ollama", _lacking(needed), *split_message(error))]
    except EmbedderError:
        lack = "without it search is by words alone" if needed else "the index does not use it"
        text = f"Nothing answers at {wire.url}; {lack}."
        return [CheckResult("Ollama", _lacking(needed), text, "ollama serve")]


def check_model(
    server: ServerState, url: str, embedder: EmbedderIdentity | None, rebuild: str
) -> list[CheckResult]:
    """Check version and model of the Ollama at `url`.

    A warning at most is reported where the index does not need it.
    """
    needed, model = _on_server(embedder), _model_of(embedder)
    if not server.digest:
        text = f"Ollama {server.version} at {url} does not have the model {model}."
        results = [CheckResult("Ollama", _lacking(needed), text, f"ollama pull {model}")]
    else:
        text = f"Ollama {server.version} at {url} has {model} ({server.digest[:12]})."
        results = [CheckResult("Ollama", "ok", text)]
    if misreads_capitals(server.version):
        text = misreading_warning(server.version, model).removesuffix(UPDATE).rstrip()
        remedy = f"{UPDATE[:-1]}: https://ollama.com/download"
        results.append(CheckResult("Ollama", "warning", text, remedy))
    if needed is not None and server.digest and needed.digest != server.digest:
        text = (
            f"The index was built with other weights of {model} ({needed.digest[:12]}), so "
            "search is by words alone."
        )
        results.append(CheckResult("Ollama", "problem", text, rebuild))
    return results


def _on_server(embedder: EmbedderIdentity | None) -> EmbedderIdentity | None:
    """Give back an embedder that needs Ollama."""
    return embedder if embedder is not None and needs_ollama(embedder) else None


def _model_of(embedder: EmbedderIdentity | None) -> str:
    """Return the index's model of Ollama's, else the one that would suit its posts."""
    needed = _on_server(embedder)
    is_english = embedder is None or embedder.model != E5.identity.model
    return needed.model if needed else DEFAULT_MODEL if is_english else MULTILINGUAL_MODEL


def _lacking(needed: EmbedderIdentity | None) -> State:
    return "problem" if needed else "warning"
