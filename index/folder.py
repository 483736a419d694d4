"""The store of an index in a folder: NumPy and FAISS, tantivy and SQLite.

An ingest never changes a file in place, but something else may, and a mapped file that was cut
short ends the process with SIGBUS when its lost end is read (mmap(2)), which no library can catch.
So sizes and times are compared again before each request, which leaves the instant between that
and the read, and the time of a request itself, without a guard.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.commands import TO_INGEST
from blog_search_mcp.index.errors import IndexBroken, IndexMissing, IndexProblem
from blog_search_mcp.index.store.disk import (
    GENERATION_NAME,
    LARGEST_CURRENT,
    FileStamp,
    GenerationFiles,
    Layout,
    Stamp,
    read_regular,
    read_stamp,
    refuse_place,
    translate_disk_errors,
)
from blog_search_mcp.index.store.manifest import REBUILD, Manifest, loads, verify, verify_file
from blog_search_mcp.index.store.statistics import Overview, read_overview

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.embedders.cache import EmbeddingCache
    from blog_search_mcp.index.lexical.documents import PostTerms
    from blog_search_mcp.index.search.snapshot import Snapshot
    from blog_search_mcp.index.store.catalog import Catalog
    from blog_search_mcp.index.store.catalog_writer import CatalogWriter
    from blog_search_mcp.index.types import EmbedderIdentity
    from blog_search_mcp.index.vectors.writer import VectorWriter

_LARGEST_MANIFEST = 1 << 28
"""Bytes; a post takes about 200, and a larger file would fill the memory before it is refused."""

_LARGEST_RECORD = 1 << 28
"""Bytes; a file takes about 100."""


@dataclass(frozen=True, slots=True)
class OpenGeneration:
    """A generation opened for searches."""

    manifest: Manifest
    snapshot: Snapshot
    overview: Overview
    check: Callable[[], None]
    """Raises IndexBroken if it is no longer what was opened; called before each request."""

    def close(self) -> None:
        """Close its files; a second call does nothing."""
        self.snapshot.close()


@dataclass(frozen=True, slots=True)
class NextGeneration:
    """An unfinished generation."""

    number: int
    files: GenerationFiles
    base: Manifest | None
    before: GenerationFiles | None
    """Of `base`."""
    catalog: CatalogWriter
    vectors: VectorWriter


class FolderStore:
    """One index at its location, which need not exist; each call looks anew.

    What fails raises IndexMissing, IndexBroken, IndexFormatUnknown or another IndexProblem, unless
    the method says that it returns `None`. A store elsewhere is a folder with its files too, and
    answers some methods in its own way.
    """

    location: object
    """Where it is, as `--index` takes it."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; nothing is read yet."""
        self.location = folder
        self.layout = Layout(folder)

    def stamp(self) -> Stamp | None:
        """Identify the live generation by reading one line; `None` if there is none to be read."""
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
        """Return the live generation's number."""
        try:
            name = read_regular(self.layout.current, LARGEST_CURRENT).decode("ascii").strip()
        except FileNotFoundError as error:
            raise IndexMissing(
                f"There is no index in {self.layout.root.name}/ yet. Make one: `{TO_INGEST}`."
            ) from error
        except (OSError, UnicodeDecodeError) as error:
            refuse_place(self.layout, error)
            raise IndexBroken(f"The index's CURRENT cannot be read. {REBUILD}") from error
        if not GENERATION_NAME.fullmatch(name):
            raise IndexBroken(f"The index's CURRENT names no generation. {REBUILD}")
        return int(name)

    def _find_current(self) -> int | None:
        with suppress(IndexProblem):
            return self.current_number()
        return None

    def earlier_numbers(self) -> list[int]:
        """Return the generations before the live one, the newest first. Raises OSError too."""
        current = self.current_number()
        return [number for number in reversed(self.layout.numbers()) if number < current]

    def read_manifest(self, number: int) -> Manifest:
        """Read a generation's manifest."""
        path = self.layout.generation(number).manifest
        try:
            manifest = loads(read_regular(path, _LARGEST_MANIFEST).decode("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            refuse_place(self.layout, error)
            raise IndexBroken(f"The index's {path.name} cannot be read. {REBUILD}") from error
        if manifest.generation != number:
            raise IndexBroken(f"The index's {path.name} belongs to another generation. {REBUILD}")
        return manifest

    def peek_overview(self) -> Overview | None:
        """Read the live generation's overview, `None` if that cannot be done.

        Its checksum is not compared: the first reply must not wait for that, and whoever opens the
        generation verifies it.
        """
        with suppress(IndexProblem, OSError, ValueError):
            return read_overview(self.layout.generation(self.current_number()))
        return None

    def open(
        self, number: int, embedder_for: Callable[[EmbedderIdentity], Embedder]
    ) -> OpenGeneration:
        """Verify a generation and open it."""
        files, manifest = self.layout.generation(number), self.read_manifest(number)
        embedder = embedder_for(manifest.embedder)
        guard = Guard(files, manifest)
        with ExitStack() as opened:
            snapshot = opened.enter_context(closing(self.open_snapshot(files, embedder)))
            if snapshot.vectors.dimension != manifest.embedder.dimension:
                raise IndexBroken(f"The index's vectors are not its embedder's. {REBUILD}")
            try:
                overview = read_overview(files)
            except (OSError, ValueError) as error:
                raise IndexBroken(f"The index cannot be opened. {REBUILD}") from error
            opened.pop_all()
        return OpenGeneration(manifest, snapshot, overview, guard.check)

    def open_snapshot(self, files: GenerationFiles, embedder: Embedder) -> Snapshot:
        """Open files that are complete and were verified."""
        from blog_search_mcp.index.search.snapshot import open_snapshot

        return open_snapshot(files, embedder)

    def verify(self, manifest: Manifest, *, trusts_stamps: bool = False) -> None:
        """Compare a generation with what was written, but for files that nobody wrote to since.

        Those too without `trusts_stamps`. Raises IndexBroken.
        """
        files = self.layout.generation(manifest.generation)
        verify(files, manifest, trusts_stamps=trusts_stamps)

    def measure(self) -> int | None:
        """Return the bytes of everything that is kept of the index, `None` if nobody knows."""
        walked = os.walk(self.layout.root)  # passes over what an ingest deletes meanwhile
        stamps = {read_stamp(Path(folder, name)) for folder, _, names in walked for name in names}
        return sum(stamp[1] for stamp in stamps if stamp)  # a file of two generations is one

    def read_record(self) -> str | None:
        """Read what `write_record` wrote last, `None` if that cannot be done."""
        try:
            text = read_regular(self.layout.last_ingest, _LARGEST_RECORD)
        except OSError:
            return None
        return text.decode("utf-8", errors="replace")

    def write_record(self, text: str) -> None:
        """Keep what the last ingest saw (`index.posts.last_ingest`), unless it is kept."""
        path = self.layout.last_ingest
        try:
            if self.read_record() != text:
                path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise IndexProblem(
                f"The index is up to date, but its {path.name} could not be written: "
                f"{error.strerror}. Check the disk's space and the folder's permissions, then run "
                "again; until then no server can tell when posts change."
            ) from error

    def record_stamp(self) -> object | None:
        """Return another value whenever the record was written, `None` if there is none."""
        return read_stamp(self.layout.last_ingest)

    def lock_writer(self) -> AbstractContextManager[None]:
        """Be the only writer. Raises IndexBusy at once if another ingest is."""
        from blog_search_mcp.index.store.generations import writer_lock

        return writer_lock(self.layout)

    def open_cache(self, identity: EmbedderIdentity) -> AbstractContextManager[EmbeddingCache]:
        """Open the cache of an embedder's vectors."""
        from blog_search_mcp.index.embedders.cache import open_cache

        return open_cache(self.layout.cache, identity)

    @contextmanager
    def begin(self, base: Manifest | None, embedder: EmbedderIdentity) -> Iterator[NextGeneration]:
        """Begin a generation on top of `base`, the live one; `None` makes the index anew.

        The caller holds the writer lock. Without `publish` nothing is left after the block. Raises
        IndexBroken if `base` is damaged.
        """
        from blog_search_mcp.index.store.catalog_writer import open_writer

        if base is not None:
            self.verify(base, trusts_stamps=True)
        before = None if base is None else self.layout.generation(base.generation)
        with ExitStack() as stack:
            with translate_disk_errors():
                number = stack.enter_context(self._next_folder())
                files = self.layout.generation(number)
                catalog = stack.enter_context(open_writer(files, before))
                vectors = self._write_vectors(files, before, embedder.dimension, catalog.catalog)
                stack.enter_context(closing(vectors))
            yield NextGeneration(number, files, base, before, catalog, vectors)

    @contextmanager
    def _next_folder(self) -> Iterator[int]:
        """Make the folder of a new generation; yield its number.

        What a killed ingest left is deleted before, the generation before the current one after
        the switch. If the new one has not become the current one when the block ends, it is
        deleted.
        """
        from blog_search_mcp.index.store.generations import collect

        current, numbers = self._find_current(), self.layout.numbers()
        number = max([*numbers, current or 0]) + 1
        collect(self.layout, current, max((n for n in numbers if n < (current or 0)), default=None))
        folder = self.layout.generation(number).folder
        try:
            folder.mkdir(parents=True)
            yield number
        finally:
            if self._find_current() == number:
                collect(self.layout, number, current)
            else:
                shutil.rmtree(folder, ignore_errors=True)

    def _write_vectors(
        self,
        files: GenerationFiles,
        before: GenerationFiles | None,
        dimension: int,
        _catalog: Catalog,
    ) -> VectorWriter:
        """Begin the vectors of a generation whose chunks are in the catalog by then."""
        from blog_search_mcp.index.vectors.writer import VectorWriter

        base = before.vectors if before else None
        return VectorWriter(files.vectors, base, dimension, int(files.folder.name))

    def write_words(
        self,
        generation: NextGeneration,
        added: Iterable[PostTerms],
        removed: Sequence[int],
        *,
        anew: bool,
    ) -> None:
        """Write the terms of the posts `added`, beside those of the base without the `removed`.

        With `anew` beside none.
        """
        from blog_search_mcp.index.lexical.writer import write

        before = None if anew or generation.before is None else generation.before.lexical
        write(generation.files.lexical, before, removed, added)

    def publish(self, generation: NextGeneration, manifest: Manifest) -> Manifest:
        """Make a complete generation the live one; return its manifest with the files filled in."""
        from blog_search_mcp.index.store.generations import checksum_files

        earlier = generation.base.files if generation.base else {}
        files = checksum_files(generation.files, earlier)
        manifest = manifest.model_copy(update={"files": files})
        self._switch(manifest)
        return manifest

    def _switch(self, manifest: Manifest) -> None:
        from blog_search_mcp.index.store.generations import switch

        switch(self.layout, manifest)


def store_at(folder: Path) -> FolderStore:
    """Return the store of the index in this folder."""
    return FolderStore(folder)


class Guard:
    """Verifies the files of one generation when it is opened, and notices when one changes."""

    def __init__(self, files: GenerationFiles, manifest: Manifest) -> None:
        """Verify every file that was written to since, or copied. Raises IndexBroken."""
        self._files = files
        self._checksums = manifest.files
        self._stamps = self._read_stamps()
        self._damaged: dict[tuple[str, FileStamp], IndexBroken] = {}
        """By file and its stamp then, what its checksum told."""
        verify(files, manifest, trusts_stamps=True)

    def check(self) -> None:
        """Raise IndexBroken if a file is no longer what was opened; one only touched is hashed.

        A file that is gone does not count: a generation that is no longer kept stays readable for
        those who opened it.
        """
        for name, stamp in self._read_stamps().items():
            if self._stamps.get(name) == stamp:
                continue
            if error := self._damaged.get((name, stamp)):
                raise error.with_traceback(None)
            try:
                verify_file(self._files, name, self._checksums[name])
            except IndexBroken as error:
                self._damaged[name, stamp] = error
                raise
            self._stamps[name] = stamp

    def _read_stamps(self) -> dict[str, FileStamp]:
        stamps = ((name, read_stamp(self._files.folder / name)) for name in self._checksums)
        return {name: stamp for name, stamp in stamps if stamp}
