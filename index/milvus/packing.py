"""Put long texts and arrays of numbers into text fields, in parts that Milvus takes."""

from __future__ import annotations

import base64
import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.milvus.schema import MOST_BYTES

Arrays: TypeAlias = Mapping[str, "npt.NDArray[Any]"]


def split_text(text: str, most: int = MOST_BYTES) -> list[str]:
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
