"""One model behind one server, as Embedder: texts in batches, checked unit vectors back.

Servers add no role prefixes and may answer 200 with vectors of zeros or in another order; so the
prefixes are added here, and vectors and batches are checked. What a server speaks is its `Wire`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from blog_search_mcp.index.embedders.base import ENGLISH_WINDOW, NORM_TOLERANCE, replace_surrogates
from blog_search_mcp.index.embedders.fingerprint import TEXTS, find_sameness, pack_vectors
from blog_search_mcp.index.embedders.ollama.models import find_model
from blog_search_mcp.index.embedders.packaged import english_coverage
from blog_search_mcp.index.embedders.remote.batching import BatchEmbedder, embed_one
from blog_search_mcp.index.embedders.remote.failures import (
    FailureKind,
    FailureMessages,
    RequestFailed,
)
from blog_search_mcp.index.embedders.remote.requests import (
    FOR_A_QUERY,
    FOR_DOCUMENTS,
    RetryPolicy,
    ServerState,
)
from blog_search_mcp.index.errors import EmbedderChanged, TextsRefused
from blog_search_mcp.index.types import EmbedderIdentity, Fingerprint, Vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from blog_search_mcp.index.embedders.remote.batching import Send

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Description:
    """What a server says of a model."""

    state: ServerState
    dimension: int


class Wire(Protocol):
    """How one sort of server is spoken to; every call raises RequestFailed."""

    @property
    def kind(self) -> str:
        """Of EmbedderIdentity."""

    @property
    def url(self) -> str:
        """The server's address."""

    @property
    def messages(self) -> FailureMessages:
        """The messages for its failures."""

    def describe(self, model: str, policy: RetryPolicy) -> Description:
        """Ask for the model."""

    def read_state(self, model: str, policy: RetryPolicy) -> ServerState:
        """Ask whether server and model are what they were; cheap."""

    def read_version(self, policy: RetryPolicy) -> str:
        """Return the server's version; empty if it reports none."""

    def embed(
        self, model: str, texts: list[str], known: Description, policy: RetryPolicy
    ) -> Vectors:
        """Embed texts by one request; return their unit rows in order."""

    def load(self, model: str, policy: RetryPolicy) -> None:
        """Have the model loaded into memory, if the server can be asked to."""

    def warnings(self, model: str, known: Description) -> tuple[str, ...]:
        """Return sentences on what is wrong with this version of the server."""


