"""What an Ollama tells of a model and of itself: questions to its API in, plain facts out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from index.embedder.ollama_failures import Kind, OllamaError
from index.embedder.ollama_models import dimension_of, full_name
from index.embedder.ollama_tokenizer import is_uncased, misreads

if TYPE_CHECKING:
    from index.embedder.ollama_client import Patience, PatientClient


@dataclass(frozen=True, slots=True)
class Description:
    """What an Ollama tells of a model and of itself."""

    digest: str
    version: str
    """Empty if it tells none, as what only resembles an Ollama may."""
    dimension: int
    misread: bool
    """Whether this version tokenizes this model wrongly."""


def describe(client: PatientClient, model: str, patience: Patience) -> Description:
    """Ask for everything. Raises OllamaError."""
    digest, version = look(client, model, patience)
    shown = client.ask(lambda official: official.show(model), patience)
    misread = is_uncased(shown.modelinfo or {}) and misreads(version)
    return Description(digest, version, dimension_of(shown), misread)


def look(client: PatientClient, model: str, patience: Patience) -> tuple[str, str]:
    """The digest of the model and the version of the server: two requests of a millisecond.

    Raises OllamaError.
    """
    listed = client.ask(lambda official: official.list(), patience)
    wanted = full_name(model)
    digests = [entry.digest for entry in listed.models if full_name(entry.model or "") == wanted]
    if not digests or not digests[0]:
        raise OllamaError(Kind.MISSING)
    return digests[0], client.version(patience)
