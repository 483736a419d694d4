"""Files in rows on a server: files of generations, and heads, which name the live one.

A file is found by its SHA-256. A row of a file is one compressed block, and generations share the
rows of equal files. A head is one named row of JSON, which changes at once for all clients.
"""

import base64
import hashlib
import json
import zlib
from collections.abc import Collection
from typing import Any

from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.index.milvus.client import Milvus, NoCollection, Row
from blog_search_mcp.index.store.manifest import REBUILD

BLOCK_BYTES = 48_000
"""Bytes of a block before compression; an incompressible block fits into a text in base 85."""
BLOCKS_AT_ONCE = 100
"""Number of rows that are read at once, up to 6 MB."""


class RemoteFiles:
    """The files of one index on a server. Every method raises IndexProblem."""

    def __init__(self, milvus: Milvus, collection: str) -> None:
        self._milvus = milvus
        self._collection = collection

    def create(self) -> None:
        """Create the collection if there is none."""
        if self._collection not in self._milvus.ask("list_collections"):
            texts = dict.fromkeys(("key", "name", "data"), "VARCHAR")
            self._milvus.create(self._collection, {**texts, "part": "INT64"}, "nothing", 2)

    def read_head(self, name: str, *, strong: bool = True) -> dict[str, Any] | None:
        """Read a head, `None` if there is none; `strong` includes other clients' latest writes."""
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
        self._milvus.ask("flush", self._collection)

    def put(self, content: bytes) -> str:
        """Write a file's content unless it is there; return its SHA-256.

        The first block is written last, so its presence shows that the file is complete.
        """
        sha256 = hashlib.sha256(content).hexdigest()
        if not self._milvus.query(self._collection, f'key == "{sha256}:0"', ["key"]):
            parts = (*range(1, -(-len(content) // BLOCK_BYTES)), 0)
            self._milvus.upsert(self._collection, (_pack(sha256, content, n) for n in parts))
        return sha256

    def get(self, sha256: str) -> bytes:
        """Read a file's content. Raises IndexBroken if it is incomplete."""
        blocks, start, rows = list[bytes](), 0, [Row()] * BLOCKS_AT_ONCE
        while len(rows) == BLOCKS_AT_ONCE:
            wanted = f'name == "{sha256}" and part >= {start} and part < {start + BLOCKS_AT_ONCE}'
            rows = self._milvus.query(self._collection, wanted, ["part", "data"])
            rows.sort(key=lambda row: int(row["part"]))
            blocks += (zlib.decompress(base64.b85decode(row["data"])) for row in rows)
            start += BLOCKS_AT_ONCE
        content = b"".join(blocks)
        if hashlib.sha256(content).hexdigest() != sha256:
            raise IndexBroken("The index has lost a file on the server.", REBUILD)
        return content

    def delete_others(self, kept: Collection[str]) -> None:
        """Delete all files except those with these checksums; heads stay."""
        for row in self._milvus.query(self._collection, "part in [0, 1]", ["name"]):
            if row["name"] not in kept:
                wanted = f'name == "{row["name"]}"'
                self._milvus.ask("delete", self._collection, filter=wanted)


def _pack(sha256: str, content: bytes, part: int) -> Row:
    block = content[part * BLOCK_BYTES : (part + 1) * BLOCK_BYTES]
    data = base64.b85encode(zlib.compress(block)).decode("ascii")
    return _make_row(f"{sha256}:{part}", sha256, part, data)


def _make_row(key: str, name: str, part: int, data: str) -> Row:
    # Every collection must have vectors, and no vector fewer than two numbers.
    return {"key": key, "name": name, "part": part, "data": data, "nothing": [0.0, 0.0]}
