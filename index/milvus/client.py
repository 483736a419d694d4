"""Requests to a Milvus server; only this module uses pymilvus.

Every request has a deadline, and errors of pymilvus become errors of this program.
"""

import logging
import os
import re
import threading
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, TypeAlias

from blog_search_mcp.index.errors import MOST_DETAIL, IndexBroken, IndexProblem
from blog_search_mcp.index.store.manifest import REBUILD
from blog_search_mcp.index.types import Vectors

TOKEN = "MILVUS_TOKEN"
"""Environment variable of the token, `user:password` or an API key."""
PORT = 19530
CONNECT_SECONDS = 5.0
"""Timeout of connecting, in seconds."""
REQUEST_SECONDS = 60.0
"""Timeout of a request, in seconds; a cluster may load a collection first."""
MOST_ROWS = 16_384
"""Maximum rows of a request's result (milvus.io, limitations)."""
MOST_TEXT = 65_535
"""Maximum bytes of UTF-8 in a text (milvus.io, limitations)."""
ROWS_AT_ONCE = 200
"""Number of rows that one request writes, or reads by keys."""
_NO_COLLECTION, _NOT_LOADED = 100, 101
"""The server's codes for a missing collection and for one not loaded (milvus, pkg/util/merr)."""


class NoCollection(IndexBroken):
    """A collection is not on the server."""


Row: TypeAlias = dict[str, Any]


class Milvus:
    """One server or cluster; safe for concurrent requests. Every method raises IndexProblem."""

    def __init__(self, address: str) -> None:
        self.address = address
        """URL, such as `http://host:19530`."""
        self._token = os.environ.get(TOKEN, "")
        self._lock = threading.Lock()
        self._client: Any = None

    def create(self, name: str, fields: Mapping[str, str], vector: str, dimension: int) -> None:
        """Create and load a collection with `fields` (types by name, key first) and a vector."""
        client = type(self._connected())
        from pymilvus import DataType

        schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
        index = client.prepare_index_params()
        for place, (field, kind) in enumerate(fields.items()):
            schema.add_field(field, DataType[kind], is_primary=place == 0, max_length=MOST_TEXT)
        schema.add_field(vector, DataType.FLOAT_VECTOR, dim=dimension)
        index.add_index(vector, index_type="AUTOINDEX", metric_type="IP")
        self.ask("create_collection", name, schema=schema, index_params=index)

    def upsert(self, name: str, rows: Iterable[Row]) -> None:
        """Write rows, replacing any with the same key."""
        remaining = iter(rows)
        while batch := list(islice(remaining, ROWS_AT_ONCE)):
            self.ask("upsert", name, data=batch)

    def query(
        self, name: str, expression: str, output: list[str], *, strong: bool = True
    ) -> list[Row]:
        """Read fields of up to MOST_ROWS rows; `strong` includes other clients' latest writes."""
        level = "Strong" if strong else "Bounded"
        more = {"output_fields": output, "consistency_level": level}
        return list(self.ask("query", name, filter=expression, **more))

    def search(self, name: str, query: Vectors, limit: int, expression: str) -> dict[int, float]:
        """Return inner products by key: the `limit` largest or nearly so, at most MOST_ROWS."""
        [hits] = self.ask(
            "search",
            name,
            data=[query.tolist()],
            limit=min(limit, MOST_ROWS),
            filter=expression,
            search_params={"metric_type": "IP"},
            consistency_level="Session",
        )
        return dict(zip(hits.ids, hits.distances, strict=True))

    def ask(self, method: str, *collection: str, **arguments: Any) -> Any:
        """Call pymilvus; retry once if the server is unavailable or a collection is not loaded."""
        try:
            try:
                client = self._connected()
                return getattr(client, method)(*collection, timeout=REQUEST_SECONDS, **arguments)
            except Exception as error:
                is_lost = "unavailable" in _describe(error).lower()
                if not is_lost and getattr(error, "code", None) != _NOT_LOADED:
                    raise
            client = self._connected(anew=is_lost)
            for name in collection if method != "create_collection" else ():
                client.load_collection(name, timeout=REQUEST_SECONDS)
            return getattr(client, method)(*collection, timeout=REQUEST_SECONDS, **arguments)
        except Exception as error:
            raise self._translate(error) from error

    def _connected(self, *, anew: bool = False) -> Any:
        os.environ["GRPC_VERBOSITY"] = "NONE"  # else gRPC writes to stderr
        try:
            from pymilvus import MilvusClient
        except ImportError as error:
            raise IndexProblem(
                "An index in Milvus needs the Python package pymilvus. Install it with "
                "`pip install 'blog-search-mcp[milvus]'`."
            ) from error
        for name in ("pymilvus", "pymilvus.milvus_client", "pymilvus.bulk_writer"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        with self._lock:
            if anew and self._client is not None:
                self._client.close()
                self._client = None
            if self._client is None:
                self._client = MilvusClient(
                    self.address, token=self._token, timeout=CONNECT_SECONDS, dedicated=True
                )
            return self._client

    def _translate(self, error: Exception) -> IndexProblem:
        """Translate an error of pymilvus without the token; clients do not get pymilvus's text."""
        if isinstance(error, IndexProblem):
            return error
        server, words = f"The Milvus server at {self.address}", _describe(error)
        if re.search(r"auth\w{0,20} (check )?fail|UNAUTHENTICATED|PERMISSION_DENIED", words, re.I):
            return IndexProblem(
                f"{server} refuses {'the token in' if self._token else 'an empty'} {TOKEN}. Set "
                "that environment variable to `user:password`, or a key, that may use the index."
            )
        if re.search(r"unavailable|deadline|fail\w{0,9} connect|timed? ?out", words, re.I):
            return IndexProblem(f"{server} does not answer. Start it, or correct the address.")
        if getattr(error, "code", None) == _NO_COLLECTION:
            return NoCollection(f"{server} has lost a part of the index.", REBUILD)
        if self._token:
            words = words.replace(self._token, "…")
        return IndexProblem(
            f"{server} refuses a request ({words[:MOST_DETAIL]}).",
            for_clients="The server that has the index refuses a request; its log says why.",
        )


def _describe(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}; {error.__cause__ or ''}".split())
