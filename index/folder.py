"""The store of an index in a folder: NumPy and FAISS, tantivy and SQLite behind `index.stores`.

An ingest never changes a file in place, but something else may, and a mapped file that was cut
short ends the process with SIGBUS when its lost end is read (mmap(2)), which no library can catch.
So sizes and times are compared again before each request, which leaves the instant between that
and the read, and the time of a request itself, without a guard.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.errors import IndexBroken, IndexProblem
from blog_search_mcp.index.store.disk import (
    LARGEST_CURRENT,
    FileStamp,
    GenerationFiles,
    Layout,
    read_regular,
    read_stamp,
)
from blog_search_mcp.index.store.statistics import (
    Overview,
    dump_overview,
    peek_overview,
    read_overview,
)
from blog_search_mcp.index.stores import MapPosts, OpenGeneration, PostChanges, Stamp, Terms

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.embedders.cache import EmbeddingCache
    from blog_search_mcp.index.lexical.documents import RefusedPost
    from blog_search_mcp.index.search.snapshot import Snapshot
    from blog_search_mcp.index.store.catalog import Catalog, ChunkTable
    from blog_search_mcp.index.store.catalog_writer import CatalogWriter
    from blog_search_mcp.index.store.manifest import Manifest
    from blog_search_mcp.index.types import EmbedderIdentity
    from blog_search_mcp.index.vectors.base import VectorWriter

_LARGEST_RECORD = 1 << 28
"""Bytes; a file takes about 100, and a larger record would fill the memory before it is refused."""

SUPERSEDED_SHARE = 0.2
"""tantivy counts deleted chunks in its statistics until their segment is merged; beyond this
share of the index the lexical index is written whole instead of incrementally."""


class FolderStore:
    """The index in one folder; implements IndexStore."""

    def __init__(self, folder: Path) -> None:
        """Take the folder, which need not exist."""
        self.location = folder
        self.layout = Layout(folder)

    def exists(self) -> bool:
        """As IndexStore."""
        return self.layout.current.is_file()

    def stamp(self) -> Stamp | None:
        """As IndexStore, at the price of reading one line."""
        current = self.layout.current
        try:
            status = current.stat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_CURRENT:
                return None
            name = current.read_bytes()[:20].decode("ascii", "replace").strip()
        except OSError:
            return None
        return name, status.st_ino, status.st_mtime_ns

    def current_number(self) -> int:
        """As IndexStore."""
        from blog_search_mcp.index.store.generations import current_number

        return current_number(self.layout)

    def earlier_numbers(self) -> list[int]:
        """As IndexStore; raises OSError too."""
        from blog_search_mcp.index.store.generations import earlier_numbers

        return earlier_numbers(self.layout)

    def read_manifest(self, number: int) -> Manifest:
        """As IndexStore."""
        from blog_search_mcp.index.store.generations import read_manifest

        return read_manifest(self.layout, number)

    def peek_overview(self) -> Overview | None:
        """As IndexStore."""
        return peek_overview(self.layout)

    def open(
        self, number: int, embedder_for: Callable[[EmbedderIdentity], Embedder]
    ) -> OpenGeneration:
        """As IndexStore; the generation is not deleted before it is closed."""
        from blog_search_mcp.index.search.snapshot import open_snapshot
        from blog_search_mcp.index.store.generations import lock_generation
        from blog_search_mcp.index.store.manifest import REBUILD

        with ExitStack() as opened:
            unlock = lock_generation(self.layout, number)
            opened.callback(unlock)
            files, manifest = self.layout.generation(number), self.read_manifest(number)
            embedder = embedder_for(manifest.embedder)
            guard = Guard(files, manifest)
            snapshot = opened.enter_context(closing(open_snapshot(files, embedder)))
            if snapshot.vectors.dimension != manifest.embedder.dimension:
                raise IndexBroken(f"The index's vectors are not its embedder's. {REBUILD}")
            try:
                overview = read_overview(files)
            except (OSError, ValueError) as error:
                raise IndexBroken(f"The index cannot be opened. {REBUILD}") from error
            opened.pop_all()
        close = partial(_close, snapshot.catalog, unlock)
        return OpenGeneration(manifest, snapshot, overview, guard.check, close)

    def verify(self, manifest: Manifest, *, trusts_stamps: bool = False) -> None:
        """As IndexStore."""
        from blog_search_mcp.index.store.manifest import verify, verify_modified

        compare = verify_modified if trusts_stamps else verify
        compare(self.layout.generation(manifest.generation), manifest)

    def measure(self) -> int:
        """As IndexStore."""
        walked = os.walk(self.layout.root)  # passes over what an ingest deletes meanwhile
        stamps = {read_stamp(Path(folder, name)) for folder, _, names in walked for name in names}
        return sum(stamp[1] for stamp in stamps if stamp)  # a file of two generations is one

    def read_record(self) -> str | None:
        """As IndexStore."""
        try:
            return self._read_record()
        except OSError:
            return None

    def write_record(self, text: str) -> None:
        """As IndexStore."""
        path = self.layout.last_ingest
        try:
            if self._read_record() != text:
                path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise IndexProblem(
                f"The index is up to date, but its {path.name} could not be written: "
                f"{error.strerror}. Check the disk's space and the folder's permissions, then run "
                "again; until then no server can tell when posts change."
            ) from error

    def _read_record(self) -> str:
        try:
            found = read_regular(self.layout.last_ingest, _LARGEST_RECORD)
        except FileNotFoundError:
            return ""
        return found.decode("utf-8", errors="replace")

    def record_stamp(self) -> FileStamp | None:
        """As IndexStore."""
        return read_stamp(self.layout.last_ingest)

    def lock_writer(self) -> AbstractContextManager[None]:
        """As IndexStore."""
        from blog_search_mcp.index.store.generations import writer_lock

        return writer_lock(self.layout)

    def open_cache(self, identity: EmbedderIdentity) -> closing[EmbeddingCache]:
        """As IndexStore."""
        from blog_search_mcp.index.embedders.cache import open_cache

        return open_cache(self.layout.cache, identity)

    @contextmanager
    def begin(
        self, base: Manifest | None, embedder: EmbedderIdentity
    ) -> Iterator[FolderGenerationWriter]:
        """As IndexStore; raises IndexBroken if `base` is damaged."""
        from blog_search_mcp.index.store.catalog_writer import open_writer
        from blog_search_mcp.index.store.disk import translate_disk_errors
        from blog_search_mcp.index.store.generations import next_folder
        from blog_search_mcp.index.store.manifest import verify_modified
        from blog_search_mcp.index.vectors.memmap_writer import MemmapWriter

        before: GenerationFiles | None = None
        with ExitStack() as stack:
            if base is not None:
                before = self.layout.generation(base.generation)
                verify_modified(before, base)
            with translate_disk_errors():
                number = stack.enter_context(next_folder(self.layout))
                files = self.layout.generation(number)
                catalog = stack.enter_context(open_writer(files, before))
                vectors = stack.enter_context(
                    closing(
                        MemmapWriter(
                            files.vectors,
                            before.vectors if before else None,
                            embedder.dimension,
                            number,
                        )
                    )
                )
            yield FolderGenerationWriter(self.layout, number, base, catalog, vectors)


def store_at(folder: Path) -> FolderStore:
    """As every module of `index.stores`."""
    return FolderStore(folder)


@dataclass(frozen=True, slots=True)
class FolderGenerationWriter:
    """The folder of an unfinished generation; implements GenerationWriter."""

    layout: Layout
    number: int
    base: Manifest | None
    catalog: CatalogWriter
    vectors: VectorWriter

    @property
    def files(self) -> GenerationFiles:
        """Of the new generation."""
        return self.layout.generation(self.number)

    def write_lexical(
        self, changes: PostChanges, map_posts: MapPosts
    ) -> tuple[int, list[RefusedPost]]:
        """As GenerationWriter."""
        from blog_search_mcp.index.lexical import writer
        from blog_search_mcp.index.lexical.documents import RefusedPost, post_terms

        def make_terms(post_ids: Iterable[int]) -> Iterable[Terms]:
            return map_posts(partial(post_terms, self.files), sorted(post_ids), RefusedPost)

        base, folder = self.base, self.files.lexical
        superseded = (base.superseded if base else 0) + len(changes.removed_chunks)
        if base is None or superseded > SUPERSEDED_SHARE * base.chunks:
            return 0, writer.write(folder, None, (), make_terms(changes.every))
        before = self.layout.generation(base.generation).lexical
        added = make_terms(changes.added)
        return superseded, writer.write(folder, before, changes.removed, added)

    def complete(self, table: ChunkTable, removed_chunks: Sequence[int]) -> None:
        """As GenerationWriter."""
        from blog_search_mcp.index.store.catalog import write_chunk_table

        write_chunk_table(self.files.table, table)
        self.vectors.delete(removed_chunks)
        self.vectors.commit()

    def open_snapshot(self, embedder: Embedder) -> Snapshot:
        """As GenerationWriter."""
        from blog_search_mcp.index.search.snapshot import open_snapshot
        from blog_search_mcp.index.store.disk import make_disk_error

        try:
            return open_snapshot(self.files, embedder)
        except IndexBroken as error:  # just written, and not as it was meant
            raise make_disk_error(error) from error

    def publish(self, manifest: Manifest, overview: Overview) -> Manifest:
        """As GenerationWriter."""
        from blog_search_mcp.index.store.generations import checksum_files, switch

        self.files.overview.write_bytes(dump_overview(overview))
        earlier = self.base.files if self.base else {}
        files = checksum_files(self.files, earlier)
        manifest = manifest.model_copy(update={"files": files})
        switch(self.layout, manifest)
        return manifest


class Guard:
    """Verifies the files of one generation when it is opened, and notices when one changes."""

    def __init__(self, files: GenerationFiles, manifest: Manifest) -> None:
        """Verify every file that was written to since, or copied. Raises IndexBroken."""
        from blog_search_mcp.index.store.manifest import verify_file, verify_modified

        self._verify_file = partial(verify_file, files)
        self._checksums = manifest.files
        self._paths = {name: files.folder / name for name in manifest.files}
        self._stamps = self._read_stamps()
        self._damaged: dict[tuple[str, FileStamp], IndexBroken] = {}
        """By file and its stamp then, what its checksum told."""
        verify_modified(files, manifest)

    def check(self) -> None:
        """Raise IndexBroken if a file is no longer what was opened; one only touched is hashed.

        A file that is gone does not count: a generation that is no longer kept stays readable for
        those who opened it.
        """
        stamps = self._read_stamps()
        for name, stamp in stamps.items():
            if self._stamps.get(name) != stamp:
                self._verify_once(name, stamp)
        self._stamps |= stamps

    def _verify_once(self, name: str, stamp: FileStamp) -> None:
        """Verify a file, unless it was damaged when it had this stamp. Raises IndexBroken."""
        if error := self._damaged.get((name, stamp)):
            raise error.with_traceback(None)
        try:
            self._verify_file(name, self._checksums[name])
        except IndexBroken as error:
            self._damaged[name, stamp] = error
            raise

    def _read_stamps(self) -> dict[str, FileStamp]:
        stamps = ((name, read_stamp(path)) for name, path in self._paths.items())
        return {name: stamp for name, stamp in stamps if stamp}


def _close(catalog: Catalog, on_close: Callable[[], None]) -> None:
    catalog.close()
    on_close()
