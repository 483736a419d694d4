"""Fingerprint texts: their vectors show whether a server still embeds as it did.

New versions of Ollama have given other vectors for the same weights, without notice
(ollama/ollama#13942, #14449, #7085). They lost capitals, kept accents, split punctuation in other
places, or cut long texts. Each of these changes alters the vector of a fingerprint text.
"""

import base64
from typing import Final

import numpy as np

from blog_search_mcp.index.text.languages import read_rows
from blog_search_mcp.index.types import EmbedderIdentity, Vectors

TEXTS: Final = tuple(read_rows("fingerprint_texts.txt"))
"""Mixed case, accents, the punctuation of code, and a long text of less than 256 tokens."""
SAME_COSINE: Final = 0.999
"""Minimum cosine at which two vectors of one text count as equal. Correct engines differ by 1e-4 in
a component; every known change of tokenizing moved one of these texts below .99."""
MAX_USUAL_COSINE: Final = 0.95
"""Maximum of `usual_cosine`. Cosines are divided by 1 - `usual_cosine`, which must be above 0."""


def pack_vectors(rows: Vectors) -> str:
    """Encode rows as text: float32, little-endian, in base64."""
    return base64.b64encode(rows.astype("<f4").tobytes()).decode("ascii")


def embeds_same(recorded: str, packed: str) -> bool:
    """Whether all vectors agree within SAME_COSINE; `packed` may have only the first texts."""
    try:
        before = np.frombuffer(base64.b64decode(recorded), dtype="<f4").reshape(len(TEXTS), -1)
        now = np.frombuffer(base64.b64decode(packed), dtype="<f4").reshape(-1, before.shape[1])
        return float(np.square(before[: len(now)] - now).sum(axis=1).max()) <= 2 - 2 * SAME_COSINE
    except ValueError:  # another width raises it too
        return False


def usual_cosine(identity: EmbedderIdentity) -> float:
    """Return the mean cosine of TEXTS, which are unrelated; at most MAX_USUAL_COSINE."""
    if identity.fingerprint is None:
        return 0.8 if identity.model == "multilingual-e5-small" else 0.0  # measured on TEXTS
    data = base64.b64decode(identity.fingerprint.vectors)
    rows = np.frombuffer(data, dtype="<f4").reshape(len(TEXTS), -1)
    rows = rows[rows.any(axis=1)]
    cosines = (rows @ rows.T)[np.triu_indices(len(rows), 1)]
    return min(float(cosines.mean()), MAX_USUAL_COSINE) if len(cosines) else 0.0
