"""One model behind one server, as Embedder: texts in batches, checked unit vectors back.

Servers add no role prefixes and update themselves and their models while others use them. So the
prefixes are added here, and before the first vector, before each query and after each batch server
and model are looked at; what changed is compared with what the index was built with, or for a new
index with what this run began with.

Ollama has answered batches with the vectors in another order than the texts, or with others than
it gives to the same texts alone (ollama/ollama#6187, #6262). So before the first batch the
fingerprint texts are embedded together, and where that differs all texts are sent one by one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import numpy as np

from blog_search_mcp.index.embedders.base import (
    WINDOW,
    check_weights,
    mean_direction,
    replace_surrogates,
)
from blog_search_mcp.index.embedders.client import (
    FOR_A_QUERY,
    FOR_DOCUMENTS,
    FailureKind,
    RequestFailed,
    RetryPolicy,
    ServerState,
    Wire,
)
from blog_search_mcp.index.embedders.fingerprint import (
    SAME,
    TEXTS,
    check_vectors,
    find_sameness,
    pack_vectors,
    unpack_vectors,
)
from blog_search_mcp.index.embedders.ollama.models import find_model
from blog_search_mcp.index.embedders.packaged import english_coverage
from blog_search_mcp.index.errors import EmbedderError, TextsRefused
from blog_search_mcp.index.types import EmbedderIdentity, Fingerprint, Vectors

T = TypeVar("T")

BATCH: Final = 32
"""Texts a request: Ollama embeds them one after another, so more only lose more at a failure."""

RETRY_TIMEOUT: Final = 60.0
"""Seconds for what failed once: half a batch takes half of them on a slow machine."""

HARMLESS: Final = "a short and simple text"
"""No version of Ollama has failed on words like these."""


class RemoteEmbedder:
    """One model of one server; connects at the first use."""

    for_documents: RetryPolicy = FOR_DOCUMENTS
    for_a_query: RetryPolicy = FOR_A_QUERY

    def __init__(
        self,
        wire: Wire[Any],
        model: str,
        prefixes: tuple[str, str] | None = None,
        recorded: EmbedderIdentity | None = None,
    ) -> None:
        """Take the model, and the manifest's identity unless the index is new.

        `prefixes` are (document, query), by default those of the model's card.
        """
        card = find_model(model)
        if recorded is not None:
            prefixes = (recorded.document_prefix, recorded.query_prefix)
        self.wire = wire
        self.model = model
        self.prefixes = prefixes or (card.prefixes if card else ("", ""))
        self.window_pieces = WINDOW
        is_english = card is not None and not card.is_multilingual
        self.vocabulary_coverage = english_coverage if is_english else _full_coverage
        self._identity = recorded
        self._state: ServerState | None = None
        """The last that was found to be the identity's."""
        self._dimension = 0
        self._size = 0
        """Texts a request; 0 until the server was tried."""
        self._lock = threading.Lock()

    @property
    def identity(self) -> EmbedderIdentity:
        """The index's, known even while the server is down; else its own. Raises EmbedderError.

        Its fingerprint names the newest version that was found to embed the same.
        """
        if self._identity is None:
            self._verify_once()
        assert self._identity is not None
        return self._identity

    def verify(self, policy: RetryPolicy) -> None:
        """Look at server and model, and compare what changed since the last look.

        Raises EmbedderMismatch if that is not what the index was built with, and EmbedderError.
        """
        state = self._translated(lambda: self.wire.describe(self.model, policy))
        if self._state is None or not state.is_same(self._state):
            self._state, self._dimension = None, state.dimension
            self._identity = self._compare(state)
            self._state = state

    def server_version(self) -> str | None:
        """Ask for the version of the server, empty if it has none; `None` if it does not answer."""
        try:
            state = self._translated(lambda: self.wire.describe(self.model, self.for_a_query))
        except EmbedderError:
            return None
        return state.version

    def warnings(self) -> tuple[str, ...]:
        """Return sentences on what is wrong with the server; nothing before the first vector."""
        if self._state is None:
            return ()
        warnings = self.wire.warnings(self.model, self._state)
        if self._size != 1:
            return warnings
        name = " ".join(filter(None, (self.wire.name, self._state.version)))
        mixed = f"{name} mixes up the vectors of a batch, so texts go to it one by one. Update it."
        return (*warnings, mixed)

    def load_model(self) -> None:
        """Have the model verified and loaded into memory. Raises as `verify`."""
        self.verify(self.wire.for_a_check)
        self._translated(lambda: self.wire.load(self.model, self.for_documents))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder; zeros for a blank text.

        Raises TextsRefused for texts that the server fails on while it embeds others, and as
        `verify`.
        """
        return self._embed_documents(self.prefixes[0], texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As embed_documents."""
        return self._embed_documents(self.prefixes[1], texts)

    def embed_query(self, text: str, *, verify: bool = True) -> Vectors:
        """As Embedder; gives up sooner than for documents. Raises EmbedderMismatch too.

        Without `verify` server and model count as what they were at the last look, if any.
        """
        if verify:
            self.verify(self.for_a_query)
        state = self._verify_once()
        if not text.strip():
            return np.zeros(state.dimension, dtype=np.float32)
        sent = replace_surrogates(text)
        return self._translated(lambda: self._embed_one(self.prefixes[1], sent, self.for_a_query))

    def _verify_once(self) -> ServerState:
        state = self._state
        while state is None:
            self.verify(self.for_a_query)
            state = self._state
        return state

    def _compare(self, state: ServerState) -> EmbedderIdentity:
        """Return the identity, made of this state or found to be the state's too."""
        known = self._identity
        if known is None:
            parts = (self.wire.kind, self.model, state.digest, state.dimension, *self.prefixes)
            own = Fingerprint(state.version, pack_vectors(self._embed_fingerprint()))
            return EmbedderIdentity(*parts, fingerprint=own)
        check_weights(known, state.digest, state.dimension)
        before = known.fingerprint
        if before is None or (state.version and before.version == state.version):
            return known
        check_vectors(known, before, state.version, self._embed_fingerprint())
        return replace(known, fingerprint=replace(before, version=state.version))

    def _embed_fingerprint(self) -> Vectors:
        """Embed the fingerprint texts as documents, one by one. Raises EmbedderError."""
        prefix, policy = self.prefixes[0], self.for_documents

        def embed() -> Vectors:
            rows = np.stack([self._embed_one(prefix, text, policy) for text in TEXTS])
            if fault := find_sameness(rows):
                raise RequestFailed(FailureKind.NO_VECTOR, fault)
            return rows

        return self._translated(embed)

    def _embed_documents(self, prefix: str, texts: Sequence[str]) -> Vectors:
        """Embed, and look whether server and model still are what they were before."""
        self._verify_once()
        rows, reasons = self._translated(lambda: self._embed_all(prefix, texts))
        self.verify(self.for_documents)
        if reasons:
            raise TextsRefused(rows, reasons)
        return rows

    def _embed_all(self, prefix: str, texts: Sequence[str]) -> tuple[Vectors, dict[int, str]]:
        """Return rows of shape (len(texts), dimension), and by place why one has no vector.

        Blank texts stay zeros and are not sent, since they stall some versions. Raises
        RequestFailed.
        """
        rows = np.zeros((len(texts), self._verify_once().dimension), dtype=np.float32)
        reasons: dict[int, str] = {}
        waiting = [place for place, text in enumerate(texts) if text.strip()]
        size = self._choose_size() if len(waiting) > len(TEXTS) else 1
        for start in range(0, len(waiting), size):
            batch = waiting[start : start + size]
            sent = [replace_surrogates(texts[place]) for place in batch]
            answers = self._embed_batch(prefix, sent, self.for_documents)
            for place, row in zip(batch, answers, strict=True):
                if isinstance(row, RequestFailed):
                    reasons[place] = self.wire.describe_text(row)
                else:
                    rows[place] = row
        return rows, reasons

    def _choose_size(self) -> int:
        """Return BATCH, or 1 for a server that embeds texts otherwise together than alone.

        Raises RequestFailed.
        """
        with self._lock:
            alone = self.identity.fingerprint
            if not self._size and alone:
                together = self._embed_batch(self.prefixes[0], list(TEXTS), self.for_documents)
                rows = unpack_vectors(alone.vectors, self._dimension)
                is_same = all(
                    not isinstance(row, RequestFailed) and float(row @ own) >= SAME
                    for row, own in zip(together, rows, strict=True)
                )
                self._size = BATCH if is_same else 1
            return self._size or 1

    def _embed_batch(
        self, prefix: str, texts: list[str], policy: RetryPolicy
    ) -> list[Vectors | RequestFailed]:
        """Return a row of shape (dimension,) or a failure for each text, bisecting a failed batch.

        Raises RequestFailed if it is the server that fails and not a text.
        """
        try:
            if len(texts) == 1:
                return [self._embed_one(prefix, texts[0], policy)]
            return list(self._send(prefix, texts, policy))
        except RequestFailed as failure:
            policy = replace(policy, timeout=min(policy.timeout, RETRY_TIMEOUT))
            if len(texts) == 1 or failure.kind is not FailureKind.TOO_LONG:
                self._check_server(failure, policy)
            if len(texts) == 1:
                return [failure]
        middle = len(texts) // 2
        halves = (texts[:middle], texts[middle:])
        return [row for half in halves for row in self._embed_batch(prefix, half, policy)]

    def _check_server(self, failure: RequestFailed, policy: RetryPolicy) -> None:
        """Raise unless the failure may be the texts' own: the server embeds what is harmless."""
        if failure.kind not in (FailureKind.CRASHED, FailureKind.NO_VECTOR, FailureKind.SLOW):
            raise failure
        try:
            self._send(self.prefixes[0], [HARMLESS], policy)
        except RequestFailed as again:
            raise (failure if again.kind is failure.kind else again) from again

    def _embed_one(self, prefix: str, text: str, policy: RetryPolicy) -> Vectors:
        """Return a row of shape (dimension,), for a text too long the mean of its halves.

        Raises RequestFailed.
        """
        try:
            row: Vectors = self._send(prefix, [text], policy)[0]
            return row
        except RequestFailed as failure:
            if failure.kind is not FailureKind.TOO_LONG or len(text.strip()) < 2:
                raise
        rows = [self._embed_one(prefix, half, policy) for half in split_in_half(text)]
        return mean_direction(rows, len(rows[0]))

    def _send(self, prefix: str, texts: list[str], policy: RetryPolicy) -> Vectors:
        """Embed texts, each after `prefix`, by one request. Raises RequestFailed."""
        sent = [prefix + text for text in texts]
        return self.wire.embed(self.model, sent, self._dimension, policy)

    def _translated(self, work: Callable[[], T]) -> T:
        """Do the work. Raises EmbedderError instead of RequestFailed."""
        try:
            return work()
        except RequestFailed as failure:
            raise self.wire.make_error(failure, self.model) from failure


def _full_coverage(texts: Sequence[str]) -> list[float]:
    """As `Embedder.vocabulary_coverage`, for a vocabulary of which nothing is known."""
    return [1.0] * len(texts)


def split_in_half(text: str) -> tuple[str, str]:
    """Cut a text of two or more characters at the white space nearest to its middle.

    White space in the first or last quarter does not count, so that each cut gets
    somewhere; where there is none, the cut goes through the middle.
    """
    text = text.strip()
    middle, quarter = len(text) // 2, len(text) // 4
    spaces = (i for i in range(quarter, len(text) - quarter) if text[i].isspace())
    cut = min(spaces, key=lambda i: abs(i - middle), default=middle)
    return text[:cut], text[cut:]
