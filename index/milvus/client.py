"""Ask a Milvus server: with `index.milvus.connection` all that knows pymilvus.

Every request has a deadline. What a server would refuse is checked before it is asked, and
whatever pymilvus raises is said in a sentence of the error tree. A collection that the server has
released, as some do when they start anew, is loaded and asked again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from blog_search_mcp.index.errors import CollectionGone, IndexProblem, IndexUnreachable
from blog_search_mcp.index.milvus.connection import CollectionReleased, ConnectionLost, MilvusServer
from blog_search_mcp.index.milvus.schema import (
    MOST_HITS,
    MOST_TEXT_BYTES,
    Field,
    Row,
    Sparse,
    among,
    batches,
)

if TYPE_CHECKING:
    from pymilvus import MilvusClient

T = TypeVar("T")

READ_SECONDS: Final = 10.0
"""Of one request of a search, tries included: a server that starts anew is back within it."""
WRITE_SECONDS: Final = 120.0
"""Of one request of an ingest; a cluster takes its time to load a collection."""

PATIENCE_SECONDS: Final = 3.0
"""In which a lost connection is made anew: pymilvus itself gives up at the first that fails."""
INGEST_PATIENCE_SECONDS: Final = 30.0
"""The same while rows are written: an ingest that stops begins again."""
_PAUSE: Final = 0.1

BATCH_KEYS: Final = 500
"""Rows that are read by their keys in one request: of the longest texts, about 64 MB."""


class Hits(NamedTuple):
    """What one query found, best first."""

    keys: list[int]
    scores: list[float]


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """How a field's vectors are searched."""

    kind: str
    """`FLAT`, `HNSW`, … as Milvus calls it."""
    build: Mapping[str, int]
    """Its parameters."""


FLAT: Final = VectorIndex("FLAT", {})
_SPARSE: Final = VectorIndex("SPARSE_INVERTED_INDEX", {})


