"""Where an index can lie, and what a store of indexes must do; the rest knows a location alone.

A location is a folder or an address. To add a store, implement the protocols in a module that has a
function `store_at(location)`, and name it in `_MODULES`; it is imported when a location asks for
it, so that a folder costs nothing of the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.embedders.cache import KeptVectors
    from blog_search_mcp.index.lexical.documents import PostTerms, RefusedPost
    from blog_search_mcp.index.search.snapshot import Snapshot
    from blog_search_mcp.index.store.catalog import ChunkTable
    from blog_search_mcp.index.store.catalog_writer import CatalogWriter
    from blog_search_mcp.index.store.manifest import Manifest
    from blog_search_mcp.index.store.statistics import Overview
    from blog_search_mcp.index.types import EmbedderIdentity
    from blog_search_mcp.index.vectors.base import VectorWriter


@dataclass(frozen=True, slots=True)
class IndexAddress:
    """An index that is no folder of this machine."""

    scheme: str
    """In lower case: a key of `_MODULES`."""
    server: str
    """Host, and port if it is named; never a password."""
    name: str
    """The index's name there."""

    @property
    def parts(self) -> tuple[str, str, str]:
        """As a path's, the name last."""
        return f"{self.scheme}://", self.server, self.name

    def __str__(self) -> str:
        """Write it as `--index` takes it."""
        return f"{self.scheme}://{self.server}/{self.name}"


Location: TypeAlias = Path | IndexAddress
"""Of an index: a folder or an address."""

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+)://(.*)", re.IGNORECASE | re.DOTALL)
"""A single letter is a drive of Windows."""

_SERVER = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[\w.-]+)(:\d{1,5})?")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
"""What a database takes as a name, with room for what is put behind it."""


def parse_index_address(text: str) -> IndexAddress | None:
    """Parse the address of an index; `None` for a path. Raises ValueError with what is wrong."""
    found = _ADDRESS.fullmatch(text)
    if found is None:
        return None
    scheme, rest = found[1].lower(), found[2]
    if scheme not in _MODULES:
        # The rest of an address may hold a password.
        raise ValueError(
            f"an index is a folder, or lies on a Milvus server at milvus://HOST:PORT/NAME; "
            f"{found[1]}:// is neither"
        )
    server, _, name = rest.rstrip("/").partition("/")
    if "@" in server:
        raise ValueError("an address holds no password; give the token in MILVUS_TOKEN")
    if not _SERVER.fullmatch(server):
        raise ValueError(f"{scheme}://HOST:PORT/NAME needs a host before the index's name")
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{name!r:.60} is no name of an index: up to 100 letters of the Latin alphabet, digits "
            f"and _, such as {scheme}://{server}/my_blog"
        )
    return IndexAddress(scheme, server, name)


_MODULES: Final[dict[str, str]] = {
    "": "blog_search_mcp.index.folder",
    "milvus": "blog_search_mcp.index.milvus.store",
    "http": "blog_search_mcp.index.milvus.store",
    "https": "blog_search_mcp.index.milvus.store",
}
"""By the scheme of an address, empty for a folder, the module of the store."""

Stamp: TypeAlias = tuple[str, int, int]
"""Another value for every switch of generations, beginning with the digits of the live one."""

Terms: TypeAlias = "PostTerms | RefusedPost"
MapPosts: TypeAlias = Callable[
    [Callable[[int], Terms], Sequence[int], Callable[[int, str], Terms]], Iterable[Terms]
]
"""Applies a function to post ids, as `WorkerPool.map` does."""


