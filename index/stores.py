"""Open the store of an index in a folder or on a Milvus server.

The store of a server's index is a `FolderStore` on a local copy, which asks the server for nearest
vectors. A store's module is imported when a location needs it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    from blog_search_mcp.index.folder import FolderStore


@dataclass(frozen=True, slots=True)
class IndexAddress:
    """Address of an index on a server, without a password."""

    scheme: str
    server: str
    name: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.server}/{self.name}"


Location: TypeAlias = Path | IndexAddress
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)  # a letter is a drive of Windows
_ADDRESS = re.compile(
    r"(milvus|https?)://((?:\[[\w:.%]+\]|[\w.-]+)(?::\d{1,5})?)/([a-z_]\w{,99})/?",
    re.ASCII | re.IGNORECASE,
)


def parse_index_address(text: str) -> IndexAddress | None:
    """Parse the address of an index; `None` for a path. Raises ValueError for another address."""
    if not _SCHEME.match(text):
        return None
    if match := _ADDRESS.fullmatch(text):
        return IndexAddress(match[1].lower(), match[2], match[3])
    raise ValueError(
        "an index is a folder, or milvus://HOST:PORT/NAME, where NAME has up to 100 Latin letters, "
        "digits and _, on a Milvus server; a password is given in MILVUS_TOKEN"
    )


def open_store(location: Location) -> FolderStore:
    """Return the store of an index; nothing is read yet."""
    module = "milvus.store" if isinstance(location, IndexAddress) else "folder"
    return cast("FolderStore", import_module(f"blog_search_mcp.index.{module}").store_at(location))