class RemoteEmbedder(ABC):
    """One model of one server, as Embedder; connects at the first use."""

    def __init__(
        self,
        model: str,
        url: str,
        prefixes: tuple[str, str] | None = None,
        for_documents: RetryPolicy = FOR_DOCUMENTS,
        for_a_query: RetryPolicy = FOR_A_QUERY,
    ) -> None:
        """Take the model; `prefixes` are (document, query), by default those of its card."""
        wire = self.open_wire(url)
        self.model = model
        self.window_pieces = ENGLISH_WINDOW
        self.url = wire.url
        known = find_model(model)
        own = (known.document_prefix, known.query_prefix) if known else ("", "")
        self.prefixes = own if prefixes is None else prefixes
        self._for_documents = for_documents
        self._for_a_query = for_a_query
        self._wire = wire
        self._description: Description | None = None
        self._identity: EmbedderIdentity | None = None
        self._batches = BatchEmbedder(wire.messages)

    @staticmethod
    @abstractmethod
    def open_wire(url: str) -> Wire:
        """Return how the server at this address is spoken to."""

    def __reduce__(self) -> tuple[type[RemoteEmbedder], tuple[object, ...]]:
        """Give another process a connection of its own."""
        policies = (self._for_documents, self._for_a_query)
        return type(self), (self.model, self.url, self.prefixes, *policies)

    @property
    def identity(self) -> EmbedderIdentity:
        """As Embedder, with the fingerprint; asks the server once for all of it."""
        if self._identity is None:
            known = self._describe()
            packed = pack_vectors(self.embed_fingerprint())
            fingerprint = Fingerprint(known.state.version, packed)
            parts = (self._wire.kind, self.model, known.state.digest, known.dimension)
            self._identity = EmbedderIdentity(*parts, *self.prefixes, fingerprint=fingerprint)
        return self._identity

    @property
    def state(self) -> ServerState:
        """The server as it was when first asked or since `forget`. Raises EmbedderError."""
        return self._describe().state

    @property
    def known_state(self) -> ServerState | None:
        """The same, `None` if it is not known; asks nobody."""
        return self._description.state if self._description else None

    @property
    def dimension(self) -> int:
        """Of the model's vectors. Raises EmbedderError."""
        return self._describe().dimension

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        """As Embedder; 1 for a vocabulary of which nothing is known."""
        known = find_model(self.model)
        is_english = known is not None and not known.is_multilingual
        return english_coverage(texts) if is_english else [1.0] * len(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder; zeros for a blank text.

        Raises TextsRefused for texts that the server fails on while it embeds others,
        EmbedderChanged if it was updated meanwhile, and EmbedderError.
        """
        return self._embed_all(self.prefixes[0], texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As embed_documents."""
        return self._embed_all(self.prefixes[1], texts)

    def embed_query(self, text: str, *, check_after: bool = True) -> Vectors:
        """As Embedder; gives up sooner than for documents, and raises EmbedderChanged too.

        With `check_after` it asks afterwards whether the server and the model are still the same.
        """
        import numpy as np

        known = self._describe()
        if not text.strip():
            return np.zeros(known.dimension, dtype=np.float32)
        send = self._sender(self.prefixes[1])
        row = self._translated(lambda: embed_one(replace_surrogates(text), send, self._for_a_query))
        if check_after:
            self._check_unchanged(known.state, self._for_a_query)
        return row

    def embed_fingerprint(self) -> Vectors:
        """Embed the fingerprint texts as documents, one by one. Raises EmbedderError."""
        import numpy as np

        send = self._sender(self.prefixes[0])

        def embed() -> Vectors:
            rows = np.stack([embed_one(text, send, self._for_documents) for text in TEXTS])
            if fault := find_sameness(rows):
                raise RequestFailed(FailureKind.NO_VECTOR, fault)
            return rows

        return self._translated(embed)

    def forget(self) -> None:
        """Ask the server anew at the next use."""
        self._description = self._identity = None

    def warnings(self) -> tuple[str, ...]:
        """Return sentences on what is wrong with this server. Raises EmbedderError."""
        known = self._describe()
        found = self._wire.warnings(self.model, known)
        if not self._batches.mixed_up:
            return found
        name = " ".join(filter(None, (self._wire.messages.name, known.state.version)))
        return (
            *found,
            f"{name} mixes up the vectors of a batch, so texts go to it one by one. Update it.",
        )

    def read_version(self) -> str:
        """Ask which version answers at this moment. Raises EmbedderError."""
        return self._translated(lambda: self._wire.read_version(self._for_a_query))

    def load_model(self) -> None:
        """Have the model loaded into memory. Raises EmbedderError."""
        self._translated(lambda: self._wire.load(self.model, self._for_documents))

    def _embed_all(self, prefix: str, texts: Sequence[str]) -> Vectors:
        known = self._describe()
        send = self._sender(prefix)
        rows, reasons = self._translated(
            lambda: self._batches.embed(texts, known.dimension, send, self._for_documents)
        )
        self._check_unchanged(known.state, self._for_documents)
        if reasons:
            raise TextsRefused(rows, reasons)
        return rows

    def _describe(self) -> Description:
        if self._description is None:
            self._description = self._translated(
                lambda: self._wire.describe(self.model, self._for_a_query)
            )
        return self._description

    def _check_unchanged(self, before: ServerState, policy: RetryPolicy) -> None:
        """Raise EmbedderChanged, and forget what was learnt, if model or server changed."""
        if self._translated(lambda: self._wire.read_state(self.model, policy)) != before:
            self.forget()
            place = self._wire.messages.name_place(self.url)
            raise EmbedderChanged(
                f"{place} was updated, or {self.model} was, while it embedded. "
                "Run the same command again."
            )

    def _sender(self, prefix: str) -> Send:
        """Return what embeds texts, each after `prefix`, by one request."""
        known = self._describe()

        def send(texts: list[str], policy: RetryPolicy) -> Vectors:
            return self._wire.embed(self.model, [prefix + text for text in texts], known, policy)

        return send

    def _translated(self, work: Callable[[], T]) -> T:
        """Do the work. Raises EmbedderError instead of RequestFailed."""
        try:
            return work()
        except RequestFailed as failure:
            raise self._wire.messages.make_error(failure, self.url, self.model) from failure


def find_fault(rows: Sequence[Sequence[float]], count: int, dimension: int) -> str | None:
    """Tell why `rows` are not `count` unit vectors of `dimension` numbers; `None` if they are."""
    import numpy as np

    if len(rows) != count:
        return f"{len(rows)} vectors for {count} texts"
    for row in rows:
        norm = float(np.linalg.norm(row))
        if len(row) != dimension:
            return f"a vector of {len(row)} numbers instead of {dimension}"
        if not np.isfinite(norm):
            return "a vector with a number that is not finite"
        if abs(norm - 1) > NORM_TOLERANCE:
            return f"a vector of length {norm:.3g} instead of 1"
    return None
