"""Whether an Ollama model still is what an index was built with: two identities in, a refusal out.

A name stands for whatever was pulled last, so weights are told apart by their digest. The
same weights may still give other vectors in another version of Ollama, which their canaries
show (`index.embedder.canaries`); while the version is the same they need not be asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index.embedder.canaries import SAME, likeness
from index.embedder.ollama_models import DEFAULT_MODEL
from index.errors import EmbedderMismatch

if TYPE_CHECKING:
    from index.embedder.base import EmbedderIdentity, Fingerprint, Vectors

REBUILD: Final = "python -m ingest CONTENT --rebuild"


def rebuild_with(kind: str, model: str | None) -> str:
    """The command that makes the index anew with this embedder."""
    named = f" --model {model}" if kind == "ollama" and model and model != DEFAULT_MODEL else ""
    return f"{REBUILD} --embedder {kind}{named}"


def refuse_other_weights(recorded: EmbedderIdentity, digest: str, dimension: int) -> None:
    """Raise EmbedderMismatch unless digest and dimension are the recorded ones."""
    if (recorded.digest, recorded.dimension) == (digest, dimension):
        return
    difference = f"digest {recorded.digest[:12]}, now {digest[:12]}"
    if recorded.digest == digest:
        difference = f"{recorded.dimension} numbers a vector, now {dimension}"
    raise EmbedderMismatch(
        f"The index was built with other weights of {recorded.name} ({difference}). Build it anew: "
        f"`{rebuild_with(recorded.kind, recorded.model)}`."
    )


def refuse_other_vectors(
    recorded: EmbedderIdentity, before: Fingerprint, version: str, canaries: Vectors
) -> None:
    """Raise EmbedderMismatch unless every canary is nearly what it was."""
    like = likeness(before.canaries, canaries)
    if like >= SAME:
        return
    raise EmbedderMismatch(
        f"The index was built with Ollama {before.version or 'of another version'}, and Ollama "
        f"{version or 'now'} gives other vectors for {recorded.name} (cosine {like:.3f} instead "
        f"of {SAME}). Go back to that version, or build the index anew: "
        f"`{rebuild_with(recorded.kind, recorded.model)}`."
    )
