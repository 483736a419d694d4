"""Embedder that gives a query a vector or an error of its embedding server within seconds.

A query must not wait for a server that is dead, hangs or loads its model. So each request runs in
the background, and the query waits for it briefly. The last 64 vectors, also late ones, are kept
for equal queries. After a failure one new query every RETRY_PAUSE is sent; the rest fail at once.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import wait
from dataclasses import replace
from typing import Final

from blog_search_mcp.index.embedders.connection import FOR_DOCUMENTS
from blog_search_mcp.index.embedders.embedder import run_in_background
from blog_search_mcp.index.embedders.remote import RemoteEmbedder
from blog_search_mcp.index.errors import BlogSearchError, EmbedderError, EmbedderMismatch
from blog_search_mcp.index.types import EmbedderIdentity, Vectors

LEAST_WAIT: Final = 0.2
"""Seconds that a query waits for a server that has not answered yet or has failed. With all other
work, a dead server costs a query at most .3 s, also on a busy machine."""
MOST_WAIT: Final = 2.0
"""Seconds that a query waits for a server whose last request succeeded."""
RETRY_PAUSE: Final = 5.0
"""Seconds after a failure until a query is sent again: soon enough for somebody who has just
started Ollama, seldom enough for everybody else."""


class ServedEmbedder(RemoteEmbedder):
    """Remote embedder whose queries wait only briefly; safe to use from several threads."""

    for_documents = replace(FOR_DOCUMENTS, pauses=(0.5, 1.0, 2.0))

    def __init__(self, recorded: EmbedderIdentity, url: str) -> None:
        """Begin to load the model in the background. Raises as RemoteEmbedder."""
        super().__init__(recorded.kind, url, recorded.model, recorded=recorded)
        self._lock = threading.Lock()
        self._recent: dict[str, Vectors] = {}
        self._failure: BlogSearchError | None = None
        self._retry_at = 0.0
        # A vector that came shows that the server works; nobody asks for the empty text.
        run_in_background(lambda: self._recent.update({"": self.embed_documents(["warm up"])}))

    def embed_query(self, text: str) -> Vectors:
        """Embed a query. Raises EmbedderError within seconds, or at once soon after a failure."""
        with self._lock:
            if text in self._recent:
                return self._recent[text]
            if self._failure and time.monotonic() < self._retry_at:
                raise self._failure.with_traceback(None)  # each raise would lengthen it
            works = bool(self._recent) and self._failure is None
            self._retry_at = time.monotonic() + RETRY_PAUSE
        embedding = run_in_background(lambda: self._embed(text))
        if wait([embedding], MOST_WAIT if works else LEAST_WAIT).done:
            return embedding.result()
        late = EmbedderError(
            f"{self.wire.place} does not answer, or is busy or still loading {self.wire.model}. "
            "Ask again in a moment; if it stays so, restart it."
        )
        self._fail(late)
        raise late

    def _embed(self, text: str) -> Vectors:
        try:
            vector = super().embed_query(text)
        except BlogSearchError as error:
            self._fail(error)
            raise
        with self._lock:
            self._failure = None
            self._recent[text] = vector
            if len(self._recent) > 64:  # more queries than one conversation has, in 200 KB
                del self._recent[next(iter(self._recent))]
        return vector

    def _fail(self, failure: BlogSearchError) -> None:
        with self._lock:
            self._failure, self._retry_at = failure, time.monotonic() + RETRY_PAUSE
            if isinstance(failure, EmbedderMismatch):
                self._recent = {}  # the last ones may be the other model's
