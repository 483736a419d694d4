"""Which rows on a server are a generation's."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from blog_search_mcp.index.milvus.client import Milvus

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
