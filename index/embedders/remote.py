"""Embed with one model of one server, in batches; each vector is checked and has unit length.

Servers add no role prefixes, so these are added here. Servers also update themselves and their
models while they run. So version and digest are requested before the first vector, during each
query and after each call for documents. Another digest is refused. Under another version the
fingerprint texts must have the index's vectors. If a server reports neither, the vector of the
first fingerprint text is compared each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import wait
from dataclasses import replace
from typing import Final

import numpy as np

from blog_search_mcp.index.embedders.connection import (
    FOR_A_QUERY,
    FOR_DOCUMENTS,
    FailureKind,
    RequestFailed,
    RetryPolicy,
    Wire,
)
from blog_search_mcp.index.embedders.embedder import (
    mean_direction,
    rebuild_command,
    run_in_background,
)
from blog_search_mcp.index.embedders.fingerprint import TEXTS, embeds_same, pack_vectors
from blog_search_mcp.index.embedders.known_models import PREFIXES, find_card, is_english
from blog_search_mcp.index.embedders.ollama import OllamaWire
from blog_search_mcp.index.embedders.openai import OpenAIWire
from blog_search_mcp.index.embedders.packaged import english_coverage
from blog_search_mcp.index.errors import EmbedderMismatch, TextsRefused
from blog_search_mcp.index.text.display import replace_surrogates
from blog_search_mcp.index.types import EmbedderIdentity, Fingerprint, Vectors

MAX_BATCH: Final = 32
"""Maximum texts per request; a failed request loses the work on all its texts."""
HARMLESS_TEXT: Final = "a short and simple text"
"""Text sent after a failure. All known Ollamas embed it, so if it fails the server is at fault."""


def cover_all(texts: Sequence[str]) -> list[float]:
    """Return full coverage of each text, for a model whose vocabulary is not known."""
    return [1.0] * len(texts)


class RemoteEmbedder:
    """Embedder with one model of one server; it connects at the first use."""

    for_documents: RetryPolicy = FOR_DOCUMENTS

    def __init__(
        self, kind: str, url: str, model: str, recorded: EmbedderIdentity | None = None
    ) -> None:
        """Take the role prefixes of `recorded`, else those of the model's card.

        `recorded` is the manifest's identity; `None` for a new index. Raises UsageError for an
        invalid address of Ollama.
        """
        self.wire: Wire = (OllamaWire if kind == "ollama" else OpenAIWire)(url, model)
        self.prefixes = PREFIXES.get(find_card(model) or "", ("", ""))
        if recorded is not None:
            self.prefixes = recorded.document_prefix, recorded.query_prefix
        self.vocabulary_coverage = english_coverage if is_english(model) else cover_all
        """A function and no method: it is pickled for worker processes, unlike open connections."""
        self._identity = recorded
        self._state: tuple[str, str] | None = None
        """Last version and digest that passed `verify`."""
        self._dimension: int | None = None
        """Width that each reply must have; `None` until the next reply sets it."""
        self._max_batch = MAX_BATCH
        """Maximum texts per request; halved when a batch fails and both of its halves succeed."""
        self._batches_match: bool | None = None
        """Whether a batch gives the vectors of single texts; `None` until tried."""
        self._failures = 0

    @property
    def identity(self) -> EmbedderIdentity:
        """Recorded identity; if there is none, the server's, by `verify`. Raises EmbedderError."""
        return self._identity or self.verify(FOR_A_QUERY)

    def verify(self, policy: RetryPolicy) -> EmbedderIdentity:
        """Request version and digest; check the identity if one changed or both are missing.

        Raises EmbedderMismatch if other weights made the index's vectors, and EmbedderError.
        """
        state = self.wire.describe(policy)
        accepted = self._identity if state == self._state else None
        if accepted is None:
            self._state = self._dimension = None  # so any width is accepted until the comparison
        if accepted is None or not any(state):
            accepted = self._compare(*state, TEXTS[:1] if accepted else TEXTS)
            self._identity, self._state, self._dimension = accepted, state, accepted.dimension
        return accepted

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed in batches, or up to len(TEXTS) texts one by one; then verify the server.

        A blank text, which stalls some servers, gets zeros. Raises TextsRefused, and as `verify`.
        """
        if self._state is None:
            self.verify(FOR_A_QUERY)
        rows = np.zeros((len(texts), self.identity.dimension), dtype=np.float32)
        reasons: dict[int, str] = {}
        filled = [place for place, text in enumerate(texts) if text.strip()]
        size = MAX_BATCH if len(filled) > len(TEXTS) and self._check_batches() else 1
        for start in range(0, len(filled), size):
            batch = filled[start : start + size]
            sent = [replace_surrogates(texts[place]) for place in batch]
            answers = self._embed_batch(sent, self.for_documents)
            for place, row in zip(batch, answers, strict=True):
                if isinstance(row, RequestFailed):
                    reasons[place] = f"{self.wire.name} failed on it: {row.detail}"
                else:
                    rows[place] = row
        self.verify(self.for_documents)
        if reasons:
            raise TextsRefused(rows, reasons)
        return rows

    def embed_query(self, text: str) -> Vectors:
        """Embed a query with FOR_A_QUERY; a blank one gets zeros. Raises as `verify`.

        A server that was verified before is verified again while it embeds the query.
        """
        look = run_in_background(lambda: self.verify(FOR_A_QUERY))
        if self._state is None or not text.strip():
            look.result()
        if not text.strip():
            return np.zeros(self.identity.dimension, dtype=np.float32)
        try:
            return self._embed_one(self.prefixes[1], replace_surrogates(text), FOR_A_QUERY)
        except RequestFailed:
            wait([look])
            self._state = None  # the server may come back with another model
            raise
        finally:
            look.result()  # an error of the server matters more than one of the text

    def _compare(self, version: str, digest: str, texts: Sequence[str]) -> EmbedderIdentity:
        """Return the recorded identity if it still holds, or a new one if none is recorded.

        It holds if its digest is equal, and its version or the vectors of `texts` are equal too.
        Raises EmbedderMismatch if it does not hold, and RequestFailed.
        """
        recorded = self._identity
        if recorded is None:
            rows = self._embed_fingerprint(texts, 1)
            parts = (self.wire.kind, self.wire.model, digest, rows.shape[1], *self.prefixes)
            return EmbedderIdentity(*parts, Fingerprint(version, pack_vectors(rows)))
        before = recorded.fingerprint
        difference = f"digest {recorded.digest[:12]}, now {digest[:12]}"
        if digest == recorded.digest:
            if before is None or (version and before.version == version):
                return recorded
            if embeds_same(before.vectors, pack_vectors(self._embed_fingerprint(texts, 1))):
                return replace(recorded, fingerprint=replace(before, version=version))
            versions = f"version {before.version or 'unknown'}, now {version}, with "
            difference = f"{versions if version else ''}other vectors of known texts"
        rebuild = rebuild_command(recorded.kind, recorded.model)
        raise EmbedderMismatch(
            f"The index was built with other weights of {recorded.title} ({difference}).",
            ("Go back to them, or build it anew: ", rebuild, "."),
        )

    def _embed_fingerprint(self, texts: Sequence[str], size: int) -> Vectors:
        """Embed `size` texts per request; refused ones get zeros, but the first must succeed."""
        batches = [list(texts[start : start + size]) for start in range(0, len(texts), size)]
        policy, rows = self.for_documents, list[Vectors]()
        for row in [r for b in batches for r in self._embed_batch(b, policy)]:
            if not isinstance(row, RequestFailed):
                rows.append(row)
            elif row.kind is FailureKind.REFUSED and rows:
                rows.append(np.zeros_like(rows[0]))
            else:
                raise row
        vectors = [row.tobytes() for row in rows if row.any()]
        if len({*vectors}) < len(vectors):
            raise RequestFailed(FailureKind.FAILED, self.wire, "one vector for different texts")
        return np.stack(rows)

    def _check_batches(self) -> bool:
        """Whether batches give the vectors of single texts; not all do (ollama/ollama#6262)."""
        alone = self.identity.fingerprint
        if self._batches_match is None and alone:
            together = pack_vectors(self._embed_fingerprint(TEXTS, len(TEXTS)))
            self._batches_match = embeds_same(alone.vectors, together)
        return bool(self._batches_match)

    def _embed_batch(self, texts: list[str], policy: RetryPolicy) -> list[Vectors | RequestFailed]:
        """Return a row of shape (dimension,) or a failure for each text, halving a failed batch.

        A batch may fail only because of its size. Raises RequestFailed if the server is down or
        busy, or fails on HARMLESS_TEXT too.
        """
        is_whole = len(texts) <= self._max_batch
        if is_whole:
            try:
                if len(texts) == 1:
                    return [self._embed_one(self.prefixes[0], texts[0], policy)]
                return list(self._send(self.prefixes[0], texts, policy))
            except RequestFailed as failure:
                if failure.kind in (FailureKind.DOWN, FailureKind.BUSY):
                    raise
                self._failures += 1
                # Enough: on a slow machine half a batch takes about 30 s.
                policy = replace(policy, timeout=min(policy.timeout, 60.0))
                if len(texts) == 1 or failure.kind in (FailureKind.FAILED, FailureKind.SLOW):
                    self._send(self.prefixes[0], [HARMLESS_TEXT], policy)
                if len(texts) == 1:
                    return [failure]
        middle, failures = len(texts) // 2, self._failures
        halves = (texts[:middle], texts[middle:])
        rows = [row for half in halves for row in self._embed_batch(half, policy)]
        if is_whole and self._failures == failures:
            self._max_batch = min(self._max_batch, len(texts) - middle)
        return rows

    def _embed_one(self, prefix: str, text: str, policy: RetryPolicy) -> Vectors:
        """Return a row; a too long text gets its halves' mean direction. Raises RequestFailed."""
        try:
            return self._send(prefix, [text], policy).ravel()
        except RequestFailed as failure:
            self._failures += 1
            if failure.kind is not FailureKind.TOO_LONG or len(text.strip()) < 2:
                raise
        text, middle = text.strip(), len(text.strip()) // 2
        halves = (text[:middle], text[middle:])
        rows = [self._embed_one(prefix, half, policy) for half in halves if half.strip()]
        return mean_direction(rows, len(rows[0]))

    def _send(self, prefix: str, texts: list[str], policy: RetryPolicy) -> Vectors:
        rows = self.wire.embed([prefix + text for text in texts], self._dimension, policy)
        self._dimension = rows.shape[1]
        return rows