class Milvus:
    """One server or cluster; safe for concurrent requests. Every method raises IndexProblem."""

    def __init__(self, address: str) -> None:
        """Connect to `address`, such as `http://host:19530`; its token is in MILVUS_TOKEN."""
        self._server = MilvusServer(address)
        self._lock = threading.Lock()
        self._client: MilvusClient | None = None
        self._is_writing = False
        self._connected()

    @property
    def address(self) -> str:
        """Of the server."""
        return self._server.address

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Wait for answers as long as an ingest does, which would have to begin again."""
        self._is_writing = True
        try:
            yield
        finally:
            self._is_writing = False

    @property
    def _read_seconds(self) -> float:
        return WRITE_SECONDS if self._is_writing else READ_SECONDS

    def collections(self) -> list[str]:
        """Return the names of all collections."""
        return sorted(
            self._call(lambda client: client.list_collections(timeout=self._read_seconds))
        )

    def create(self, name: str, fields: Sequence[Field], index: VectorIndex | None = FLAT) -> None:
        """Create a collection; `index` is that of its dense vector, if it is known yet."""
        from pymilvus import DataType

        kinds = {
            "int": DataType.INT64,
            "text": DataType.VARCHAR,
            "sparse": DataType.SPARSE_FLOAT_VECTOR,
            "dense": DataType.FLOAT_VECTOR,
        }

        def make(client: MilvusClient) -> None:
            schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
            for place, field in enumerate(fields):
                more = {"text": {"max_length": MOST_TEXT_BYTES}, "dense": {"dim": field.dimension}}
                schema.add_field(
                    field.name, kinds[field.kind], is_primary=not place, **more.get(field.kind, {})
                )
            client.create_collection(name, schema=schema, timeout=WRITE_SECONDS)

        self._call(make, INGEST_PATIENCE_SECONDS)
        for field in fields:
            chosen = {"sparse": _SPARSE, "dense": index}.get(field.kind)
            if chosen is not None:
                self.index(name, field.name, chosen)

    def index(self, name: str, field: str, index: VectorIndex) -> None:
        """Define how a field's vectors are searched; the server builds it when it has rows."""

        def make(client: MilvusClient) -> None:
            params = client.prepare_index_params()
            params.add_index(
                field, index_type=index.kind, metric_type="IP", params=dict(index.build)
            )
            client.create_index(name, params, sync=False, timeout=WRITE_SECONDS)

        self._call(make, INGEST_PATIENCE_SECONDS)

    def insert(
        self, name: str, fields: Sequence[Field], rows: Iterable[Row], *, replace: bool = False
    ) -> int:
        """Insert rows a batch at a time, in place of any with the same key if `replace`.

        Returns how many.
        """
        count = 0
        for batch in batches(fields, rows):

            def send(client: MilvusClient, batch: list[Row] = batch) -> object:
                ask = client.upsert if replace else client.insert
                return ask(name, batch, timeout=WRITE_SECONDS)

            self._call(send, INGEST_PATIENCE_SECONDS)
            count += len(batch)
        return count

    def complete(self, name: str, count: int) -> None:
        """Make the rows durable and searchable, and check that there are so many."""
        patience = INGEST_PATIENCE_SECONDS
        self._call(lambda client: client.flush(name, timeout=WRITE_SECONDS), patience)
        self.load(name)
        if (found := self.count(name)) != count:
            raise IndexProblem(
                f"The Milvus server at {self.address} has {found} of {count} rows that were "
                f"written into {name}. Run the ingest again; nothing else is changed."
            )

    def load(self, name: str) -> None:
        """Make a collection searchable."""
        self._call(lambda client: client.load_collection(name, timeout=WRITE_SECONDS))

    def count(self, name: str, expression: str = "") -> int:
        """Count the rows for which `expression` holds, those just written too."""
        found = self._read(
            name,
            lambda client: client.query(
                name,
                filter=expression,
                output_fields=["count(*)"],
                consistency_level="Strong",
                timeout=WRITE_SECONDS,
            ),
        )
        return int(found[0]["count(*)"])

    def query(
        self, name: str, expression: str, output: Sequence[str], *, strong: bool = False
    ) -> list[Row]:
        """Read some fields of the rows for which `expression` holds, MOST_HITS of them at most.

        `strong` sees what was just written by others.
        """
        return list(
            self._read(
                name,
                lambda client: client.query(
                    name,
                    filter=expression,
                    output_fields=list(output),
                    limit=MOST_HITS,
                    consistency_level="Strong" if strong else "Eventually",
                    timeout=self._read_seconds,
                ),
            )
        )

    def get(
        self, name: str, field: Field, keys: Sequence[int] | Sequence[str], output: Sequence[str]
    ) -> list[Row]:
        """Read some fields of the rows with these values of `field`, a batch at a time."""
        found: list[Row] = []
        for start in range(0, len(keys), BATCH_KEYS):
            batch = keys[start : start + BATCH_KEYS]
            found += self.query(name, among(field.name, batch), output)
        return found

    def iterate(
        self, name: str, expression: str, output: Sequence[str], batch: int = 1_000
    ) -> Iterator[Row]:
        """Read some fields of any number of rows, `batch` at a time, in the order of their keys."""
        iterator = self._read(
            name,
            lambda client: client.query_iterator(
                name,
                batch_size=batch,
                filter=expression,
                output_fields=list(output),
                timeout=self._read_seconds,
            ),
        )
        try:
            while rows := self._call(lambda _client: iterator.next(), patience=0):
                yield from rows
        finally:
            iterator.close()

    def search(
        self,
        name: str,
        field: Field,
        queries: Sequence[Sparse] | Sequence[Any],
        limit: int,
        expression: str = "",
        parameters: Mapping[str, int] | None = None,
    ) -> list[Hits]:
        """Find for each query the rows of the largest inner products, MOST_HITS at most.

        A row without any product is not found in a sparse field.
        """
        if not queries or limit < 1:
            return [Hits([], []) for _ in queries]
        if field.kind == "dense" and any(len(query) != field.dimension for query in queries):
            raise IndexProblem(
                f"The index in {name} has vectors of {field.dimension} numbers, and this query "
                f"has {len(queries[0])}. Ask with the embedder that the index was built with."
            )
        asked = list(queries) if field.kind == "sparse" else [list(map(float, q)) for q in queries]
        found: list[Hits] = []
        for start in range(0, len(asked), MOST_HITS):
            batch = asked[start : start + MOST_HITS]

            def send(client: MilvusClient, batch: list[Any] = batch) -> Any:
                return client.search(
                    name,
                    batch,
                    anns_field=field.name,
                    limit=min(limit, MOST_HITS),
                    filter=expression,
                    output_fields=[],
                    search_params={"metric_type": "IP", "params": dict(parameters or {})},
                    consistency_level="Eventually",
                    timeout=self._read_seconds,
                )

            found += [Hits(list(each.ids), list(each.distances)) for each in self._read(name, send)]
        return found

    def delete(self, name: str, expression: str) -> None:
        """Delete the rows for which `expression` holds."""
        self._read(
            name, lambda client: client.delete(name, filter=expression, timeout=WRITE_SECONDS)
        )

    def resolve(self, alias: str) -> str | None:
        """Return the collection that an alias names, `None` if there is no such alias."""
        try:
            found = self._call(
                lambda client: client.describe_alias(alias, timeout=self._read_seconds)
            )
        except CollectionGone:
            return None
        return str(found["collection_name"])

    def create_alias(self, alias: str, name: str) -> bool:
        """Let a new alias name a collection; return `False` if it names another already."""
        try:
            self._call(lambda client: client.create_alias(name, alias, timeout=WRITE_SECONDS))
        except IndexProblem:
            if (known := self.resolve(alias)) is None:
                raise
            return known == name
        return True

    def alter_alias(self, alias: str, name: str) -> None:
        """Let an alias name another collection, in one step for every reader."""
        self._call(lambda client: client.alter_alias(name, alias, timeout=WRITE_SECONDS))

    def drop_alias(self, alias: str) -> None:
        """Drop an alias, if there is one."""
        self._call(lambda client: client.drop_alias(alias, timeout=WRITE_SECONDS))

    def drop(self, name: str) -> None:
        """Drop a collection, if there is one."""
        self._call(lambda client: client.drop_collection(name, timeout=WRITE_SECONDS))

    def _read(self, name: str, ask: Callable[[MilvusClient], T]) -> T:
        """Ask; if the server has released the collection, load it and ask once more."""
        try:
            return self._call(ask)
        except CollectionReleased:
            self.load(name)
            return self._call(ask)

    def _call(self, ask: Callable[[MilvusClient], T], patience: float | None = None) -> T:
        """Ask; a connection that is lost is made anew for so many seconds."""
        if patience is None:
            patience = INGEST_PATIENCE_SECONDS if self._is_writing else PATIENCE_SECONDS
        until = time.monotonic() + patience
        while True:
            try:
                return ask(self._connected())
            except Exception as error:
                problem = self._server.translate(error)
                if isinstance(problem, IndexUnreachable):
                    self.close()  # gRPC lets a lost connection rest for up to two minutes
                if not isinstance(problem, ConnectionLost) or time.monotonic() >= until:
                    raise problem from error
            time.sleep(_PAUSE)

    def _connected(self) -> MilvusClient:
        with self._lock:
            if self._client is None:
                try:
                    self._client = self._server.connect()
                except Exception as error:
                    raise self._server.translate(error) from error
            return self._client
