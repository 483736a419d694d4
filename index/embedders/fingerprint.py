"""Four texts whose vectors tell whether an embedder still is what it was: rows in, a cosine out.

The same weights have given other vectors under another version of Ollama, without a word
(ollama/ollama#13942, #14449, #7085): capitals lost, accents kept, punctuation split in
another way, long texts cut. Each text here is one that such a change moves.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.embedders.ollama.models import DEFAULT_MODEL
from blog_search_mcp.index.errors import EmbedderMismatch

if TYPE_CHECKING:
    from blog_search_mcp.index.types import EmbedderIdentity, Fingerprint, Vectors

TEXTS: Final = (
    "REPLACE the Sump Pump before McGregor's iPhone and the NASA Engineers arrive",
    "Crème brûlée à São Paulo, Gödel über naïve Ångström, señor façade Łódź",
    'if (x != null && y[i++] >= 0x1F) { return f"{a.b_c}::{d->e}" ?? -1; } // #TODO @v2.0-rc1',
    "The index is written beside the one that is being read, and a name is switched at the end. "
    "Whoever opened the older one keeps it, since a file that is open stays until it is closed, "
    "and whoever comes later sees the newer one whole. A run that is killed half way leaves "
    "nothing but a folder that nobody has named, which the next run takes away. What was "
    "computed for it is not lost either: it lies in a cache that is keyed by the words, so "
    "that the same words never have to be computed twice. Only when the model is another "
    "one do all of them count for nothing, and then the whole index has to be made anew.",
)
"""Mixed case, accents, the punctuation of code, and a long one, within every model's 256 tokens."""

SAME: Final = 0.999
"""Cosine from which two vectors of one text count as equal: between right engines they differ by
1e-4 a component, while every change of tokenizing that is known moved a canary below .99."""


def packed(rows: Vectors) -> str:
    """The canaries' rows as text: float32, little-endian, in base64."""
    return base64.b64encode(rows.astype("<f4").tobytes()).decode("ascii")


def likeness(recorded: str, rows: Vectors) -> float:
    """The smallest cosine between a canary as it was recorded and as it is, in [-1, 1].

    Rows of another shape than what was recorded are unlike: -1; so is a damaged record.
    """
    import numpy as np

    try:
        before = np.frombuffer(base64.b64decode(recorded), dtype="<f4")
    except ValueError:
        return -1.0
    if before.size != rows.size:
        return -1.0
    return float((before.reshape(rows.shape) * rows).sum(axis=1).min())


def unpacked(recorded: str, dimension: int) -> Vectors:
    """The rows that `packed` wrote, of shape (len(TEXTS), dimension)."""
    import numpy as np

    rows: Vectors = np.frombuffer(base64.b64decode(recorded), dtype="<f4").reshape(-1, dimension)
    return rows


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
