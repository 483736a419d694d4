"""Ollama: what an index needs of it and what a short look at it finds in, findings out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from blog_search_mcp.index.embedders.base import ServerState
from blog_search_mcp.index.embedders.ollama.client import OllamaHealthCheck
from blog_search_mcp.index.embedders.ollama.models import (
    DEFAULT_MODEL,
    misreading_warning,
    misreads_capitals,
)
from blog_search_mcp.index.embedders.registry import runs_on_server
from blog_search_mcp.index.errors import EmbedderError, UsageError
from blog_search_mcp.server.cli.doctor.finding import Finding, State

if TYPE_CHECKING:
    from blog_search_mcp.index.types import EmbedderIdentity

UPDATE = "Update Ollama to 0.30 or later."
"""The end of `misreading_warning`, which the finding gives as what to do."""


@dataclass(frozen=True, slots=True)
class OllamaFacts:
    """One Ollama and what is needed of it."""

    asked: bool
    """Whether an address was given, as an option or in OLLAMA_HOST."""
    recorded: EmbedderIdentity | None
    """The index's embedder if it is one of Ollama's."""
    url: str = ""
    """Empty if it was not looked at."""
    state: ServerState | None = None
    """`None` if nothing answers."""
    failure: UsageError | None = None
    """Why its address cannot be meant."""

    @property
    def model(self) -> str:
        """The model that is needed, or would be."""
        return self.recorded.model if self.recorded else DEFAULT_MODEL


def gather(host: str, embedder: EmbedderIdentity | None) -> OllamaFacts:
    """Look at the Ollama at `host`, in any form of OLLAMA_HOST, if the index or the user wants it.

    `embedder` is the index's, `None` without an index.
    """
    recorded = embedder if embedder is not None and runs_on_server(embedder) else None
    facts = OllamaFacts(bool(host), recorded)
    if recorded is None and not host:
        return facts
    try:
        health = OllamaHealthCheck(facts.model, host)
        return replace(facts, url=health.url, state=health.check())
    except UsageError as error:
        return replace(facts, asked=True, failure=error)
    except EmbedderError:
        return replace(facts, url=health.url)


def findings(facts: OllamaFacts, rebuild: str) -> list[Finding]:
    """Judge what was found; what the index does not need is a warning at most.

    `rebuild` is the command that builds the index anew.
    """
    bad: State = "problem" if facts.recorded else "warning"
    if facts.failure is not None:
        mend = "export OLLAMA_HOST=http://127.0.0.1:11434"
        return [Finding("Ollama", "problem", str(facts.failure), mend)]
    if not facts.url:
        return [Finding("Ollama", "ok", "No index here needs it.")]
    found = facts.state
    if found is None:
        said = f"Nothing answers at {facts.url}; without it search is by words alone."
        if facts.recorded is None:
            said = f"Nothing answers at {facts.url}; the index does not use it."
        return [Finding("Ollama", bad, said, "ollama serve")]
    if not found.digest:
        said = f"Ollama {found.version} at {facts.url} does not have the model {facts.model}."
        return [Finding("Ollama", bad, said, f"ollama pull {facts.model}"), *_version(facts, found)]
    said = f"Ollama {found.version} at {facts.url} has {facts.model} ({found.digest[:12]})."
    return [
        Finding("Ollama", "ok", said),
        *_version(facts, found),
        *_weights(facts, found, rebuild),
    ]


def _version(facts: OllamaFacts, found: ServerState) -> list[Finding]:
    if not misreads_capitals(found.version):
        return []
    said = misreading_warning(found.version, facts.model).removesuffix(UPDATE).rstrip()
    return [Finding("Ollama", "warning", said, f"{UPDATE[:-1]}: https://ollama.com/download")]


def _weights(facts: OllamaFacts, found: ServerState, rebuild: str) -> list[Finding]:
    recorded = facts.recorded
    if recorded is None or recorded.digest == found.digest:
        return []
    said = (
        f"The index was built with other weights of {recorded.model} ({recorded.digest[:12]}), so "
        "search is by words alone."
    )
    return [Finding("Ollama", "problem", said, rebuild)]
