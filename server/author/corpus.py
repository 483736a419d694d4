"""One generation as analyses of the whole blog read it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from blog_search_mcp.index.search.snapshot import Snapshot
from blog_search_mcp.index.types import Link
from blog_search_mcp.ingest.relations.link_targets import Addresses
from blog_search_mcp.server.author.neighbors import Passages
from blog_search_mcp.server.author.overlap import PostTitles

if TYPE_CHECKING:
    from blog_search_mcp.index.reader import IndexReader


class Corpus:
    """The posts of one generation, with their vectors and links; safe for concurrent use."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Take an opened generation, which must stay open. Raises IndexBroken."""
        self.snapshot = snapshot
        self.posts = snapshot.catalog.every_post()
        """Every post by id."""
        self.addresses = Addresses(self.posts, snapshot.catalog.links())
        self.links = self.addresses.resolved
        """The links of each post that has any, in the order of the post."""
        self.linked = {
            post: frozenset(target.post for _, target in links if target) - {post}
            for post, links in self.links.items()
        }
        """By post, the other posts that it links to."""

    @cached_property
    def passages(self) -> Passages:
        """The windows of all chunks, to compare vectors with."""
        return Passages(self.snapshot, self.posts)

    @cached_property
    def titles(self) -> PostTitles:
        """The words of the posts' titles."""
        return PostTitles(self.posts, self.snapshot.lexical.posts.having)

    def translations_of(self, post: int) -> frozenset[int]:
        """Return the posts that are translations of this one."""
        group = self.snapshot.translations.get(post, ())
        return frozenset(version.post for version in group) - {post}

    def targets_of(self, links: Iterable[Link], source: str) -> frozenset[int]:
        """Return the posts that links in the text at `source` lead to."""
        targets = (self.addresses.find_target(link.href, source) for link in links)
        return frozenset(target.post for target in targets if target)


_corpora: WeakKeyDictionary[IndexReader, Corpus] = WeakKeyDictionary()
"""The corpus of each generation that is open, so that analyses share vectors and links."""
_making = Lock()


def corpus_of(reader: IndexReader) -> Corpus:
    """Return the corpus of an opened generation, made once. Raises IndexBroken."""
    with _making:
        if reader not in _corpora:
            _corpora[reader] = Corpus(reader.snapshot)
        return _corpora[reader]
