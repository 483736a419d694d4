"""The store of an index on a Milvus server.

    NAME_files                  the files of generations, and two heads: LIVE and WRITER
    NAME_1a2b3c4d_vectors       a row for each vector

A machine has a copy of the files in its cache folder, laid out as an index in a folder, with a
cache of embeddings and a record of its last ingest. An ingest adds rows to both collections; a
rebuild makes a new collection for vectors.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from blog_search_mcp.index.embedders.embedder import Embedder
from blog_search_mcp.index.errors import IndexBroken, IndexMissing, IndexProblem
from blog_search_mcp.index.folder import BUSY, MAKE_ONE, FolderStore
from blog_search_mcp.index.milvus.client import PORT, Milvus
from blog_search_mcp.index.milvus.files import RemoteFiles
from blog_search_mcp.index.milvus.vectors import (
    MilvusVectors,
    MilvusVectorWriter,
    read_collection,
    write_bounds,
)
from blog_search_mcp.index.search.snapshot import Snapshot, open_snapshot
from blog_search_mcp.index.store.catalog import translate_disk_errors
from blog_search_mcp.index.store.disk import GenerationFiles, Stamp, link_or_copy
from blog_search_mcp.index.store.manifest import Manifest, checksum_of, loads
from blog_search_mcp.index.store.statistics import OVERVIEW_JSON, Overview
from blog_search_mcp.index.stores import IndexAddress
from blog_search_mcp.index.vectors.segment_writer import VectorWriter
from blog_search_mcp.index.vectors.segments import empty_directory, read_directory

LEASE_SECONDS = 120.0
"""Duration of a writer's lease in seconds; afterwards another machine may take the lease."""
LIVE, WRITER = "LIVE", "WRITER"
"""Names of the heads with the live generation and the writing machine."""


