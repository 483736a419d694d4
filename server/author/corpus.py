"""The data of one generation that analyses of the whole blog share."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from blog_search_mcp.index.search.snapshot import Snapshot
from blog_search_mcp.index.types import Link
from blog_search_mcp.ingest.relations.link_targets import LinkTargets
from blog_search_mcp.server.author.neighbors import Passages
from blog_search_mcp.server.author.overlap import PostTitles

if TYPE_CHECKING:
    from blog_search_mcp.index.reader import IndexReader


class Corpus:
    """The posts of one generation, with their vectors and links; safe for concurrent use."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Read the posts and links of a generation, which must stay open. Raises IndexBroken."""
        self.snapshot = snapshot
        self.posts = snapshot.catalog.every_post()
        self.addresses = LinkTargets(self.posts, snapshot.catalog.links())
        self.links = self.addresses.resolved
        """Pairs (link, target or `None`) by ID of the linking post, in the order of its text."""
        self.linked = {
            post: frozenset(target.post for _, target in links if target) - {post}
            for post, links in self.links.items()
        }
        """IDs of the posts that a post links to, without itself, by ID of the post."""

    @cached_property
    def passages(self) -> Passages:
        """Vectors of the windows of all chunks."""
        return Passages(self.snapshot, self.posts)

    @cached_property
    def titles(self) -> PostTitles:
        """Terms of the posts' titles."""
        return PostTitles(self.posts, self.snapshot.lexical.posts.document_frequency)

    def translations_of(self, post: int) -> frozenset[int]:
        """Return the IDs of a post's translations, without the post itself."""
        group = self.snapshot.translations.get(post, ())
        return frozenset(version.post for version in group) - {post}

    def targets_of(self, links: Iterable[Link], source: str) -> frozenset[int]:
        """Return the IDs of the posts to which the links of a text at `source` lead."""
        targets = (self.addresses.find_target(link.href, source) for link in links)
        return frozenset(target.post for target in targets if target)


_corpora: WeakKeyDictionary[IndexReader, Corpus] = WeakKeyDictionary()
"""Corpus by reader, so that analyses of one open generation share vectors and links."""
_making = Lock()


def corpus_of(reader: IndexReader) -> Corpus:
    """Return the corpus of an open generation; only the first call reads. Raises IndexBroken."""
    with _making:
        if reader not in _corpora:
            _corpora[reader] = Corpus(reader.snapshot)
        return _corpora[reader]
