"""The embedder in Ollama: texts go to `/api/embed` in batches, checked unit vectors come back.

Ollama adds no role prefixes, cuts long texts unless told not to, and may answer
200 with vectors of zeros or in another order; so the prefixes are added here, cutting is
forbidden, every vector is checked before it is believed, and one text of each batch is asked
alone too. What some versions misread is folded before it goes out, and what a model was
trained with after pooling is applied to what comes back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from blog_search_mcp.index.embedders.fingerprint import TEXTS, packed
from blog_search_mcp.index.embedders.normalize import fault_in, layer_normalised, sendable
from blog_search_mcp.index.embedders.ollama.batching import Batches, alone, embed_one, mixing
from blog_search_mcp.index.embedders.ollama.client import (
    FOR_A_QUERY,
    FOR_DOCUMENTS,
    Patience,
    PatientClient,
)
from blog_search_mcp.index.embedders.ollama.errors import Kind, OllamaError, as_error
from blog_search_mcp.index.embedders.ollama.host import base_url
from blog_search_mcp.index.embedders.ollama.models import (
    DEFAULT_MODEL,
    dimension_of,
    folded,
    full_name,
    has_english_pieces,
    is_uncased,
    misreads,
    normalisation_of,
    prefixes_of,
    warning,
)
from blog_search_mcp.index.embedders.vocabulary import readable
from blog_search_mcp.index.errors import EmbedderChanged, TextsRefused
from blog_search_mcp.index.types import EmbedderIdentity, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ollama import Client

    from blog_search_mcp.index.embedders.ollama.batching import Request
    from blog_search_mcp.index.types import Normalisation, Vectors


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


KEEP_ALIVE: Final = "30m"
"""How long Ollama keeps the model loaded; its default of 5 minutes makes queries wait for it."""


def unit_rows(
    client: Client, model: str, told: Description, texts: list[str], normalisation: Normalisation
) -> Vectors:
    """Float32 unit rows of shape (len(texts), dimension), in order.

    Texts are folded for a version that misreads them, and rows normalised as the model was
    trained. Raises OllamaError where a row is no vector, and the client's own errors.
    """
    import numpy as np

    rows = client.embed(
        model=model,
        input=[folded(text) for text in texts] if told.misread else texts,
        truncate=False,
        keep_alive=KEEP_ALIVE,
    ).embeddings
    if fault := fault_in(rows, len(texts), told.dimension):
        raise OllamaError(Kind.NO_VECTOR, fault)
    unit = np.asarray(rows, dtype=np.float32)
    return unit if normalisation == "l2" else layer_normalised(unit)


def loaded(model: str, client: Client) -> None:
    """Have the model loaded, as an empty list of texts does. Raises the client's own errors."""
    client.embed(model=model, input=[], keep_alive=KEEP_ALIVE)


T = TypeVar("T")


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
        self.for_documents = for_documents
        self.for_a_query = for_a_query
        self._prefixes = prefixes_of(model) if prefixes is None else prefixes
        self._normalisation = normalisation or normalisation_of(model)
        self._client = PatientClient(self.host)
        self._described: Description | None = None
        self._identity: EmbedderIdentity | None = None
        self._batches = Batches()

    def __reduce__(self) -> tuple[partial[OllamaEmbedder], tuple[str, str]]:
        """Another process has its own connection."""
        asked = partial(
            OllamaEmbedder,
            prefixes=self._prefixes,
            normalisation=self._normalisation,
            for_documents=self.for_documents,
            for_a_query=self.for_a_query,
        )
        return asked, (self.model, self.host)

    @property
    def identity(self) -> EmbedderIdentity:
        """Ask Ollama once for all of it, the canaries too. Raises EmbedderError."""
        if self._identity is None:
            told = self.description
            canaries = packed(self.canaries(self.for_documents))
            self._identity = EmbedderIdentity(
                "ollama",
                self.model,
                told.digest,
                told.dimension,
                *self._prefixes,
                normalisation=self._normalisation,
                fingerprint=Fingerprint(told.version, canaries),
            )
        return self._identity

    @property
    def description(self) -> Description:
        """What Ollama said when it was last asked; asks it once. Raises EmbedderError."""
        if self._described is None:
            self._described = self._in_sentences(
                lambda: describe(self._client, self.model, self.for_a_query)
            )
        return self._described

    def canaries(self, patience: Patience) -> Vectors:
        """Rows of the canary texts as documents. Raises EmbedderError.

        Asked one by one, so that an Ollama that mixes up a batch cannot mix up these.
        """
        request = self._request_with(self._prefixes[0])
        return self._in_sentences(lambda: alone(TEXTS, request, patience))

    def forget(self) -> None:
        """Ask Ollama anew at the next use: what it said holds no longer."""
        self._described = self._identity = None

    def version_now(self) -> str:
        """The version that answers at this moment. Raises EmbedderError."""
        return self._in_sentences(lambda: self._client.version(self.for_a_query))

    def warnings(self) -> tuple[str, ...]:
        """Sentences on what is wrong with this Ollama; asks it as `description` does."""
        told = self.description
        misread = (warning(told.version, self.model),) if told.misread else ()
        return (*misread, *((mixing(told.version),) if self._batches.mixed_up else ()))

    def readable(self, texts: Sequence[str]) -> list[float]:
        """How well the model's vocabulary reads each text; 1 where nothing is known against it."""
        return readable(texts) if has_english_pieces(self.model) else [1.0] * len(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Float32 unit rows of shape (len(texts), dimension), in order; zeros for a blank text.

        Raises TextsRefused for texts that Ollama fails on while it embeds others,
        EmbedderChanged if it was updated meanwhile, and EmbedderError.
        """
        dimension, request = self.description.dimension, self._request_with(self._prefixes[0])
        rows, reasons = self._in_sentences(
            lambda: self._batches.rows(texts, dimension, request, self.for_documents)
        )
        self._still_the_same(self.for_documents)
        if reasons:
            raise TextsRefused(rows, reasons)
        return rows

    def embed_query(self, text: str) -> Vectors:
        """One float32 unit vector of shape (dimension,); gives up sooner than documents do."""
        import numpy as np

        if not text.strip():
            return np.zeros(self.description.dimension, dtype=np.float32)
        request = self._request_with(self._prefixes[1])
        row = self._in_sentences(lambda: embed_one(sendable(text), request, self.for_a_query))
        self._still_the_same(self.for_a_query)
        return row

    def prepare(self) -> None:
        """Import the client and set it up, which waits for nobody. Raises EmbedderRefused."""
        self._client.prepare(self.for_a_query)

    def load(self) -> None:
        """Have the model loaded, as an empty list of texts does. Raises EmbedderError."""
        self._in_sentences(
            lambda: self._client.ask(partial(loaded, self.model), self.for_documents)
        )

    def _in_sentences(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except OllamaError as failure:
            raise as_error(failure, self.host, self.model) from failure

    def _still_the_same(self, patience: Patience) -> None:
        """Raise EmbedderChanged, and forget what was told, if the model or the server changed."""
        before = self.description
        now = self._in_sentences(lambda: look(self._client, self.model, patience))
        if now != (before.digest, before.version):
            self.forget()
            raise EmbedderChanged(
                f"Ollama at {self.host} was updated, or {self.model} was, while it embedded. "
                "Run the same command again."
            )

    def _request_with(self, prefix: str) -> Request:
        def asked(client: Client, texts: list[str]) -> Vectors:
            sent = [prefix + text for text in texts]
            return unit_rows(client, self.model, self.description, sent, self._normalisation)

        return lambda texts, patience: self._client.ask(
            lambda client: asked(client, texts), patience
        )