class MilvusStore(FolderStore):
    """One index on a Milvus server. Methods raise IndexProblem as in FolderStore."""

    def __init__(self, address: IndexAddress) -> None:
        name = re.sub(r"\W", "-", f"{address.server}-{address.name}")
        caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        super().__init__(Path(caches) / "blog-search-mcp" / name)  # XDG Base Directory
        self._address = address
        scheme = "https" if address.scheme == "https" else "http"
        has_port = ":" in address.server.rpartition("]")[2]
        self._milvus = Milvus(f"{scheme}://{address.server}{'' if has_port else f':{PORT}'}")
        self._remote = RemoteFiles(self._milvus, f"{address.name}_files")
        self._collection = ""
        """Collection of the rows of the generation being written."""

    def _read_live(self, *, strong: bool = True) -> dict[str, Any]:
        if live := self._remote.read_head(LIVE, strong=strong):
            return live
        raise IndexMissing(
            f"There is no index {self._address.name} on the Milvus server at "
            f"{self._milvus.address} yet.",
            MAKE_ONE,
        )

    def stamp(self) -> Stamp | None:
        """Return the live generation's stamp by one request, `None` if that cannot be read."""
        with suppress(IndexProblem):
            live = self._read_live(strong=False)
            return live["number"], int(live["manifest"][:12], 16)
        return None

    def current_number(self) -> int:
        """Return the live generation's number."""
        return int(self._read_live()["number"])

    def read_manifest(self, number: int) -> Manifest:
        """Copy the live generation's files, and read its manifest; `number` must be its number."""
        self._copy(number)
        return super().read_manifest(number)

    def peek_overview(self) -> Overview | None:
        """Read the live generation's overview, `None` if that cannot be done."""
        with suppress(IndexProblem, ValueError):
            return OVERVIEW_JSON.validate_json(self._remote.get(self._read_live()["overview"]))
        return None

    def open_snapshot(self, files: GenerationFiles, embedder: Embedder) -> Snapshot:
        """Open files that are complete and verified, and the rows of vectors."""
        return open_snapshot(files, embedder, partial(MilvusVectors, self._milvus))

    @contextmanager
    def lock_writer(self) -> Iterator[None]:
        """Hold the lock of this machine and the lease on the server; end the lease afterwards."""
        with super().lock_writer():
            self._remote.create()
            self._renew_lease(takes=True)
            try:
                yield
            finally:
                with suppress(IndexProblem):
                    self._renew_lease()
                    self._remote.write_head(WRITER, {"machine": "", "ends": 0.0})

    def _renew_lease(self, *, takes: bool = False) -> None:
        """Renew this machine's lease if a quarter of it is over; later ingests here may use it too.

        `takes` renews a lease of any age, and replaces an expired one of another machine. Raises
        IndexProblem if another machine has the lease.
        """
        path, now = self.layout.root / "machine", time.time()
        with translate_disk_errors():
            if not path.exists():
                path.write_text(secrets.token_hex(8), encoding="ascii")
            machine = path.read_text(encoding="ascii")
        lease = self._remote.read_head(WRITER) or {"machine": "", "ends": 0.0}
        if lease["machine"] != machine and not (takes and lease["ends"] < now):
            raise IndexProblem(BUSY)
        if takes or lease["ends"] < now + 0.75 * LEASE_SECONDS:
            self._remote.write_head(WRITER, {"machine": machine, "ends": now + LEASE_SECONDS})

    @contextmanager
    def begin(self, base: Manifest | None, dimension: int) -> Iterator[GenerationFiles]:
        """Begin a generation as in a folder, in a collection with only the rows of `base`.

        The collection is new if `base` is `None`. Files that the live generation lacks are deleted
        from the server, and collections that neither generation uses.
        """
        milvus, remote, index = self._milvus, self._remote, self._address.name
        self._renew_lease()
        live = remote.read_head(LIVE) or {}
        remote.delete_others(live.get("files", ()))
        kept = {live.get("vectors")}
        if base is not None:
            folder = self.layout.generation(base.generation).vectors
            self._collection = read_collection(folder)
            milvus.ask("delete", self._collection, filter=write_bounds(read_directory(folder))[1])
            kept.add(self._collection)
        for name in milvus.ask("list_collections"):
            if re.fullmatch(rf"{index}_[0-9a-f]{{8}}_vectors", name) and name not in kept:
                milvus.ask("drop_collection", name)
        if base is None:
            self._collection = f"{index}_{secrets.token_hex(4)}_vectors"
            milvus.create(self._collection, {"row": "INT64", "chunk": "INT64"}, "vector", dimension)
        with super().begin(base, dimension) as files:
            yield files

    def write_vectors(
        self, files: GenerationFiles, before: GenerationFiles | None, dimension: int
    ) -> VectorWriter:
        """Begin the vectors of a generation with those of `before`, if it is given."""
        base = read_directory(before.vectors) if before else empty_directory(dimension)
        milvus, check = self._milvus, self._renew_lease
        return MilvusVectorWriter(milvus, self._collection, check, files.vectors, base)

    def _switch(self, manifest: Manifest) -> None:
        files, remote = self.layout.generation(manifest.generation), self._remote
        names = (files.manifest.name, *manifest.files)
        contents = {name: remote.put((files.folder / name).read_bytes()) for name in names}
        head = {
            "number": manifest.generation,
            "manifest": contents[files.manifest.name],
            "overview": contents[files.overview.name],
            "vectors": self._collection,
            "files": [*contents.values()],
        }
        self._renew_lease()
        remote.write_head(LIVE, head)

    def _copy(self, number: int) -> None:
        """Copy the files of the live generation, which must be `number`; delete older copies."""
        live = self._read_live()
        if live["number"] != number:
            raise IndexBroken(f"The index has another generation than {number} by now. Try again.")
        files = self.layout.generation(number)
        with suppress(OSError):
            if hashlib.sha256(files.manifest.read_bytes()).hexdigest() == live["manifest"]:
                return
        with translate_disk_errors():
            self.layout.generations.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(files.folder, ignore_errors=True)
            with TemporaryDirectory(dir=self.layout.root, prefix="copy-") as folder:
                copy = Path(folder) / files.folder.name
                self._copy_files(copy, live["manifest"])
                with suppress(OSError):  # another process has made the copy
                    copy.rename(files.folder)
            self._delete_all_but(*(kept for kept in self.layout.numbers() if kept >= number))

    def _copy_files(self, folder: Path, manifest: str) -> None:
        text = self._remote.get(manifest)
        for name, checksum in loads(text.decode()).files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            for number in self.layout.numbers():
                twin = self.layout.generation(number).folder / name
                if twin.is_file() and checksum_of(twin).sha256 == checksum.sha256:
                    link_or_copy(twin, path)
                    break
            else:
                path.write_bytes(self._remote.get(checksum.sha256))
        GenerationFiles(folder).manifest.write_bytes(text)


@cache
def store_at(address: IndexAddress) -> MilvusStore:
    """Return the only store in this process for an address."""
    return MilvusStore(address)
