"""Files in rows: the small parts of a generation, and what names the live one.

A content is rows that are found by its SHA-256, each one block of it, compressed; equal files of
generations are the same rows. A head is one row under a name of its own, whose JSON changes at
once for every reader.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Collection
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

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
        wanted = f'key == "head:{name}"'
        try:
            rows = self._milvus.query(self._collection, wanted, ["data"], strong=strong)
            return {**json.loads(rows[0]["data"])} if rows else None
        except NoCollection:
            return None
        except (ValueError, TypeError) as error:
            raise IndexBroken(f"The index's {name} cannot be read. {REBUILD}") from error

    def write_head(self, name: str, content: dict[str, Any]) -> None:
        """Write a head."""
        row = _make_row(f"head:{name}", "head", -1, json.dumps(content))
        self._milvus.upsert(self._collection, [row])
        self._milvus.flush(self._collection)

    def delete_head(self, name: str) -> None:
        """Delete a head."""
        self._milvus.delete(self._collection, f'key in ["head:{name}"]')

    def put_file(self, sha256: str, path: Path) -> None:
        """Write the content of a file, unless it is there. Raises OSError too."""
        with path.open("rb") as file:
            self._put(sha256, file)

    def put(self, content: bytes) -> str:
        """Write a content, unless it is there; return its SHA-256."""
        sha256 = hashlib.sha256(content).hexdigest()
        self._put(sha256, BytesIO(content))
        return sha256

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
                try:
                    write(zlib.decompress(base64.b85decode(row["data"])))
                except (ValueError, zlib.error) as error:
                    raise IndexBroken(f"The index's files are damaged. {REBUILD}") from error
            start += AT_ONCE

    def delete_others(self, kept: Collection[str]) -> None:
        """Delete every content but those of these checksums."""
        for row in self._milvus.query(self._collection, "part in [0, 1]", ["name"]):
            if row["name"] not in kept:
                self._milvus.delete(self._collection, f'name == "{row["name"]}"')

    def _put(self, sha256: str, file: BinaryIO) -> None:
        """Write the blocks, the first one last, so that where it is the others are."""
        if self._milvus.query(self._collection, f'key == "{sha256}:0"', ["key"]):
            return
        parts = range(1, -(-file.seek(0, os.SEEK_END) // BLOCK))
        blocks = (self._read_block(sha256, file, part) for part in (*parts, 0))
        self._milvus.upsert(self._collection, blocks)

    def _read_block(self, sha256: str, file: BinaryIO, part: int) -> Row:
        file.seek(part * BLOCK)
        data = base64.b85encode(zlib.compress(file.read(BLOCK))).decode("ascii")
        return _make_row(f"{sha256}:{part}", sha256, part, data)


def _make_row(key: str, name: str, part: int, data: str) -> Row:
    return {"key": key, "name": name, "part": part, "data": data, "nothing": _NOTHING}
