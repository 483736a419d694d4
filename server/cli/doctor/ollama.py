"""Check that Ollama has the model that the index needs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from blog_search_mcp.index.embedders.ollama.client import OllamaHealthCheck, ServerState
from blog_search_mcp.index.embedders.ollama.models import (
    DEFAULT_MODEL,
    misreading_warning,
    misreads_capitals,
)
from blog_search_mcp.index.embedders.registry import runs_on_server
from blog_search_mcp.index.errors import EmbedderError, UsageError
from blog_search_mcp.index.types import EmbedderIdentity
from blog_search_mcp.server.cli.doctor.findings import Finding, State

UPDATE = "Update Ollama to 0.30 or later."
"""The end of `misreading_warning`, which is the finding's remedy."""


@dataclass(frozen=True, slots=True)
class OllamaFacts:
    """One Ollama server and what the index needs of it."""

    recorded: EmbedderIdentity | None
    """The index's embedder if it is one of Ollama's."""
    url: str = ""
    """Empty if no request was sent."""
    state: ServerState | None = None
    """`None` if nothing answers."""
    failure: UsageError | None = None
    """Why its address is not valid."""

    @property
    def model(self) -> str:
        """The model that is needed, or would be."""
        return self.recorded.model if self.recorded else DEFAULT_MODEL


def inspect_ollama(host: str, embedder: EmbedderIdentity | None) -> OllamaFacts:
    """Ask the Ollama at `host`, in any form of OLLAMA_HOST, if the index or the user names one.

    `embedder` is the index's, `None` without an index.
    """
    recorded = embedder if embedder is not None and runs_on_server(embedder) else None
    facts = OllamaFacts(recorded)
    if recorded is None and not host:
        return facts
    try:
        health = OllamaHealthCheck(facts.model, host)
        return replace(facts, url=health.url, state=health.check())
    except UsageError as error:
        return replace(facts, failure=error)
    except EmbedderError:
        return replace(facts, url=health.url)


def check_ollama(facts: OllamaFacts, rebuild: str) -> list[Finding]:
    """Report what was found; a warning at most where the index does not need Ollama.

    `rebuild` is the command that builds the index anew.
    """
    bad: State = "problem" if facts.recorded else "warning"
    if facts.failure is not None:
        remedy = "export OLLAMA_HOST=http://127.0.0.1:11434"
        return [Finding("Ollama", "problem", str(facts.failure), remedy)]
    if not facts.url:
        return [Finding("Ollama", "ok", "No index here needs it.")]
    server = facts.state
    if server is None:
        text = f"Nothing answers at {facts.url}; without it search is by words alone."
        if facts.recorded is None:
            text = f"Nothing answers at {facts.url}; the index does not use it."
        return [Finding("Ollama", bad, text, "ollama serve")]
    if not server.digest:
        text = f"Ollama {server.version} at {facts.url} does not have the model {facts.model}."
        return [
            Finding("Ollama", bad, text, f"ollama pull {facts.model}"),
            *_check_version(facts, server),
        ]
    text = f"Ollama {server.version} at {facts.url} has {facts.model} ({server.digest[:12]})."
    return [
        Finding("Ollama", "ok", text),
        *_check_version(facts, server),
        *_check_weights(facts, server, rebuild),
    ]


def _check_version(facts: OllamaFacts, server: ServerState) -> list[Finding]:
    if not misreads_capitals(server.version):
        return []
    text = misreading_warning(server.version, facts.model).removesuffix(UPDATE).rstrip()
    return [Finding("Ollama", "warning", text, f"{UPDATE[:-1]}: https://ollama.com/download")]


def _check_weights(facts: OllamaFacts, server: ServerState, rebuild: str) -> list[Finding]:
    recorded = facts.recorded
    if recorded is None or recorded.digest == server.digest:
        return []
    text = (
        f"The index was built with other weights of {recorded.model} ({recorded.digest[:12]}), so "
        "search is by words alone."
    )
    return [Finding("Ollama", "problem", text, rebuild)]
