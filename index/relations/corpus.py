"""One generation as analyses of the whole blog read it; each part is computed once, when needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

from blog_search_mcp.index.relations.addresses import Addresses, ResolvedLink
from blog_search_mcp.index.relations.linking.titles import Titles
from blog_search_mcp.index.relations.passages import Passages

if TYPE_CHECKING:
    from blog_search_mcp.index.search.snapshot import Snapshot
    from blog_search_mcp.index.types import Post, Series

T = TypeVar("T")


class Corpus:
    """The posts of one generation, with their vectors and links; safe for concurrent use."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Take an opened generation, which must stay open."""
        self.snapshot = snapshot
        self._made: dict[str, Any] = {}
        self._making = RLock()

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """Make a part once for all threads: a second first call waits."""
        with self._making:
            if name not in self._made:
                self._made[name] = make()
            made: T = self._made[name]
            return made

    @property
    def posts(self) -> Mapping[int, Post]:
        """Every post by id."""
        return self._once("posts", self.snapshot.catalog.every_post)

    @property
    def addresses(self) -> Addresses:
        """Where each post is found."""
        return self._once("addresses", lambda: Addresses(self.posts, self.snapshot.catalog.links()))

    @property
    def links(self) -> Mapping[int, tuple[ResolvedLink, ...]]:
        """The links of each post that has any, in the order of the post."""
        return self._once("links", lambda: self.addresses.resolved)

    @property
    def linked(self) -> Mapping[int, frozenset[int]]:
        """By post, the other posts that it links to."""
        return self._once(
            "linked",
            lambda: {
                post: frozenset(each.target.post for each in links if each.target) - {post}
                for post, links in self.links.items()
            },
        )

    @property
    def titles(self) -> Titles:
        """The words of the posts' titles."""
        having = self.snapshot.lexical.posts.having
        return self._once("titles", lambda: Titles(self.posts, having))

    @property
    def passages(self) -> Passages:
        """The windows of all chunks, to compare vectors with."""
        return self._once("passages", lambda: Passages(self.snapshot, self.posts))

    @property
    def series(self) -> Mapping[int, Series]:
        """The series of each post that is in one."""
        return self.snapshot.series

    def translations_of(self, post: int) -> frozenset[int]:
        """Return the posts that are translations of this one."""
        group = self.snapshot.translations.groups.get(post, ())
        return frozenset(each.post for each in group) - {post}
