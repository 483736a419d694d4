"""Compare vectors with every passage of a blog, each language about its own mean.

Raw cosines of one blog all lie close together, and those of one language closer than those of one
subject: by the mean over its passages the nearest page is a translation for .998 of hexo-site's
405 translated pages about the mean of each language, for .938 by raw cosines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy.typing as npt

    from blog_search_mcp.index.search.snapshot import Snapshot
    from blog_search_mcp.index.types import Ids, Post, Vectors
    from blog_search_mcp.index.vectors.store import ChunkVectors

SHARED = 50
"""Windows of the whole blog that a language's mean counts too, so that of a few posts it is not
these posts themselves."""

NOWHERE = -2.0
"""Less than any cosine."""


class BlogPassages:
    """The windows of all chunks of a blog, post by post in the order of `posts`."""

    def __init__(
        self, snapshot: Snapshot, posts: Mapping[int, Post], vectors: ChunkVectors
    ) -> None:
        """Take a generation, its posts and the vectors of all its chunks."""
        table = snapshot.table
        self._rows, counts = vectors
        self.chunks: Ids = np.repeat(table.chunks, counts)
        """By window, its chunk."""
        of_windows: Ids = np.repeat(table.posts, counts)
        self.posts: Ids
        """The posts that have vectors, ascending."""
        self.posts, self.starts = np.unique(of_windows, return_index=True)
        """By post, its first window."""
        self._sizes = np.diff(np.append(self.starts, len(self._rows)))
        groups = snapshot.translations.groups
        self.families: Ids = np.array(
            [
                min(each.post for each in groups[p]) if p in groups else p
                for p in self.posts.tolist()
            ],
            dtype=np.int64,
        )
        """By post, the same number for it and its translations."""
        self._language_numbers: dict[str, int] = {}
        by_post = [
            self._language_numbers.setdefault(posts[post].language, len(self._language_numbers))
            for post in self.posts.tolist()
        ]
        self._languages: Ids = np.repeat(np.array(by_post, dtype=np.int64), self._sizes)
        mean = snapshot.vectors.mean()
        self._means = np.tile(mean, (len(self._language_numbers) + 1, 1))
        for number in range(len(self._language_numbers)):
            own = self._rows[self._languages == number]
            self._means[number] = (own.sum(axis=0) + SHARED * mean) / (len(own) + SHARED)
        lengths = 1.0 - 2.0 * self._along_means(self._rows)
        lengths += (self._means**2).sum(axis=1)[self._languages]
        self._norms = np.sqrt(np.maximum(lengths, 1e-9)).astype(np.float32)

    def _along_means(self, rows: Vectors) -> Vectors:
        """Return the product of each row with the mean of its own language."""
        products: Vectors = (rows @ self._means.T)[np.arange(len(rows)), self._languages]
        return products

    def compare(self, vectors: Vectors, language: str) -> Vectors:
        """Return the cosines of unit vectors of a text in `language` to all windows.

        Shape (len(vectors), windows); zeros for a vector of zeros.
        """
        number = self._language_numbers.get(language, len(self._language_numbers))
        known = np.linalg.norm(vectors, axis=1, keepdims=True) > 0
        return self._compare(np.where(known, vectors - self._means[number], 0.0))

    def compare_windows(self, windows: Ids) -> Vectors:
        """Return the cosines of these windows to all windows."""
        return self._compare(self._rows[windows] - self._means[self._languages[windows]])

    def _compare(self, centred: Vectors) -> Vectors:
        norms = np.linalg.norm(centred, axis=1, keepdims=True)
        directions = (centred / np.maximum(norms, 1e-9)).astype(np.float32)
        along = directions @ self._means.T
        cosines: Vectors = directions @ self._rows.T
        for number in range(len(self._means)):
            cosines[:, self._languages == number] -= along[:, number : number + 1]
        cosines /= self._norms
        return cosines

    def by_post(self, cosines: Vectors) -> Vectors:
        """Return the largest cosine of each post, of shape (len(cosines), len(posts))."""
        if not len(self.posts):
            return np.zeros((len(cosines), 0), dtype=np.float32)
        found: Vectors = np.maximum.reduceat(cosines, self.starts, axis=1)
        return found

    def windows_of(self, place: int) -> slice:
        """Return the windows of the post at this place of `posts`."""
        return slice(int(self.starts[place]), int(self.starts[place] + self._sizes[place]))

    def hide(self, by_post: Vectors, posts: Collection[int]) -> None:
        """Let nothing be near to these posts."""
        by_post[:, np.isin(self.posts, np.fromiter(posts, dtype=np.int64, count=len(posts)))] = (
            NOWHERE
        )

    def best_elsewhere(self, by_post: Vectors, places: Ids) -> npt.NDArray[np.float32]:
        """Return by row the largest cosine outside the family of the post at its place."""
        elsewhere = self.families[np.newaxis, :] != self.families[places][:, np.newaxis]
        found: Vectors = np.where(elsewhere, by_post, NOWHERE).max(axis=1, initial=NOWHERE)
        return found
