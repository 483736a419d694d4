"""Which post a link leads to: the addresses that authors wrote in, post ids out.

Sites put posts at places of their own (`/2024/05/slug/`, `/posts/slug.html`, a wiki link's bare
name), so an address is compared with the posts' places from its end. A link leads elsewhere when
a post comes or goes, so every generation is written with where all of its links lead.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from blog_search_mcp.index.analysis.languages import language_tag

if TYPE_CHECKING:
    from blog_search_mcp.index.store.translations import Translations
    from blog_search_mcp.index.types import Post

_PAGE = re.compile(r"\.(?:mdx?|markdown|html?)$")
_INDEX = {"index", "_index", "readme"}
"""Names under which a folder is itself a page."""
_DATED = re.compile(r"\d{4}-\d\d-\d\d-(.+)")


def place(path: str) -> str:
    """A path as it is compared: lower case, hyphens for spaces, no ending, no `index`."""
    parts = [part for part in path.casefold().replace(" ", "-").split("/") if part not in ("", ".")]
    if parts:
        name, _, language = _PAGE.sub("", parts.pop()).rpartition(".")
        name = name if name and language_tag(language) else ".".join(filter(None, (name, language)))
        parts += [] if name in _INDEX else [name]
    return "/".join(parts)


class Targets(Protocol):
    """What knows where links lead."""

    def of(self, address: str) -> tuple[int, ...]:
        """Ids of the post at an address that `place` wrote, with its translations; `()` if none."""
        ...


class KnownTargets:
    """Where the links of one generation lead, as it was written."""

    def __init__(self, known: Mapping[str, tuple[int, ...]]) -> None:
        """`known` are ids of posts by address."""
        self._known = known

    def of(self, address: str) -> tuple[int, ...]:
        """Ids of the post at an address, with its translations."""
        return self._known.get(address, ())


class LinkTargets:
    """The posts of one generation by where they are."""

    def __init__(self, posts: Mapping[int, Post], translations: Translations) -> None:
        """`posts` by id are all of the blog's."""
        self._translations = translations
        self._named: dict[str, list[tuple[list[str], int]]] = defaultdict(list)
        for number, post in posts.items():
            for parts in _places(post):
                self._named[parts[-1]].append((parts, number))

    def of(self, address: str) -> tuple[int, ...]:
        """Ids of the post at an address that `place` wrote, with its translations.

        `()` if there is none, or if several would do.
        """
        wanted = address.split("/")
        found = [(_shared(wanted, parts), post) for parts, post in self._named.get(wanted[-1], ())]
        most = max((shared for shared, _ in found), default=0)
        posts = {post for shared, post in found if shared == most}
        group = {each.post for post in posts for each in self._translations.of(post)}
        if len(posts) == 1 or all(posts <= self._group(post) for post in posts):
            return tuple(sorted(posts | group))
        return ()

    def _group(self, post: int) -> set[int]:
        return {each.post for each in self._translations.of(post)}


def _places(post: Post) -> Iterator[list[str]]:
    """Where a post may be linked to: at its file, by its slug, by its name without the date."""
    *folders, name = place(post.source).split("/")
    slug = place(post.slug).rpartition("/")[2]
    dated = _DATED.fullmatch(name)
    shown = place(urlsplit(post.url).path) if post.url else ""
    for each in dict.fromkeys((name, slug, dated[1] if dated else "")):
        if each:
            yield [*folders, each]
    if shown:
        yield shown.split("/")


def _shared(one: list[str], other: list[str]) -> int:
    """How many parts the two have in common at their ends."""
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        count += 1
    return count
