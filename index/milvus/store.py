"""The store of indexes on a Milvus server or cluster: nothing of one is kept on this machine."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

from blog_search_mcp.index.errors import IndexBroken, IndexMissing, IndexProblem, IndexUnreachable
from blog_search_mcp.index.milvus.client import Milvus
from blog_search_mcp.index.milvus.generations import (
    Record,
    StoredGeneration,
    live_number,
    numbers_before,
    read_parts,
)
from blog_search_mcp.index.milvus.schema import CollectionNames
from blog_search_mcp.index.milvus.state import (
    WriterLock,
    read_record,
    record_stamp,
    write_record,
)
from blog_search_mcp.index.store.manifest import REBUILD
from blog_search_mcp.index.store.statistics import Overview, load_overview
from blog_search_mcp.index.stores import OpenGeneration

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.embedders.cache import KeptVectors
    from blog_search_mcp.index.milvus.generation_writer import MilvusGenerationWriter
    from blog_search_mcp.index.store.manifest import Manifest
    from blog_search_mcp.index.stores import IndexAddress, Stamp
    from blog_search_mcp.index.types import EmbedderIdentity

PAUSE: Final = 2.0
"""Seconds for which a server that could not be reached is not asked which generation is live."""

T = TypeVar("T")

PORT: Final = 19530
"""Milvus's own."""


