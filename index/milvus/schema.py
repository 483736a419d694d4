"""How an index lies in Milvus: its collections, their fields and the kinds of rows.

A generation is three collections that never change once the index's alias names the first:

    NAME_g000007_posts     posts, and what there is of a generation: manifest, counts of terms …
    NAME_g000007_chunks    texts and terms of chunks
    NAME_g000007_vectors   vectors, if there are any

It also uses rows of earlier generations' collections, its manifest says of which.
"""

from __future__ import annotations

import base64
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.errors import IndexProblem

Arrays: TypeAlias = Mapping[str, "npt.NDArray[Any]"]
FieldKind = Literal["int", "text", "sparse", "dense"]
Row: TypeAlias = dict[str, Any]
Sparse: TypeAlias = dict[int, float]

MOST_TEXT_BYTES: Final = 65_535
"""Bytes of UTF-8 that a text field takes (milvus.io, limitations)."""

MOST_HITS: Final = 16_384
"""Rows that one request finds, and queries that it asks (milvus.io, limitations)."""

BATCH_BYTES: Final = 8 << 20
"""Of the rows of one request; servers refuse 64 MB."""

PARTS: Final = 1 << 20
"""A row's number is its post's times this, plus which part of the post it is."""


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a collection; the first is the primary key."""

    name: str
    kind: FieldKind
    dimension: int = 0
    """Of a dense vector."""


ROW: Final = "row"
POST: Final = "post"
CHUNK: Final = "chunk"
KIND: Final = "kind"
PART: Final = "part"
TEXT: Final = "text"
PLAIN: Final = "plain"
WHOLE: Final = "whole"
TERMS: Final = "terms"
VECTOR: Final = "vector"
KEY: Final = "key"
CHECKSUM: Final = "seal"
"""As the first versions named it: by another name every post would be embedded again."""

POSTS_FIELDS: Final = (
    Field(ROW, "int"),
    Field(KIND, "text"),
    Field(POST, "int"),
    Field(PART, "int"),
    Field(TEXT, "text"),
    Field(WHOLE, "sparse"),
)
CHUNKS_FIELDS: Final = (
    Field(CHUNK, "int"),
    Field(POST, "int"),
    Field(TEXT, "text"),
    Field(PLAIN, "text"),
    Field(TERMS, "sparse"),
)
STATE_FIELDS: Final = (Field(KEY, "text"), Field(TEXT, "text"), Field(WHOLE, "sparse"))
"""Of rows that are looked up by a key; every collection must have vectors."""

NO_TERM: Final = 0
"""The dimension of a row without terms, since servers refuse empty ones; no query has it."""

NO_TERMS: Final[Sparse] = {NO_TERM: 1.0}


def vectors_fields(dimension: int) -> tuple[Field, ...]:
    """Return the columns of vectors of so many numbers."""
    return Field(ROW, "int"), Field(CHUNK, "int"), Field(POST, "int"), _vector(dimension)


def embeddings_fields(dimension: int) -> tuple[Field, ...]:
    """Return the columns of the embedding cache."""
    return Field(KEY, "text"), Field(CHECKSUM, "text"), _vector(dimension)


def _vector(dimension: int) -> Field:
    return Field(VECTOR, "dense", dimension)


@dataclass(frozen=True, slots=True)
class CollectionNames:
    """The names of one index's collections and aliases."""

    index: str
    """Also the alias of the live generation's posts."""

    @property
    def lock(self) -> str:
        """The alias that one writer holds."""
        return f"{self.index}_writer"

    def lock_held(self, by: str) -> str:
        """The collection of one writer that holds the lock, or wants it."""
        return f"{self.index}_lock_{by}"

    def is_lock(self, collection: str) -> bool:
        """Whether a collection is of some writer's."""
        return collection.startswith(self.lock_held(""))

    @property
    def state(self) -> str:
        """The collection of what is not part of a generation, such as the last ingest."""
        return f"{self.index}_state"

    def posts(self, generation: int) -> str:
        """The collection of a generation's posts."""
        return f"{self.index}_g{generation:06d}_posts"

    def chunks(self, generation: int) -> str:
        """The collection of a generation's chunks."""
        return f"{self.index}_g{generation:06d}_chunks"

    def vectors(self, generation: int) -> str:
        """The collection of a generation's vectors."""
        return f"{self.index}_g{generation:06d}_vectors"

    def embeddings(self, dimension: int) -> str:
        """The collection of the cache of embeddings of so many numbers."""
        return f"{self.index}_embeddings_{dimension}"

    def generation_of(self, collection: str) -> int | None:
        """The generation that a collection is of; `None` for any other collection."""
        found = re.fullmatch(rf"{self.index}_g(\d+)_(?:posts|chunks|vectors)", collection)
        return int(found[1]) if found else None


