"""An index folder that is read while ingests replace what is in it.

CURRENT is looked at before each request (one small read); when it names another
generation, that one is verified and opened. The one before it is let go of with the
last request that still uses it. A generation that turns out broken does not replace
the open one: that goes on answering, and `notice` says so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from index.embedder.base import Embedder, EmbedderIdentity
from index.errors import IndexProblem
from index.generations import live_number, load_manifest
from index.holds import hold
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
        self._embedder: Embedder | None = None
        self.notice: str | None = None
        """Why `reader` gives an older generation than the live one, in sentences, if it does."""

    def reader(self) -> Reader:
        """The live generation, opened; if it cannot be, the one that is open.

        Raises IndexMissing, IndexBroken or IndexFormatUnknown if none is.
        """
        try:
            reader = self._newest()
        except IndexProblem as error:
            earlier = self._reader
            if earlier is None:
                raise
            self.notice = (
                f"This is from the index of {earlier.manifest.created}, "
                f"since the newest cannot be used. {error}"
            )
            return earlier
        self.notice = None
        return reader

    def close(self) -> None:
        """Let go of the open generation; a later call opens the live one."""
        with self._opening:
            self._reader = None

    def _newest(self) -> Reader:
        if (reader := self._opened(live_number(self._layout))) is not None:
            return reader
        with self._opening:
            self._reader = self._follow()
            return self._reader

    def _opened(self, number: int) -> Reader | None:
        reader = self._reader
        return reader if reader is not None and _is(reader, number) else None

    def _follow(self) -> Reader:
        """The generation that CURRENT names before and after it is opened.

        One that is no longer named afterwards may have been deleted before it was held.
        """
        while True:
            number = live_number(self._layout)
            try:
                reader = self._opened(number) or self._open(number)
            except IndexProblem:
                if live_number(self._layout) == number:
                    raise
            else:
                if live_number(self._layout) == number:
                    return reader

    def _open(self, number: int) -> Reader:
        with ExitStack() as failed:
            held = hold(self._layout, number)
            failed.callback(held.release)
            files = self._layout.generation(number)
            manifest = load_manifest(self._layout, number)
            reader = Reader(files, manifest, self._embedder_of(manifest.embedder), held)
            failed.pop_all()
            return reader

    def _embedder_of(self, identity: EmbedderIdentity) -> Embedder:
        if self._embedder is None or self._embedder.identity != identity:
            self._embedder = self._embedder_for(identity)
        return self._embedder


def _is(reader: Reader, number: int) -> bool:
    """Whether `reader` has the generation that is called `number` now."""
    return reader.manifest.generation == number and not reader.replaced
