"""The store of an index on a Milvus server.

    NAME_files                  the files of generations, and two heads: LIVE and WRITER
    NAME_1a2b3c4d_posts         a row for the words of each post
    NAME_1a2b3c4d_chunks        … of each chunk
    NAME_1a2b3c4d_vectors       a row for each vector

A machine has a copy of the files in its cache folder, laid out as an index in a folder, with the
cache of embeddings and the record of its own last ingest. Rows are added to the same collections
until an ingest makes the index anew.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from blog_search_mcp.index.commands import TO_INGEST
from blog_search_mcp.index.embedders.base import Embedder
from blog_search_mcp.index.errors import IndexBroken, IndexBusy, IndexMissing, IndexProblem
from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.lexical.documents import PostTerms
from blog_search_mcp.index.milvus.client import Milvus, connect
from blog_search_mcp.index.milvus.files import (
    KINDS,
    RemoteFiles,
    Rows,
    Server,
    find_prefix,
    read_rows,
    write_rows,
)
from blog_search_mcp.index.milvus.vectors import MilvusVectors, MilvusVectorWriter, fields_of
from blog_search_mcp.index.milvus.words import FIELDS, MilvusSearcher, write_words
from blog_search_mcp.index.search.snapshot import Snapshot, open_snapshot
from blog_search_mcp.index.store.catalog import Catalog, open_catalog, translate_disk_errors
from blog_search_mcp.index.store.disk import GenerationFiles, Stamp, link_or_copy
from blog_search_mcp.index.store.generations import BUSY, collect
from blog_search_mcp.index.store.manifest import Manifest, checksum_of, dumps, loads
from blog_search_mcp.index.store.statistics import OVERVIEW_JSON, Overview
from blog_search_mcp.index.stores import IndexAddress
from blog_search_mcp.index.vectors.writer import VectorWriter

STALE_SECONDS = 120.0
"""After which the ingest of another machine that shows no life is taken for dead."""

LIVE, WRITER = "LIVE", "WRITER"
"""The heads: the live generation, and the machine that writes."""


class MilvusStore(FolderStore):
    """One index on a Milvus server. Methods raise IndexProblem as a folder's do."""

    def __init__(self, address: IndexAddress) -> None:
        """Take the address; nothing is asked yet."""
        super().__init__(_copy_folder(address))
        self.location = address
        self._address = address
        self._rows = Rows("")
        """Of the generation that is written."""

    @property
    def _milvus(self) -> Milvus:
        return connect(self._address.scheme, self._address.server)

    @property
    def _remote(self) -> RemoteFiles:
        return RemoteFiles(self._milvus, f"{self._address.name}_files")

    def _read_live(self, *, strong: bool = True) -> dict[str, Any]:
        """Read the live generation's number, its files' checksums and its rows' prefix."""
        if live := self._remote.read_head(LIVE, strong=strong):
            return live
        raise IndexMissing(
            f"There is no index {self._address.name} on the Milvus server at "
            f"{self._milvus.address} yet. Make one: `{TO_INGEST}`."
        )

    def stamp(self) -> Stamp | None:
        """Identify the live generation by one request; `None` if there is none to be read."""
        with suppress(IndexProblem):
            live = self._read_live(strong=False)
            return live["number"], int(live["manifest"][:12], 16)
        return None

    def current_number(self) -> int:
        """Return the live generation's number."""
        return int(self._read_live()["number"])

    def read_manifest(self, number: int) -> Manifest:
        """Read a generation's manifest, once its files are copied."""
        self._copy(number)
        return super().read_manifest(number)

    def peek_overview(self) -> Overview | None:
        """Read the live generation's overview, `None` if that cannot be done."""
        with suppress(IndexProblem, ValueError):
            return OVERVIEW_JSON.validate_json(self._remote.get(self._read_live()["overview"]))
        return None

    def open_snapshot(self, files: GenerationFiles, embedder: Embedder) -> Snapshot:
        """Open files that are complete and were verified, and the rows."""
        server = self._milvus, read_rows(files.folder)
        return open_snapshot(
            files, embedder, partial(MilvusSearcher, *server), partial(MilvusVectors, *server)
        )

    def measure(self) -> None:
        """Return `None`: the server does not say."""

    @contextmanager
    def lock_writer(self) -> Iterator[None]:
        """Be the only writer of this machine, and of all that can be seen to write."""
        with super().lock_writer():
            self._remote.create()
            writer = self._remote.read_head(WRITER)
            is_alive = writer is not None and time.time() - writer["time"] < STALE_SECONDS
            if writer is not None and is_alive and writer["machine"] != self._machine:
                raise IndexBusy(BUSY)
            self._show_life()
            try:
                yield
            finally:
                with suppress(IndexProblem):
                    self._check_lock()
                    self._remote.delete_head(WRITER)

    @property
    def _machine(self) -> str:
        """What tells this machine's writers, of which one at a time is alive, from others."""
        path = self.layout.root / "machine"
        with translate_disk_errors():
            if not path.exists():
                path.write_text(secrets.token_hex(8), encoding="ascii")
            return path.read_text(encoding="ascii")

    def _show_life(self) -> None:
        self._remote.write_head(WRITER, {"machine": self._machine, "time": time.time()})

    def _check_lock(self) -> None:
        """Raise IndexBusy if another machine has taken this ingest for dead and writes itself."""
        writer = self._remote.read_head(WRITER)
        if writer is None or writer["machine"] != self._machine:
            raise IndexBusy(BUSY)
        if time.time() - writer["time"] > STALE_SECONDS / 4:
            self._show_life()

    @contextmanager
    def begin(self, base: Manifest | None, dimension: int) -> Iterator[GenerationFiles]:
        """Begin a generation as in a folder; what is no longer read is deleted from the server."""
        self._rows = self._prepare_rows(base, dimension)
        with super().begin(base, dimension) as files:
            yield files

    def _prepare_rows(self, base: Manifest | None, dimension: int) -> Rows:
        """Return the rows to write on top of, in collections that are there."""
        milvus, remote = self._milvus, self._remote
        self._check_lock()
        live = remote.read_head(LIVE) or {"prefix": "", "files": []}
        remote.delete_others(live["files"])
        if base is None:
            rows = Rows(f"{self._address.name}_{secrets.token_hex(4)}")
        else:
            rows = read_rows(self.layout.generation(base.generation).folder)
        for name in milvus.collections():
            prefix = find_prefix(self._address.name, name)
            if prefix not in (None, rows.prefix, live["prefix"]):
                milvus.drop(name)
        for kind in KINDS:
            if base is None:
                vectors = fields_of(dimension)
                milvus.create(rows.collection(kind), vectors if kind == "vectors" else FIELDS)
            else:
                for expression in rows.dead:
                    milvus.delete(rows.collection(kind), expression)
        return rows

    @property
    def _server(self) -> Server:
        return self._milvus, self._rows, self._check_lock

    def write_vectors(
        self,
        files: GenerationFiles,
        before: GenerationFiles | None,
        dimension: int,
        catalog: Catalog,
    ) -> VectorWriter:
        """Begin the rows of vectors."""
        base = before.vectors if before else None
        return MilvusVectorWriter(self._server, files.vectors, base, dimension, catalog)

    def write_words(
        self,
        files: GenerationFiles,
        before: GenerationFiles | None,
        added: Iterable[PostTerms],
        removed: Sequence[int],
        *,
        anew: bool,
    ) -> None:
        """Write the rows of words of the posts `added`, and which rows the generation has."""
        with closing(open_catalog(files)) as catalog:
            last = max(catalog.every_post(), default=0)
        last = max(self._rows.last, last)
        self._rows = replace(self._rows, last=last, removed=tuple(removed))
        write_rows(files.folder, self._rows)
        base = before.lexical if before else None
        write_words(self._server, files.lexical, base, added, anew=anew)

    def switch(self, manifest: Manifest) -> None:
        """Write the files of a complete generation and make it the live one."""
        files, remote = self.layout.generation(manifest.generation), self._remote
        text = dumps(manifest).encode()
        files.manifest.write_bytes(text)
        for name, checksum in manifest.files.items():
            with (files.folder / name).open("rb") as file:
                remote.put_file(checksum.sha256, file)
        sha256 = remote.put(text)
        head = {
            "number": manifest.generation,
            "manifest": sha256,
            "overview": manifest.files[files.overview.name].sha256,
            "prefix": self._rows.prefix,
            "files": [sha256, *(checksum.sha256 for checksum in manifest.files.values())],
        }
        self._check_lock()
        remote.write_head(LIVE, head)

    def _copy(self, number: int) -> None:
        """Copy the live generation's files, unless they are here; delete older copies."""
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
                with suppress(OSError):  # another process has made it meanwhile
                    copy.rename(files.folder)
            collect(self.layout, *(kept for kept in self.layout.numbers() if kept >= number))

    def _copy_files(self, folder: Path, manifest: str) -> None:
        """Copy a generation's files, those that an earlier one has here from there."""
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
                with path.open("wb") as file:
                    self._remote.get_file(checksum.sha256, file.write)
        GenerationFiles(folder).manifest.write_bytes(text)


@cache
def store_at(address: IndexAddress) -> MilvusStore:
    """Return the store of an index: one for all who name the address."""
    return MilvusStore(address)


def _copy_folder(address: IndexAddress) -> Path:
    """Return where this machine's copy is: in its cache folder (XDG Base Directory)."""
    name = re.sub(r"\W", "-", f"{address.server}-{address.name}")
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "blog-search-mcp" / name