def batches(fields: Sequence[Field], rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Group rows into requests of about BATCH_BYTES.

    Raises IndexProblem for a value that the server would refuse.
    """
    batch: list[Row] = []
    size = 0
    for row in rows:
        own = sum(_check(field, row[field.name]) for field in fields)
        if batch and size + own > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += own
    if batch:
        yield batch


def _check(field: Field, value: Any) -> int:
    """Return how many bytes a value takes. Raises IndexProblem for one that is refused."""
    problem = None
    match field.kind:
        case "int":
            return 8
        case "text":
            size = len(value.encode())
            problem = f"{size:,} bytes" if size > MOST_TEXT_BYTES else None
        case "sparse":
            size = 8 * len(value)
            problem = None if size else "no term"
        case "dense":
            size = 4 * len(value)
            problem = f"{len(value)} numbers" if len(value) != field.dimension else None
    if problem:
        raise IndexProblem(
            f"A value with {problem} does not fit the field {field.name!r} of the index in Milvus. "
            "Report it with the post that was last named."
        )
    return int(size)


def literal(value: int | str) -> str:
    """Write a value into an expression; milvus-lite has no templates for them."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(int(value))


def among(field: str, values: Iterable[int] | Iterable[str], *, outside: bool = False) -> str:
    """Write that a field has one of these values, or none of them if `outside`."""
    listed = ", ".join(literal(value) for value in values)
    return f"{field} {'not in' if outside else 'in'} [{listed}]"


def split_text(text: str, most: int = MOST_TEXT_BYTES) -> list[str]:
    """Split a text into parts of at most `most` bytes of UTF-8, at least one."""
    content = text.encode()
    return list(_parts(content, most)) if len(content) > most else [text]


def _parts(content: bytes, most: int) -> Iterator[str]:
    start = 0
    while start < len(content):
        end = min(start + most, len(content))
        while end < len(content) and content[end] & 0xC0 == 0x80:
            end -= 1  # a character's later bytes begin with the bits 10
        yield content[start:end].decode()
        start = end


def pack_arrays(arrays: Arrays) -> list[str]:
    """Encode arrays as texts that each fit a field; ascending numbers take next to nothing."""
    file = io.BytesIO()
    columns: dict[str, Any] = {name: _differences(array) for name, array in arrays.items()}
    np.savez(file, **columns)
    encoded = base64.b64encode(zlib.compress(file.getvalue(), 6)).decode("ascii")
    return split_text(encoded)


def unpack_arrays(parts: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """Decode what `pack_arrays` made. Raises ValueError for anything else."""
    try:
        content = zlib.decompress(base64.b64decode("".join(parts), validate=True))
        with np.load(io.BytesIO(content), allow_pickle=False) as found:
            return {name: _sums(found[name]) for name in found.files}
    except (zlib.error, EOFError, OSError) as error:
        raise ValueError(str(error)) from error


def _differences(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return whole numbers as the steps between them, which wrap around, so nothing is lost."""
    return np.diff(array, prepend=array.dtype.type(0)) if array.dtype.kind in "iu" else array


def _sums(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.cumsum(array, dtype=array.dtype) if array.dtype.kind in "iu" else array
