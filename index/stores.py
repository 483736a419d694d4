"""Where an index can lie; the rest knows a location alone.

A location is a folder or an address. A store elsewhere is a `FolderStore` whose folder is a copy of
what lies there, with words and vectors of its own: its module has a function `store_at(location)`
and is imported when a location asks for it, so that a folder costs nothing of it.
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
    """An index that is no folder of this machine."""

    scheme: str
    """In lower case: a key of `_MODULES`."""
    server: str
    """Host, and port if it is named; never a password."""
    name: str
    """The index's name there."""

    @property
    def parts(self) -> tuple[str, str, str]:
        """As a path's, the name last."""
        return f"{self.scheme}://", self.server, self.name

    def __str__(self) -> str:
        """Write it as `--index` takes it."""
        return f"{self.scheme}://{self.server}/{self.name}"


Location: TypeAlias = Path | IndexAddress
"""Of an index: a folder or an address."""

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+)://(.*)", re.IGNORECASE | re.DOTALL)
"""A single letter is a drive of Windows."""

_SERVER = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[\w.-]+)(:\d{1,5})?")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
"""What a database takes as a name, with room for what is put behind it."""


def parse_index_address(text: str) -> IndexAddress | None:
    """Parse the address of an index; `None` for a path. Raises ValueError with what is wrong."""
    match = _ADDRESS.fullmatch(text)
    if match is None:
        return None
    scheme, rest = match[1].lower(), match[2]
    if scheme not in _MODULES:
        # The rest of an address may hold a password.
        raise ValueError(
            f"an index is a folder, or lies on a Milvus server at milvus://HOST:PORT/NAME; "
            f"{match[1]}:// is neither"
        )
    server, _, name = rest.rstrip("/").partition("/")
    if "@" in server:
        raise ValueError("an address holds no password; give the token in MILVUS_TOKEN")
    if not _SERVER.fullmatch(server):
        raise ValueError(f"{scheme}://HOST:PORT/NAME needs a host before the index's name")
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{name!r:.60} is no name of an index: up to 100 letters of the Latin alphabet, digits "
            f"and _, such as {scheme}://{server}/my_blog"
        )
    return IndexAddress(scheme, server, name)


_MODULES = {
    "": "blog_search_mcp.index.folder",
    "milvus": "blog_search_mcp.index.milvus.store",
    "http": "blog_search_mcp.index.milvus.store",
    "https": "blog_search_mcp.index.milvus.store",
}
"""By the scheme of an address, empty for a folder, the module of the store."""


def open_store(location: Location) -> FolderStore:
    """Return the store of an index; nothing is read yet."""
    scheme = location.scheme if isinstance(location, IndexAddress) else ""
    return cast("FolderStore", import_module(_MODULES[scheme]).store_at(location))
