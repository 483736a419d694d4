"""The embedder in Ollama: texts go to `/api/embed` in batches, checked unit vectors come back.

Ollama adds no role prefixes, cuts long texts unless told not to, and may answer
200 with vectors of zeros; so the prefixes are added here, cutting is forbidden, and
every vector is checked before it is believed. A text that is too long for the
model becomes the mean of its parts. What some versions misread is folded before it
goes out, and what a model was trained with after pooling is applied to what comes back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

from index.embedder.base import EmbedderIdentity
from index.embedder.ollama_client import FOR_A_QUERY, FOR_DOCUMENTS, Patience, PatientClient
from index.embedder.ollama_failures import Kind, OllamaError, as_error
from index.embedder.ollama_host import base_url
from index.embedder.ollama_models import (
    DEFAULT_MODEL,
    dimension_of,
    full_name,
    has_english_pieces,
    normalisation_of,
    prefixes_of,
)
from index.embedder.ollama_tokenizer import folded, is_uncased, misreads, warning
from index.embedder.readable import readable
from index.embedder.vectors import fault_in, layer_normalised, mean_of, sendable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ollama import Client

    from index.embedder.base import Normalisation, Vectors

T = TypeVar("T")

BATCH: Final = 32
"""Texts a request: Ollama embeds them one after another, so more only lose more at a failure."""

KEEP_ALIVE: Final = "30m"
"""How long Ollama keeps the model loaded; its default of 5 minutes makes queries wait for it."""


@dataclass(frozen=True, slots=True)
class _Description:
    """What an Ollama tells of a model and of itself."""

    identity: EmbedderIdentity
    misread_by: str
    """The server's version if it tokenizes this model wrongly, else empty."""


class OllamaEmbedder:
    """One model of one Ollama; talks to it at the first use, not at construction."""

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        host: str | None = None,
        *,
        prefixes: tuple[str, str] | None = None,
        normalisation: Normalisation | None = None,
        for_documents: Patience = FOR_DOCUMENTS,
        for_a_query: Patience = FOR_A_QUERY,
    ) -> None:
        """Take `host` in any form of OLLAMA_HOST.

        `prefixes` (document, query) and `normalisation` are the model's own unless given.
        """
        self.model = model
        self.host = base_url(host)
        self._prefixes = prefixes_of(model) if prefixes is None else prefixes
        self._normalisation = normalisation or normalisation_of(model)
        self._for_documents = for_documents
        self._for_a_query = for_a_query
        self._client = PatientClient(self.host)

    @property
    def identity(self) -> EmbedderIdentity:
        """Ask Ollama once for the model's digest and dimension. Raises EmbedderError."""
        return self._description.identity

    def warnings(self) -> tuple[str, ...]:
        """Sentences on what is wrong with this Ollama; asks it as `identity` does."""
        version = self._description.misread_by
        return (warning(version, self.model),) if version else ()

    def readable(self, texts: Sequence[str]) -> list[float]:
        """How well the model's vocabulary reads each text; 1 where nothing is known against it."""
        return readable(texts) if has_english_pieces(self.model) else [1.0] * len(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Float32 unit rows of shape (len(texts), dimension), in order; zeros for a blank text."""
        prefix = self.identity.document_prefix
        return self._in_sentences(lambda: self._rows(texts, prefix, self._for_documents))

    def embed_query(self, text: str) -> Vectors:
        """One float32 unit vector of shape (dimension,); gives up sooner than documents do."""
        prefix = self.identity.query_prefix
        rows = self._in_sentences(lambda: self._rows([text], prefix, self._for_a_query))
        row: Vectors = rows[0]
        return row

    def prepare(self) -> None:
        """Import the client and set it up, which waits for nobody. Raises EmbedderRefused."""
        self._client.prepare(FOR_A_QUERY)

    def load(self) -> None:
        """Have the model loaded, as an empty list of texts does. Raises EmbedderError."""
        self._in_sentences(lambda: self._client.ask(self._load, FOR_DOCUMENTS))

    def _load(self, client: Client) -> None:
        client.embed(model=self.model, input=[], keep_alive=KEEP_ALIVE)

    def _in_sentences(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except OllamaError as failure:
            raise as_error(failure, self.host, self.model) from failure

    @cached_property
    def _description(self) -> _Description:
        return self._in_sentences(self._ask_description)

    def _ask_description(self) -> _Description:
        listed = self._client.ask(lambda client: client.list(), self._for_a_query)
        wanted = full_name(self.model)
        digests = [m.digest for m in listed.models if full_name(m.model or "") == wanted]
        if not digests or not digests[0]:
            raise OllamaError(Kind.MISSING)
        shown = self._client.ask(lambda client: client.show(self.model), self._for_a_query)
        identity = EmbedderIdentity(
            "ollama",
            self.model,
            digests[0],
            dimension_of(shown),
            *self._prefixes,
            normalisation=self._normalisation,
        )
        uncased = is_uncased(shown.modelinfo or {})
        version = self._client.version(self._for_a_query) if uncased else ""
        return _Description(identity, version if misreads(version) else "")

    def _rows(self, texts: Sequence[str], prefix: str, patience: Patience) -> Vectors:
        """Embed what is not blank in batches; blank texts stall some versions of Ollama."""
        import numpy as np

        rows = np.zeros((len(texts), self.identity.dimension), dtype=np.float32)
        spoken = [i for i, text in enumerate(texts) if text.strip()]
        for start in range(0, len(spoken), BATCH):
            places = spoken[start : start + BATCH]
            rows[places] = self._batch([sendable(texts[i]) for i in places], prefix, patience)
        return rows

    def _batch(self, texts: list[str], prefix: str, patience: Patience) -> Vectors:
        """Embed one batch; Ollama does not say which text is too long, so halve until it shows."""
        import numpy as np

        try:
            return self._client.ask(lambda client: self._embed(client, texts, prefix), patience)
        except OllamaError as failure:
            if failure.kind is not Kind.TOO_LONG or len("".join(texts).strip()) < 2:
                raise
        if len(texts) == 1:
            parts = self._batch(list(halves(texts[0])), prefix, patience)
            return mean_of(list(parts), self.identity.dimension)[np.newaxis]
        middle = len(texts) // 2
        halved = (texts[:middle], texts[middle:])
        return np.concatenate([self._batch(half, prefix, patience) for half in halved])

    def _embed(self, client: Client, texts: list[str], prefix: str) -> Vectors:
        import numpy as np

        sent = [prefix + text for text in texts]
        rows = client.embed(
            model=self.model,
            input=[folded(text) for text in sent] if self._description.misread_by else sent,
            truncate=False,
            keep_alive=KEEP_ALIVE,
        ).embeddings
        if fault := fault_in(rows, len(texts), self.identity.dimension):
            raise OllamaError(Kind.NO_VECTOR, fault)
        unit = np.asarray(rows, dtype=np.float32)
        return unit if self._normalisation == "l2" else layer_normalised(unit)


def halves(text: str) -> tuple[str, str]:
    """Cut a text of two or more characters at the white space nearest to its middle.

    White space in the first or last quarter does not count, so that each cut gets
    somewhere; where there is none, the cut goes through the middle.
    """
    text = text.strip()
    middle, quarter = len(text) // 2, len(text) // 4
    spaces = (i for i in range(quarter, len(text) - quarter) if text[i].isspace())
    cut = min(spaces, key=lambda i: abs(i - middle), default=middle)
    return text[:cut], text[cut:]
