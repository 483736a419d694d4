"""The index folder as it can be known without opening the index: small files in, facts out.

The first reply needs to say what blog this is, and a watch needs to see that another
generation is live; neither may wait for numpy, FAISS and tantivy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from index.layout import Layout
from index.summary import Summary, read_summary

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Stamp: TypeAlias = tuple[str, int, int] | None
"""Another value for every switch of generations, beginning with the name of the live one;
`None` while there is no index."""


class IndexFolder:
    """One index folder; each call looks anew."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; it need not exist."""
        self._layout = Layout(folder)

    def stamp(self) -> Stamp:
        """Look which generation is live, at the price of reading one line."""
        try:
            with self._layout.current.open("rb") as file:
                name = file.read(20).decode("ascii", "replace").strip()
                status = self._layout.current.stat()
        except OSError:
            return None
        return name, status.st_ino, status.st_mtime_ns

    def summary(self) -> Summary | None:
        """Read what the blog is, `None` if that is not known."""
        return read_summary(self._layout)

    def changed(self, before: Stamp, now: Stamp) -> frozenset[str]:
        """Name the sources that were added, changed or removed between two generations.

        Raises IndexBroken or IndexFormatUnknown if one cannot be read, such as one that was
        deleted since.
        """
        early, late = self._digests(before), self._digests(now)
        return frozenset(
            source for source in early.keys() | late.keys() if early.get(source) != late.get(source)
        )

    def _digests(self, stamp: Stamp) -> Mapping[str, str]:
        if stamp is None:
            return {}
        from index.errors import IndexBroken
        from index.generations import load_manifest

        if not stamp[0].isdecimal():
            raise IndexBroken("The index's CURRENT names no generation.")
        manifest = load_manifest(self._layout, int(stamp[0]))
        return {source: post.digest for source, post in manifest.posts.items()}