class IndexStore(Protocol):
    """One index at its location, which need not exist; each call looks anew.

    What fails raises IndexMissing, IndexBroken, IndexFormatUnknown or another IndexProblem, unless
    the method says that it returns `None`.
    """

    @property
    def location(self) -> Location:
        """Where the index is."""

    def exists(self) -> bool:
        """Whether a generation was published here. Raises IndexProblem if nobody can tell."""

    def stamp(self) -> Stamp | None:
        """Identify the live generation, at the least price; `None` if there is none to be read."""

    def current_number(self) -> int:
        """Return the live generation's number."""

    def earlier_numbers(self) -> Iterable[int]:
        """Return the generations before the live one that may still be whole, the newest first."""

    def read_manifest(self, number: int) -> Manifest:
        """Read a generation's manifest."""

    def peek_overview(self) -> Overview | None:
        """Read the live generation's overview unverified, `None` if that cannot be done."""

    def open(
        self, number: int, embedder_for: Callable[[EmbedderIdentity], Embedder]
    ) -> OpenGeneration:
        """Verify a generation, as far as each opening must, and open it for searches."""

    def verify(self, manifest: Manifest, *, trusts_stamps: bool = False) -> None:
        """Compare a generation with what was written, but for files that nobody wrote to since.

        Those too without `trusts_stamps`. Raises IndexBroken.
        """

    def measure(self) -> int | None:
        """Return the bytes of everything that is kept of the index, `None` if nobody knows."""

    def read_record(self) -> str | None:
        """Read what `write_record` wrote last, `None` if that cannot be done."""

    def write_record(self, text: str) -> None:
        """Keep what the last ingest saw (`index.posts.last_ingest`), unless it is kept."""

    def record_stamp(self) -> object | None:
        """Return another value whenever the record was written, `None` if there is none."""

    def lock_writer(self) -> AbstractContextManager[None]:
        """Be the only writer. Raises IndexBusy at once if another ingest is."""

    def open_cache(self, identity: EmbedderIdentity) -> AbstractContextManager[KeptVectors]:
        """Open the cache of an embedder's vectors."""

    def begin(
        self, base: Manifest | None, embedder: EmbedderIdentity
    ) -> AbstractContextManager[GenerationWriter]:
        """Begin a generation on top of `base`, the live one; `None` makes the index anew.

        The caller holds the writer lock. Without `GenerationWriter.publish` nothing is left after
        the block.
        """


@dataclass(frozen=True, slots=True)
class OpenGeneration:
    """A generation opened for searches."""

    manifest: Manifest
    snapshot: Snapshot
    overview: Overview
    check: Callable[[], None]
    """Raises IndexBroken if it is no longer what was opened; called before each request."""
    close: Callable[[], None]
    """Ends it; refers to neither this nor the snapshot, and a second call does nothing."""


@dataclass(frozen=True, slots=True)
class PostChanges:
    """The posts of a generation, by id, and what differs from its base."""

    every: Sequence[int]
    added: Sequence[int]
    removed: Sequence[int]
    removed_chunks: Sequence[int]


class GenerationWriter(Protocol):
    """An unfinished generation: what `IndexWriter` writes into.

    Posts go into the catalog and vectors into theirs; then each method is called, once and in this
    order. OSError and what SQLite raises of the disk may pass.
    """

    @property
    def number(self) -> int:
        """Of the generation."""

    @property
    def catalog(self) -> CatalogWriter:
        """What the base holds, and the changes."""

    @property
    def vectors(self) -> VectorWriter:
        """The base's, and those that are added; `complete` deletes and commits."""

    def write_lexical(
        self, changes: PostChanges, map_posts: MapPosts
    ) -> tuple[int, list[RefusedPost]]:
        """Write the terms of posts, made by what `map_posts` applies, maybe in other processes.

        Returns how many chunks are superseded, for the manifest, and the posts that are not in it.
        """

    def complete(self, table: ChunkTable, removed_chunks: Sequence[int]) -> None:
        """Complete texts and vectors."""

    def open_snapshot(self, embedder: Embedder) -> Snapshot:
        """Open the completed generation for the searches of its calibration."""

    def publish(self, manifest: Manifest, overview: Overview) -> Manifest:
        """Make the generation the live one; return its manifest with the files filled in."""


def open_store(location: Location) -> IndexStore:
    """Return the store of an index; nothing is read yet."""
    scheme = location.scheme if isinstance(location, IndexAddress) else ""
    return cast(IndexStore, import_module(_MODULES[scheme]).store_at(location))
