"""Which rows on a server are a generation's, and files in rows: its small parts and what names it.

A content is rows that are found by its SHA-256, each one block of it, compressed; equal files of
generations are the same rows. A head is one row under a name of its own, whose JSON changes at
once for every reader.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import zlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.index.milvus.client import Milvus, NoCollection, Row
from blog_search_mcp.index.store.manifest import REBUILD

BLOCK = 48_000
"""Bytes of a row before it is compressed; written in base 85 they fit a text however they are."""

AT_ONCE = 100
"""Rows that are read at once: 6 MB."""

_NOTHING = [0.0, 0.0]
"""Every collection must have vectors, and no vector fewer than two numbers."""


class RemoteFiles:
    """The files of one index on a server. Every method raises IndexProblem."""

    def __init__(self, milvus: Milvus, collection: str) -> None:
        self._milvus = milvus
        self._collection = collection

    def create(self) -> None:
        """Create the collection if there is none."""
        if self._collection not in self._milvus.collections():
            fields: dict[str, str | int] = {"key": "text", "name": "text", "part": "int"}
            self._milvus.create(self._collection, {**fields, "data": "text", "nothing": 2})

    def read_head(self, name: str, *, strong: bool = True) -> dict[str, Any] | None:
        """Read a head, `None` if there is none. `strong` sees what others wrote just now."""
        try:
            wanted = f'key == "head:{name}"'
            rows = self._milvus.query(self._collection, wanted, ["data"], strong=strong)
        except NoCollection:
            return None
        return dict(json.loads(rows[0]["data"])) if rows else None

    def write_head(self, name: str, content: dict[str, Any]) -> None:
        """Write a head."""
        row = _make_row(f"head:{name}", "head", -1, json.dumps(content))
        self._milvus.upsert(self._collection, [row])
        self._milvus.flush(self._collection)

    def delete_head(self, name: str) -> None:
        """Delete a head."""
        self._milvus.delete(self._collection, f'key in ["head:{name}"]')

    def put(self, content: bytes) -> str:
        """Write a content, unless it is there; return its SHA-256."""
        sha256 = hashlib.sha256(content).hexdigest()
        self.put_file(sha256, BytesIO(content))
        return sha256

    def put_file(self, sha256: str, file: BinaryIO) -> None:
        """Write the content of a file, unless it is there. Raises OSError too.

        The first block comes last, so that where it is the others are.
        """
        if self._milvus.query(self._collection, f'key == "{sha256}:0"', ["key"]):
            return
        parts = range(1, -(-file.seek(0, os.SEEK_END) // BLOCK))
        blocks = (_read_block(sha256, file, part) for part in (*parts, 0))
        self._milvus.upsert(self._collection, blocks)

    def get(self, sha256: str) -> bytes:
        """Read a content. Raises IndexBroken if it is not there as it was written."""
        content = BytesIO()
        self.get_file(sha256, content.write)
        if hashlib.sha256(content.getvalue()).hexdigest() != sha256:
            raise IndexBroken(f"The index has lost a file on the server. {REBUILD}")
        return content.getvalue()

    def get_file(self, sha256: str, write: Callable[[bytes], object]) -> None:
        """Read a content block by block; the caller compares its checksum."""
        start, rows = 0, [Row()] * AT_ONCE
        while len(rows) == AT_ONCE:
            wanted = f'name == "{sha256}" and part >= {start} and part < {start + AT_ONCE}'
            rows = self._milvus.query(self._collection, wanted, ["part", "data"])
            for row in sorted(rows, key=lambda row: int(row["part"])):
                write(zlib.decompress(base64.b85decode(row["data"])))
            start += AT_ONCE

    def delete_others(self, kept: Collection[str]) -> None:
        """Delete every content but those of these checksums."""
        for row in self._milvus.query(self._collection, "part in [0, 1]", ["name"]):
            if row["name"] not in kept:
                self._milvus.delete(self._collection, f'name == "{row["name"]}"')


def _read_block(sha256: str, file: BinaryIO, part: int) -> Row:
    file.seek(part * BLOCK)
    data = base64.b85encode(zlib.compress(file.read(BLOCK))).decode("ascii")
    return _make_row(f"{sha256}:{part}", sha256, part, data)


def _make_row(key: str, name: str, part: int, data: str) -> Row:
    return {"key": key, "name": name, "part": part, "data": data, "nothing": _NOTHING}


KINDS = ("posts", "chunks", "vectors")
"""Of the collections of rows."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Which rows of its collections a generation has: generations may share them.

    An ingest adds the rows of new posts, whose ids are larger than any before, and deletes those of
    the posts that the ingest before it removed: readers of the generation before the live one have
    had them until then.
    """

    prefix: str
    """Begins the names of the collections."""
    last: int = 0
    """The largest id of a post."""
    removed: tuple[int, ...] = ()
    """Posts whose rows are there and no longer count."""

    def collection(self, kind: str) -> str:
        """Return the name of one of the collections."""
        return f"{self.prefix}_{kind}"

    @property
    def alive(self) -> str:
        """The expression for the rows that count."""
        newest = f"post <= {self.last}"
        return f"{newest} and {among('post', self.removed, 'not in')}" if self.removed else newest

    @property
    def dead(self) -> tuple[str, ...]:
        """The expressions for what the next ingest deletes, a killed one's rows too."""
        newer = f"post > {self.last}"
        return (newer, among("post", self.removed)) if self.removed else (newer,)


Server: TypeAlias = tuple[Milvus, Rows, Callable[[], None]]
"""Where to write which rows, after it was checked that nobody else does."""


def among(field: str, values: Iterable[int], operator: str = "in") -> str:
    """Write that a field has one of these values; milvus-lite has no templates for them."""
    return f"{field} {operator} [{', '.join(map(str, values))}]"


def find_prefix(index: str, collection: str) -> str | None:
    """Return the prefix of a collection of rows of this index, `None` for any other collection."""
    match = re.fullmatch(rf"({index}_[0-9a-f]{{8}})_(?:{'|'.join(KINDS)})", collection)
    return match[1] if match else None


def write_rows(folder: Path, rows: Rows) -> None:
    """Write which rows a generation has. Raises OSError."""
    (folder / "rows.json").write_text(json.dumps(asdict(rows)), encoding="utf-8")


def read_rows(folder: Path) -> Rows:
    """Read which rows a generation has. Raises OSError or ValueError."""
    columns = json.loads((folder / "rows.json").read_text(encoding="utf-8"))
    return Rows(columns["prefix"], columns["last"], tuple(columns["removed"]))