class MilvusStore:
    """One index on a Milvus server; implements IndexStore. Safe for concurrent use."""

    def __init__(self, address: IndexAddress) -> None:
        """Take the address; nothing is asked yet."""
        self.location = address
        self._names = CollectionNames(address.name)
        self._lock = threading.Lock()
        self._shared: dict[str, Mapping[str, str]] = {}
        self._opened: tuple[Record, sqlite3.Connection] | None = None
        self._writer: WriterLock | None = None
        self._failed: tuple[IndexUnreachable, float] | None = None

    @property
    def _milvus(self) -> Milvus:
        return connect(self.location.scheme, self.location.server)

    def exists(self) -> bool:
        """As IndexStore."""
        try:
            return self.current_number() > 0
        except IndexMissing:
            return False

    def stamp(self) -> Stamp | None:
        """As IndexStore, at the price of one request."""
        with suppress(IndexProblem):
            return str(self.current_number()), 0, 0
        return None

    def current_number(self) -> int:
        """As IndexStore."""
        return self._ask(live_number)

    def _ask(self, ask: Callable[[Milvus, CollectionNames], T]) -> T:
        """Ask the server, unless it was out of reach a moment ago: a request asks several times.

        Raises IndexProblem.
        """
        if self._failed is not None and time.monotonic() - self._failed[1] < PAUSE:
            raise self._failed[0]
        try:
            return ask(self._milvus, self._names)
        except IndexUnreachable as error:
            self._failed = error, time.monotonic()
            raise

    def earlier_numbers(self) -> list[int]:
        """As IndexStore."""
        return numbers_before(self._milvus, self._names, self.current_number())

    def read_manifest(self, number: int) -> Manifest:
        """As IndexStore."""
        return self._read(number).manifest

    def peek_overview(self) -> Overview | None:
        """As IndexStore."""
        with suppress(IndexProblem, ValueError, KeyError):
            posts = self._names.posts(self.current_number())
            return load_overview(read_parts(self._milvus, posts, ("overview",))["overview"])
        return None

    def open(
        self, number: int, embedder_for: Callable[[EmbedderIdentity], Embedder]
    ) -> OpenGeneration:
        """As IndexStore: its posts are read into memory, texts when they are asked for."""
        from blog_search_mcp.index.milvus.lexical import MilvusSearcher
        from blog_search_mcp.index.milvus.vectors import MilvusVectors
        from blog_search_mcp.index.search.snapshot import make_snapshot
        from blog_search_mcp.index.store.catalog import Catalog

        generation = self._read(number)
        manifest, embedder = generation.manifest, embedder_for(generation.manifest.embedder)
        if generation.vectors.dimension != manifest.embedder.dimension:
            raise IndexBroken(f"The index's vectors are not its embedder's. {REBUILD}")
        try:
            overview = load_overview(generation.parts["overview"])
        except (KeyError, ValueError) as error:
            raise IndexBroken(f"The index cannot be opened. {REBUILD}") from error
        words = MilvusSearcher(self._milvus, generation.terms)
        vectors = MilvusVectors(self._milvus, generation.vectors)
        with self._lock:
            connection = self._load(generation)
            used = (segment.key for segment in generation.record.segments)
            self._shared = {key: generation.shared[key] for key in used}
        catalog = Catalog(connection, generation.texts())
        snapshot = make_snapshot(catalog, words, vectors, embedder)
        return OpenGeneration(manifest, snapshot, overview, _do_nothing, catalog.close)

    def _load(self, generation: StoredGeneration) -> sqlite3.Connection:
        """Make the catalog in memory, from the one that was made last as far as they share rows."""
        connection = None
        if self._opened is not None:
            with suppress(sqlite3.Error, IndexBroken):  # it was closed since
                connection = generation.load(self._opened)
        connection = connection or generation.load()
        self._opened = generation.record, connection
        return connection

    def verify(self, manifest: Manifest, *, trusts_stamps: bool = False) -> None:  # noqa: ARG002
        """As IndexStore: every collection is there and has as many rows as were written."""
        generation = self._read(manifest.generation)
        for segment in generation.record.segments:
            counts = {
                self._names.posts(segment.generation): (segment.posts, "post >= 0"),
                self._names.chunks(segment.generation): (segment.chunks, ""),
                self._names.vectors(segment.generation): (segment.vectors, ""),
            }
            for name, (count, expression) in counts.items():
                if count and self._milvus.count(name, expression) != count:
                    raise IndexBroken(f"The index's collection {name} has lost rows. {REBUILD}")

    def measure(self) -> None:
        """As IndexStore: the server does not say."""

    def read_record(self) -> str | None:
        """As IndexStore."""
        with suppress(IndexProblem):
            return self._ask(read_record)
        return None

    def write_record(self, text: str) -> None:
        """As IndexStore."""
        write_record(self._milvus, self._names, text)

    def record_stamp(self) -> object | None:
        """As IndexStore."""
        with suppress(IndexProblem):
            return self._ask(record_stamp)
        return None

    @contextmanager
    def lock_writer(self) -> Iterator[None]:
        """As IndexStore."""
        with WriterLock(self._milvus, self._names) as lock, self._milvus.writing():
            self._writer = lock
            try:
                yield
            finally:
                self._writer = None

    def open_cache(self, identity: EmbedderIdentity) -> AbstractContextManager[KeptVectors]:
        """As IndexStore: on the server."""
        from blog_search_mcp.index.milvus.cache import MilvusEmbeddingCache

        return nullcontext(MilvusEmbeddingCache(self._milvus, self._names, identity))

    @contextmanager
    def begin(
        self, base: Manifest | None, embedder: EmbedderIdentity
    ) -> Iterator[MilvusGenerationWriter]:
        """As IndexStore."""
        from blog_search_mcp.index.milvus.generation_writer import begin_generation

        assert self._writer is not None
        live = self._read_live()
        built_on = self._read(base.generation) if base is not None else None
        with begin_generation(
            self._milvus, self._names, self._writer, built_on, live, embedder.dimension
        ) as generation:
            yield generation

    def _read_live(self) -> StoredGeneration | None:
        """Read the current generation; `None` if there is none, or none that can be read."""
        with suppress(IndexMissing, IndexBroken):
            live = self._read(self.current_number())
            return live if live.record else None
        return None

    def _read(self, number: int) -> StoredGeneration:
        """Read what there is of a generation besides posts."""
        parts = read_parts(self._milvus, self._names.posts(number))
        return StoredGeneration(self._milvus, self._names, number, parts, self._shared)


@cache
def store_at(address: IndexAddress) -> MilvusStore:
    """As every module of `index.stores`: one for all who name the address."""
    return MilvusStore(address)


@cache
def connect(scheme: str, server: str) -> Milvus:
    """Return the connection to a server, which all indexes there share. Raises IndexProblem."""
    host = server if server.rpartition("]")[2].count(":") else f"{server}:{PORT}"
    return Milvus(f"{'https' if scheme == 'https' else 'http'}://{host}")


def _do_nothing() -> None: ...
