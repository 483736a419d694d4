"""The embedder in Ollama: texts go to `/api/embed` in batches, checked unit vectors come back.

Ollama adds no role prefixes, cuts long texts unless told not to, and may answer 200 with
vectors of zeros or in another order; so the prefixes are added here, cutting is forbidden,
every vector is checked, and one text of each batch is embedded alone too. What some
versions misread is folded before it is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from blog_search_mcp.index.embedders.base import (
    ENGLISH_WINDOW,
    NORM_TOLERANCE,
    replace_surrogates,
)
from blog_search_mcp.index.embedders.coverage import english_coverage
from blog_search_mcp.index.embedders.fingerprint import TEXTS, pack_vectors
from blog_search_mcp.index.embedders.ollama.batching import BatchEmbedder, embed_one
from blog_search_mcp.index.embedders.ollama.client import (
    FOR_A_QUERY,
    FOR_DOCUMENTS,
    RetryingClient,
    RetryPolicy,
    ServerState,
)
from blog_search_mcp.index.embedders.ollama.errors import Kind, OllamaError
from blog_search_mcp.index.embedders.ollama.host import resolve_url
from blog_search_mcp.index.embedders.ollama.models import (
    DEFAULT_MODEL,
    find_model,
    fold_text,
    is_misread,
    misreading_warning,
    read_dimension,
)
from blog_search_mcp.index.errors import EmbedderChanged, TextsRefused
from blog_search_mcp.index.types import EmbedderIdentity, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ollama import Client

    from blog_search_mcp.index.embedders.ollama.batching import Send
    from blog_search_mcp.index.types import Vectors

T = TypeVar("T")

KEEP_ALIVE: Final = "30m"
"""How long Ollama keeps the model loaded; its default of 5 minutes makes queries wait for it."""


class OllamaEmbedder:
    """One model of one Ollama, as Embedder; connects at the first use."""

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        url: str = "",
        prefixes: tuple[str, str] | None = None,
        for_documents: RetryPolicy = FOR_DOCUMENTS,
        for_a_query: RetryPolicy = FOR_A_QUERY,
    ) -> None:
        """Take the address in any form of OLLAMA_HOST.

        `prefixes` are (document, query), by default those of the model's card.
        """
        self.model = model
        self.window_pieces = ENGLISH_WINDOW
        self.url = resolve_url(url)
        known = find_model(model)
        own = (known.document_prefix, known.query_prefix) if known else ("", "")
        self.prefixes = own if prefixes is None else prefixes
        self._for_documents = for_documents
        self._for_a_query = for_a_query
        self._client = RetryingClient(self.url)
        self._description: tuple[ServerState, int, bool] | None = None
        self._identity: EmbedderIdentity | None = None
        self._batches = BatchEmbedder()

    def __reduce__(self) -> tuple[type[OllamaEmbedder], tuple[object, ...]]:
        """Give another process a connection of its own."""
        policies = (self._for_documents, self._for_a_query)
        return OllamaEmbedder, (self.model, self.url, self.prefixes, *policies)

    @property
    def identity(self) -> EmbedderIdentity:
        """As Embedder, with the fingerprint; asks Ollama once for all of it."""
        if self._identity is None:
            state, dimension, _ = self._describe()
            fingerprint = Fingerprint(state.version, pack_vectors(self.embed_fingerprint()))
            parts = ("ollama", self.model, state.digest, dimension)
            self._identity = EmbedderIdentity(*parts, *self.prefixes, fingerprint=fingerprint)
        return self._identity

    @property
    def state(self) -> ServerState:
        """Ollama as it was when first asked or since `forget`. Raises EmbedderError."""
        return self._describe()[0]

    @property
    def dimension(self) -> int:
        """Of the model's vectors. Raises EmbedderError."""
        return self._describe()[1]

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        """As Embedder; 1 for a vocabulary of which nothing is known."""
        known = find_model(self.model)
        is_english = known is not None and not known.is_multilingual
        return english_coverage(texts) if is_english else [1.0] * len(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder; zeros for a blank text.

        Raises TextsRefused for texts that Ollama fails on while it embeds others,
        EmbedderChanged if it was updated meanwhile, and EmbedderError.
        """
        return self._embed_all(self.prefixes[0], texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As embed_documents."""
        return self._embed_all(self.prefixes[1], texts)

    def embed_query(self, text: str, looks: bool = True) -> Vectors:
        """As Embedder; gives up sooner than for documents, and raises EmbedderChanged too.

        One that `looks` asks afterwards whether Ollama and the model are still the same.
        """
        import numpy as np

        state, dimension, _ = self._describe()
        if not text.strip():
            return np.zeros(dimension, dtype=np.float32)
        send = self._sender(self.prefixes[1])
        row = self._translated(lambda: embed_one(replace_surrogates(text), send, self._for_a_query))
        if looks:
            self._check_unchanged(state, self._for_a_query)
        return row

    def embed_fingerprint(self) -> Vectors:
        """Embed the fingerprint texts as documents, one by one. Raises EmbedderError."""
        import numpy as np

        send = self._sender(self.prefixes[0])
        return self._translated(
            lambda: np.stack([embed_one(text, send, self._for_documents) for text in TEXTS])
        )

    def forget(self) -> None:
        """Ask Ollama anew at the next use."""
        self._description = self._identity = None

    def warnings(self) -> tuple[str, ...]:
        """Return sentences on what is wrong with this Ollama. Raises EmbedderError."""
        state, _, misread = self._describe()
        found = [misreading_warning(state.version, self.model)] if misread else []
        if self._batches.mixed_up:
            found.append(
                f"Ollama {state.version} mixes up the vectors of a batch, so texts go to it one by "
                "one. Update Ollama."
            )
        return tuple(found)

    def read_version(self) -> str:
        """Ask which version answers at this moment. Raises EmbedderError."""
        return self._translated(lambda: self._client.read_version(self._for_a_query))

    def load_model(self) -> None:
        """Have the model loaded into memory, by an empty list of texts. Raises EmbedderError."""

        def load(client: Client) -> None:
            client.embed(model=self.model, input=[], keep_alive=KEEP_ALIVE)

        self._translated(lambda: self._client.request(load, self._for_documents))

    def _embed_all(self, prefix: str, texts: Sequence[str]) -> Vectors:
        state, dimension, _ = self._describe()
        send = self._sender(prefix)
        rows, reasons = self._translated(
            lambda: self._batches.embed(texts, dimension, send, self._for_documents)
        )
        self._check_unchanged(state, self._for_documents)
        if reasons:
            raise TextsRefused(rows, reasons)
        return rows

    def _describe(self) -> tuple[ServerState, int, bool]:
        """Return state, dimension and whether this version misreads the model; asked once."""
        if self._description is None:
            self._description = self._translated(self._read_description)
        return self._description

    def _read_description(self) -> tuple[ServerState, int, bool]:
        state = self._read_state(self._for_a_query)
        shown = self._client.request(lambda client: client.show(self.model), self._for_a_query)
        misread = is_misread(shown.modelinfo or {}, state.version)
        return state, read_dimension(shown), misread

    def _read_state(self, policy: RetryPolicy) -> ServerState:
        state = self._client.read_state(self.model, policy)
        if not state.digest:
            raise OllamaError(Kind.MISSING)
        return state

    def _check_unchanged(self, before: ServerState, policy: RetryPolicy) -> None:
        """Raise EmbedderChanged, and forget what was learnt, if model or server changed."""
        if self._translated(lambda: self._read_state(policy)) != before:
            self.forget()
            raise EmbedderChanged(
                f"Ollama at {self.url} was updated, or {self.model} was, while it embedded. "
                "Run the same command again."
            )

    def _sender(self, prefix: str) -> Send:
        """Return what embeds texts, each after `prefix`, by one request."""
        import numpy as np

        _, dimension, misread = self._describe()

        def send(texts: list[str], policy: RetryPolicy) -> Vectors:
            sent = [fold_text(prefix + text) if misread else prefix + text for text in texts]

            def send_once(client: Client) -> Vectors:
                reply = client.embed(
                    model=self.model, input=sent, truncate=False, keep_alive=KEEP_ALIVE
                )
                if fault := find_fault(reply.embeddings, len(sent), dimension):
                    raise OllamaError(Kind.NO_VECTOR, fault)
                return np.asarray(reply.embeddings, dtype=np.float32)

            return self._client.request(send_once, policy)

        return send

    def _translated(self, work: Callable[[], T]) -> T:
        """Do the work. Raises EmbedderError instead of OllamaError."""
        try:
            return work()
        except OllamaError as failure:
            raise failure.as_embedder_error(self.url, self.model) from failure


def find_fault(rows: Sequence[Sequence[float]], count: int, dimension: int) -> str | None:
    """Say why `rows` are not `count` unit vectors of `dimension` numbers; `None` if they are."""
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
