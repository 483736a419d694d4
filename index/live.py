"""An index folder that is read while ingests replace what is in it.

CURRENT is looked at before each request (one small read); when it names another
generation, that one is verified and opened, and the one before it stays open
until the next switch, for requests that still hold it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from index.embedder.base import Embedder, EmbedderIdentity
from index.generations import live_number, load_manifest
from index.layout import Layout
from index.reader import Reader


class LiveIndex:
    """Follows one index folder; safe for concurrent use."""

    def __init__(self, folder: Path, embedder_for: Callable[[EmbedderIdentity], Embedder]) -> None:
        """`embedder_for` gives the embedder an index was built with."""
        self._layout = Layout(folder)
        self._embedder_for = embedder_for
        self._opening = threading.Lock()
        self._reader: Reader | None = None
        self._earlier: Reader | None = None
        self._embedder: Embedder | None = None

    def reader(self) -> Reader:
        """The live generation, opened. Raises IndexMissing, IndexBroken or IndexFormatUnknown."""
        number = live_number(self._layout)
        reader = self._reader
        if reader is not None and _is(reader, number):
            return reader
        with self._opening:
            if self._reader is None or not _is(self._reader, number):
                opened = self._open(number)
                self._close(self._earlier)
                self._earlier, self._reader = self._reader, opened
            return self._reader

    def close(self) -> None:
        """Let go of every file; a later call opens them again."""
        with self._opening:
            for reader in (self._earlier, self._reader):
                self._close(reader)
            self._earlier = self._reader = None

    @staticmethod
    def _close(reader: Reader | None) -> None:
        if reader is not None:
            reader.close()

    def _open(self, number: int) -> Reader:
        files = self._layout.generation(number)
        manifest = load_manifest(self._layout, number)
        return Reader(files, manifest, self._embedder_of(manifest.embedder))

    def _embedder_of(self, identity: EmbedderIdentity) -> Embedder:
        if self._embedder is None or self._embedder.identity != identity:
            self._embedder = self._embedder_for(identity)
        return self._embedder


def _is(reader: Reader, number: int) -> bool:
    """Whether `reader` has the generation that is called `number` now."""
    return reader.manifest.generation == number and not reader.replaced
