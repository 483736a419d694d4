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

Stamp: TypeAlias = tuple[int, int, int] | None
"""Another value for every switch of generations; `None` while there is no index."""


class IndexFolder:
    """One index folder; each call looks anew."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; it need not exist."""
        self._layout = Layout(folder)

    def stamp(self) -> Stamp:
        """Look which generation is live, at the price of one look at a file's time."""
        try:
            status = self._layout.current.stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    def summary(self) -> Summary | None:
        """Read what the blog is, `None` if that is not known."""
        return read_summary(self._layout)

    def digests(self) -> Mapping[str, str]:
        """Give each post's digest by source; none while there is no index.

        Raises IndexBroken or IndexFormatUnknown.
        """
        from index.errors import IndexMissing
        from index.generations import live_number, load_manifest

        try:
            manifest = load_manifest(self._layout, live_number(self._layout))
        except IndexMissing:
            return {}
        return {source: post.digest for source, post in manifest.posts.items()}
