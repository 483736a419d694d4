"""A short look at an Ollama: its host and a model in, what it is now out.

Cheap enough to come before every query, and no model is loaded for it. Whatever answers,
even wrongly, is alive; what is wrong with it is for the real request to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from index.embedder.ollama_client import PROBE_TIMEOUT, Patience, PatientClient
from index.embedder.ollama_failures import Kind, OllamaError, as_error
from index.embedder.ollama_host import base_url
from index.embedder.ollama_models import full_name

GLANCE: Final = Patience(read=PROBE_TIMEOUT, pauses={})
"""Nothing that passes by itself is waited for: the next look is near."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What an Ollama is now; where it is another than before, what was learnt of it is old."""

    version: str = ""
    digest: str = ""
    """Of the model's weights; empty if the model is not there."""


class Lookout:
    """Looks at one host for one model; safe to use from several threads."""

    def __init__(self, model: str, host: str | None) -> None:
        """Take `host` in any form of OLLAMA_HOST. Raises UsageError if it has none of them."""
        self.model = model
        self.host = base_url(host)
        self._client = PatientClient(self.host)

    def prepare(self) -> None:
        """Import the client, which takes time that is not Ollama's. Raises EmbedderRefused."""
        self._client.prepare(GLANCE)

    def look(self) -> Seen:
        """Look now. Raises EmbedderUnavailable if nobody answers."""
        try:
            version = self._client.version(GLANCE)
            listed = self._client.ask(lambda client: client.list(), GLANCE).models
        except OllamaError as failure:
            if failure.kind in (Kind.DOWN, Kind.SLOW):
                raise as_error(failure, self.host, self.model) from failure
            return Seen()
        digests = {full_name(entry.model or ""): entry.digest or "" for entry in listed}
        return Seen(version, digests.get(full_name(self.model), ""))
