"""What the server needs of an index: protocols, so that whatever can search and read will do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from index.listing import Listing
    from index.overview import Overview
    from index.types import Answer, Filters, Outline, Passage
    from server.folder import IndexFolder


class Searcher(Protocol):
    """What the tools ask of an index. Safe to call from several threads."""

    def search(self, query: str, filters: Filters, *, limit: int, offset: int) -> Answer:
        """Return the page of hits from `offset` on. Raises BlogSearchError."""
        ...

    def read(self, source: str, chunk_index: int, neighbors: int) -> Passage:
        """Return one chunk with its neighbours. Raises BlogSearchError."""
        ...

    def outline(self, source: str) -> Outline:
        """Return a post's headings and chunks. Raises BlogSearchError."""
        ...

    def listing(self) -> Listing:
        """Return the lists of the newest generation. Raises IndexProblem."""
        ...

    @property
    def overview(self) -> Overview:
        """What the index holds, in numbers. Raises BlogSearchError."""
        ...


class Served(Searcher, Protocol):
    """What a server stands on: an index that may still have to be opened."""

    @property
    def folder(self) -> IndexFolder:
        """What can be known of the index without opening it."""
        ...


class Live(Protocol):
    """An index that is followed: each call gives the newest generation's searcher."""

    @property
    def notice(self) -> str | None:
        """Why it is not the newest generation's, if it is not."""
        ...

    def reader(self) -> Searcher:
        """Return it; cheap when nothing changed. Raises IndexProblem."""
        ...


class Behind(Protocol):
    """What knows whether the index is behind its posts. Safe to call from several threads."""

    def look(self) -> None:
        """Begin to look, if it is time to. Returns at once."""
        ...

    def notice(self) -> str | None:
        """Say what the reader must know of it, `None` if nothing."""
        ...
