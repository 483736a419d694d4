"""The store of an index in a folder: it locks writers and replaces generations.

CURRENT is a file of one line that names the live generation. An atomic rename replaces CURRENT once
all files of the new generation are on disk (fsync), so a killed writer leaves the old generation
live. The previous generation is kept until the next switch, for servers that are about to open it.
Open files outlive their deletion.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.errors import IndexBroken, IndexMissing, IndexProblem
from blog_search_mcp.index.invocation import TO_SETUP
from blog_search_mcp.index.store.disk import (
    GENERATION_NAME,
    MANIFEST_HEAD,
    GenerationFiles,
    Layout,
    Stamp,
    make_disk_error,
    read_stamp,
    refuse_place,
    replace_file,
    require_own,
)
from blog_search_mcp.index.store.manifest import (
    REBUILD,
    Checksum,
    Guard,
    Manifest,
    checksum_of,
    dumps,
    loads,
)
from blog_search_mcp.index.store.statistics import Overview, read_overview

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.embedder import Embedder
    from blog_search_mcp.index.search.snapshot import Snapshot
    from blog_search_mcp.index.vectors.segment_writer import VectorWriter

MAKE_ONE = ("Make one: ", TO_SETUP, ".")
BUSY = "Another ingest is writing to this index. Wait until it has finished, then run again."


class FolderStore:
    """One index at its location, which need not exist; nothing is cached between calls.

    Methods raise IndexMissing, IndexBroken or another IndexProblem, except `stamp` and
    `peek_overview`. `begin`, `write_vectors` and `publish` raise OSError too.
    """

    def __init__(self, folder: Path) -> None:
        self.layout = Layout(folder)

    def stamp(self) -> Stamp | None:
        """Return the live generation's stamp from CURRENT, `None` if that cannot be read."""
        with suppress(IndexProblem):
            return self.current_number(), *(read_stamp(self.layout.current) or ())
        return None

    def current_number(self) -> int:
        """Return the live generation's number."""
        self.layout.require_own()
        try:
            name = self.layout.current.read_text(encoding="ascii").strip()
        except FileNotFoundError as error:
            raise IndexMissing(
                f"There is no index in {self.layout.root.name}/ yet.", MAKE_ONE
            ) from error
        except (OSError, UnicodeDecodeError) as error:
            refuse_place(self.layout, error)
            raise IndexBroken("The index's CURRENT cannot be read.", REBUILD) from error
        if not GENERATION_NAME.fullmatch(name):
            raise IndexBroken("The index's CURRENT names no generation.", REBUILD)
        return int(name)

    def read_manifest(self, number: int) -> Manifest:
        """Read a generation's manifest."""
        files = self.layout.generation(number)
        files.require_own()
        try:
            return loads(files.manifest.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            refuse_place(self.layout, error)
            raise IndexBroken("The index's manifest.json cannot be read.", REBUILD) from error

    def peek_overview(self) -> Overview | None:
        """Read the live generation's overview, `None` if that cannot be done.

        For a fast first reply its checksum is not compared; opening the generation compares it.
        """
        with suppress(IndexProblem, OSError, ValueError):
            files = self.layout.generation(self.current_number())
            files.require_own()
            return read_overview(files)
        return None

    def open_snapshot(self, files: GenerationFiles, embedder: Embedder) -> Snapshot:
        """Open files that are complete and verified."""
        from blog_search_mcp.index.search.snapshot import open_snapshot

        return open_snapshot(files, embedder)

    def write_record(self, text: str) -> None:
        """Write the record of the last ingest (`ingest.last_ingest`), unless it is unchanged."""
        record, content = self.layout.last_ingest, text.encode()
        try:
            if not record.exists() or record.read_bytes() != content:
                replace_file(record, content)
        except OSError as error:
            raise make_disk_error(error) from error

    @contextmanager
    def lock_writer(self) -> Iterator[None]:
        """Make the folder, and hold its lock. Raises IndexProblem at once if the lock is held."""
        from filelock import FileLock, Timeout

        self.layout.require_own()
        require_own([self.layout.root], stat.S_IFDIR)
        try:
            self.layout.generations.mkdir(parents=True, exist_ok=True)
            ignore = self.layout.root / ".gitignore"  # keeps the index out of a repository of posts
            if not os.path.lexists(ignore):
                ignore.write_text("*\n", encoding="utf-8")
            locked = FileLock(self.layout.lock).acquire(timeout=0)
        except Timeout as error:
            raise IndexProblem(BUSY) from error
        except OSError as error:
            refuse_place(self.layout, error)
            raise make_disk_error(error) from error
        with locked:
            yield

    @contextmanager
    def begin(self, base: Manifest | None, _dimension: int) -> Iterator[GenerationFiles]:
        """Make the folder of a new generation; `base`, if given, is the live one and is checked.

        The caller holds the writer lock. Leftovers of a killed ingest are deleted first. After the
        switch, only the new and the previous generation are kept. A new generation that is not
        current when the block ends is deleted. Numbers of foreign folders are skipped. Raises
        IndexBroken if `base` is damaged.
        """
        if base is not None:
            Guard(self.layout.generation(base.generation), base)
        current, numbers = self._find_current(), self.layout.numbers()
        self._delete_all_but(current, max((n for n in numbers if n < current), default=None))
        later = map(self.layout.generation, count(max([*numbers, current]) + 1))
        files = next(files for files in later if not os.path.lexists(files.folder))
        files.folder.mkdir(parents=True)
        try:
            files.manifest.write_bytes(MANIFEST_HEAD)
            yield files
        finally:
            if self._find_current() == (number := int(files.folder.name)):
                self._delete_all_but(number, current)
            else:
                shutil.rmtree(files.folder, ignore_errors=True)

    def _find_current(self) -> int:
        with suppress(IndexProblem):
            return self.current_number()
        return 0

    def write_vectors(
        self, files: GenerationFiles, before: GenerationFiles | None, dimension: int
    ) -> VectorWriter:
        """Begin the vectors of a generation with those of `before`, if it is given."""
        from blog_search_mcp.index.vectors.segment_writer import VectorWriter

        base = before.vectors if before else None
        return VectorWriter(files.vectors, base, dimension)

    def publish(self, manifest: Manifest, earlier: Mapping[str, Checksum]) -> Manifest:
        """Make a complete generation the live one; return its manifest with files' checksums.

        `earlier` has the base's checksums by path. Files with equal stamps are not hashed again.
        """
        files, checksums = self.layout.generation(manifest.generation), dict[str, Checksum]()
        written = [path for path in sorted(files.folder.rglob("*")) if path.is_file()]
        written.remove(files.manifest)
        for path in (path for path in written if not path.name.endswith(".lock")):
            name = path.relative_to(files.folder).as_posix()
            if name in earlier and earlier[name].stamp == read_stamp(path):
                checksums[name] = earlier[name]
            else:
                _sync(path)
                checksums[name] = checksum_of(path)
        manifest = manifest.model_copy(update={"files": checksums})
        replace_file(files.manifest, dumps(manifest).encode())
        self._switch(manifest)
        return manifest

    def _switch(self, manifest: Manifest) -> None:
        files, layout = self.layout.generation(manifest.generation), self.layout
        inner = sorted(path for path in files.folder.rglob("*") if path.is_dir())
        for path in (*inner, files.folder, layout.generations):
            _sync(path)
        replace_file(layout.current, f"{files.folder.name}\n".encode())
        with suppress(OSError):  # the switch has happened; both generations are on disk
            _sync(layout.root)

    def _delete_all_but(self, *kept: int | None) -> None:
        """Delete all generations but `kept`, unfinished ones too; open files stay readable."""
        for number in set(self.layout.numbers()).difference(kept):
            shutil.rmtree(self.layout.generation(number).folder, ignore_errors=True)


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


store_at = FolderStore
