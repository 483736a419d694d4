"""The seam of the embedders: what each of them offers, and what a kind of embedder consists of.

Documents and queries must meet the same model, prefixes and weights, or cosines mean
nothing; the identity records them and is kept in the manifest and in the cache's keys.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from blog_search_mcp.index.types import EmbedderIdentity, Vectors


class Embedder(Protocol):
    """Given from outside, never looked up."""

    @property
    def identity(self) -> EmbedderIdentity:
        """What embeds. Raises EmbedderError if a server must be asked and does not answer."""
        ...

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        """Return how well the model's vocabulary covers each text, in [0, 1].

        At 0 the model sees nothing but unknown pieces and its vector would be noise; such
        a text is not embedded. Costs no model run. Raises EmbedderError.
        """
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return float32 unit rows of shape (len(texts), dimension), in order.

        Raises TextsRefused, with the other rows, if some texts have no vector, and
        EmbedderError.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """Return one float32 unit vector of shape (dimension,). Raises EmbedderError."""
        ...


@dataclass(frozen=True, slots=True)
class ServerState:
    """What an embedding server runs now; once it differs, nothing learnt before holds."""

    version: str = ""
    """Empty if the server reports none."""
    digest: str = ""
    """Of the model's weights; empty if the model is not installed."""


class ServerEmbedder(Embedder, Protocol):
    """An embedder whose model runs on a server, which may be updated while it is used."""

    @property
    def state(self) -> ServerState:
        """The server as it was when first asked or since `forget`. Raises EmbedderError."""
        ...

    @property
    def dimension(self) -> int:
        """Of the model's vectors. Raises EmbedderError."""
        ...

    def embed_fingerprint(self) -> Vectors:
        """Embed the fingerprint texts as documents, one by one. Raises EmbedderError."""
        ...

    def forget(self) -> None:
        """Ask the server anew at the next use."""
        ...

    def warnings(self) -> tuple[str, ...]:
        """Return sentences on what is wrong with this server. Raises EmbedderError."""
        ...

    def read_version(self) -> str:
        """Ask which version answers at this moment. Raises EmbedderError."""
        ...

    def prepare(self) -> None:
        """Import and set up what requests need; waits for nobody. Raises EmbedderRefused."""
        ...

    def load_model(self) -> None:
        """Have the server load the model into memory. Raises EmbedderError."""
        ...


class HealthCheck(Protocol):
    """A short look at one server for one model; safe to use from several threads."""

    server: str
    """For messages: `Ollama`."""
    place: str
    """Likewise: `Ollama at http://127.0.0.1:11434`."""
    model: str

    def prepare(self) -> None:
        """Import and set up what requests need; waits for nobody. Raises EmbedderRefused."""
        ...

    def check(self) -> ServerState:
        """Ask within about a second. Raises EmbedderUnavailable if nobody answers."""
        ...


@dataclass(frozen=True, slots=True)
class ServerBackend:
    """A kind of embedder whose models run on a server."""

    default_model: str
    connect: Callable[[str, str, tuple[str, str] | None], ServerEmbedder]
    """Model, address and prefixes (document, query), `None` for the model's own. Asks nothing."""
    health_check: Callable[[str, str], HealthCheck]
    """Model and address. Raises UsageError for an address that cannot be one."""
    full_name: Callable[[str], str]
    """A model's name in the form that is compared."""
    install_command: str
    """What installs a model; followed by its name."""


@dataclass(frozen=True, slots=True)
class LocalBackend:
    """A kind of embedder whose models are files of this package."""

    default_model: str
    models: tuple[str, ...]
    load: Callable[[str], Embedder]
    """One of `models`."""


NORM_TOLERANCE: Final = 1e-3
"""How far from 1 a row's length may lie: float32 rounding stays below 1e-6, faults do not."""


def replace_surrogates(text: str) -> str:
    """Return the text with `?` for each lone surrogate, which UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def mean_direction(rows: Sequence[Vectors], dimension: int) -> Vectors:
    """Return the unit vector along the mean of unit rows; zeros for no rows.

    One row comes back as it is, bit for bit. Rows that cancel out give zeros.
    """
    import numpy as np

    if len(rows) == 1:
        return rows[0]
    total: Vectors = np.zeros(dimension, dtype=np.float32)
    for row in rows:
        total += row
    norm = np.float32(np.linalg.norm(total))
    return total / norm if norm > NORM_TOLERANCE else np.zeros_like(total)


def find_fault(rows: Sequence[object], count: int, dimension: int) -> str | None:
    """Say why `rows` are not `count` unit vectors of `dimension` numbers; `None` if they are."""
    if len(rows) != count:
        return f"{len(rows)} vectors for {count} texts"
    faults = (_find_row_fault(row, dimension) for row in rows)
    return next((fault for fault in faults if fault), None)


def _find_row_fault(row: object, dimension: int) -> str | None:
    import numpy as np

    values = np.asarray(row, dtype=np.float64)
    if values.shape != (dimension,):
        return f"a vector of {values.size} numbers instead of {dimension}"
    if not np.isfinite(values).all():
        return "a vector with a number that is not finite"
    norm = float(np.linalg.norm(values))
    return f"a vector of length {norm:.3g} instead of 1" if abs(norm - 1) > NORM_TOLERANCE else None
