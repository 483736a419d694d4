"""Ollama: what an index needs of it and what a short look at it finds in, findings out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blog_search_mcp.index.embedders.ollama.client import Probe, probe
from blog_search_mcp.index.embedders.ollama.host import base_url
from blog_search_mcp.index.embedders.ollama.models import DEFAULT_MODEL, misreads, warning
from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.server.cli.doctor.finding import Finding, State

if TYPE_CHECKING:
    from blog_search_mcp.index.types import EmbedderIdentity

KIND = "ollama"
"""Of an index's embedder whose vectors Ollama made."""

UPDATE = "Update Ollama to 0.30 or later."
"""The end of `ollama_tokenizer.warning`, which is the finding's to say."""


@dataclass(frozen=True, slots=True)
class OllamaFacts:
    """One Ollama and what is needed of it."""

    asked: bool
    """Whether an address was given, as an option or in OLLAMA_HOST."""
    recorded: EmbedderIdentity | None
    """The index's embedder if it is one of Ollama's."""
    url: str = ""
    probe: Probe | None = None
    """`None` if it was not looked at."""
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
    recorded = embedder if embedder is not None and embedder.kind == KIND else None
    facts = OllamaFacts(bool(host), recorded)
    if recorded is None and not host:
        return facts
    try:
        url = base_url(host)
    except UsageError as error:
        return OllamaFacts(True, recorded, failure=error)
    return OllamaFacts(bool(host), recorded, url, probe(host, facts.model))


def findings(facts: OllamaFacts, rebuild: str) -> list[Finding]:
    """Judge what was found; what the index does not need is a warning at most.

    `rebuild` is the command that builds the index anew.
    """
    bad: State = "problem" if facts.recorded else "warning"
    if facts.failure is not None:
        mend = "export OLLAMA_HOST=http://127.0.0.1:11434"
        return [Finding("Ollama", "problem", str(facts.failure), mend)]
    found = facts.probe
    if found is None:
        return [Finding("Ollama", "ok", "No index here needs it.")]
    if not found.reachable:
        said = f"Nothing answers at {facts.url}; without it search is by words alone."
        if facts.recorded is None:
            said = f"Nothing answers at {facts.url}; the index does not use it."
        return [Finding("Ollama", bad, said, "ollama serve")]
    if not found.has_model:
        said = f"Ollama {found.version} at {facts.url} does not have the model {facts.model}."
        return [Finding("Ollama", bad, said, f"ollama pull {facts.model}"), *_version(facts, found)]
    said = f"Ollama {found.version} at {facts.url} has {facts.model} ({found.digest[:12]})."
    return [
        Finding("Ollama", "ok", said),
        *_version(facts, found),
        *_weights(facts, found, rebuild),
    ]


def _version(facts: OllamaFacts, found: Probe) -> list[Finding]:
    if not misreads(found.version):
        return []
    said = warning(found.version, facts.model).removesuffix(UPDATE).rstrip()
    return [Finding("Ollama", "warning", said, f"{UPDATE[:-1]}: https://ollama.com/download")]


def _weights(facts: OllamaFacts, found: Probe, rebuild: str) -> list[Finding]:
    recorded = facts.recorded
    if recorded is None or recorded.digest == found.digest:
        return []
    said = (
        f"The index was built with other weights of {recorded.model} ({recorded.digest[:12]}), so "
        "search is by words alone."
    )
    return [Finding("Ollama", "problem", said, rebuild)]
