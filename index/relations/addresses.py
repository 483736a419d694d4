"""Where each post of a blog is found, and which post a link leads to.

A link is resolved as the generators and editors that write it do: by the post's URL, by its file
beside the linking one or below the content folder, by a former address, or by its name alone.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from blog_search_mcp.index.analysis.languages import language_tag
from blog_search_mcp.index.relations.paths import MARKDOWN, parse_path
from blog_search_mcp.index.relations.places import (
    Places,
    host_of,
    page_of,
    split_address,
    split_page,
)
from blog_search_mcp.index.types import Contradiction, Link, Post

GENERATED = {"ref", "link", "post"}
"""Schemes of `index.posts.markdown.inline`."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a link leads to."""

    post: int
    anchor: str
    """Behind `#`, decoded; `""` for the post as a whole."""


class ResolvedLink(NamedTuple):
    """A link of a post and where it leads."""

    link: Link
    target: Target | None
    """`None` for another site, a file that is no post, or nothing at all."""


CONTRADICTED, CONTRADICTED_SHARE = 3, 0.2
"""Posts, and their share of those that are linked, which must be linked elsewhere. On six blogs it
is .00 to .05 by their own pattern of addresses, .59 and .81 by another one."""


class Addresses:
    """The addresses of the posts of one blog; the ids of posts begin with 1."""

    def __init__(
        self, posts: Mapping[int, Post], links: Mapping[int, Sequence[Link]] = MappingProxyType({})
    ) -> None:
        """Index posts by their addresses; `posts` are all of the blog by id, `links` theirs.

        Where no post has a URL, the links show where posts are published.
        """
        self._posts, self._links = posts, links
        self._by_source = {post.source.casefold(): number for number, post in posts.items()}
        self._by_file: dict[str, int] = {}
        """By source without its ending, and by folder for a file that stands for one."""
        self._by_page: dict[str, int] = {}
        """By the path of a URL or of a former address."""
        self._by_name: defaultdict[str, set[int]] = defaultdict(set)
        self.hosts = frozenset(host_of(urlsplit(post.url)) for post in posts.values() if post.url)
        """Names of the blog's own site, without `www.`."""
        for number, post in posts.items():
            self._by_file.setdefault(MARKDOWN.sub("", post.source.casefold()), number)
            for address in filter(None, (post.url, *post.aliases)):
                if parts := split_address(address):
                    self._by_page.setdefault(page_of(unquote(parts.path)), number)
            for name in _names_of(post):
                self._by_name[name].add(number)
        for number, post in posts.items():
            self._by_file.setdefault(parse_path(post.source.casefold()).page, number)

    @cached_property
    def resolved(self) -> Mapping[int, tuple[ResolvedLink, ...]]:
        """The links of each post that has any, in the order of the post."""
        return {
            post: tuple(
                ResolvedLink(link, self.find_target(link.href, self._posts[post].source))
                for link in links
            )
            for post, links in self._links.items()
        }

    @cached_property
    def _hrefs(self) -> Sequence[str]:
        return sorted({link.href for links in self._links.values() for link in links})

    @cached_property
    def _places(self) -> Places:
        """Where posts without a URL are published, as links show."""
        return Places(self._posts, () if self.hosts else self._hrefs)

    @cached_property
    def contradiction(self) -> Contradiction | None:
        """Whether the posts' links show that they are elsewhere than at their URLs."""
        if not self.hosts:
            return None
        places = Places(self._posts, self._hrefs)
        right, wrong = set[int](), dict[int, str]()
        for href in self._hrefs:
            parts = split_page(href)
            if parts is None or host_of(parts) not in {"", *self.hosts}:
                continue
            if number := self._by_page.get(page_of(unquote(parts.path))):
                right.add(number)
            elif (number := places.find(parts)) and self._posts[number].url:
                wrong.setdefault(number, href)
        elsewhere = sorted(wrong.keys() - right)
        linked = len(right) + len(elsewhere)
        if len(elsewhere) < max(CONTRADICTED, CONTRADICTED_SHARE * linked):
            return None
        url = self._posts[elsewhere[0]].url or ""
        return Contradiction(linked, len(elsewhere), wrong[elsewhere[0]], url)

    def find_target(self, href: str, source: str) -> Target | None:
        """Return the post that `href` in the post at `source` leads to, if it leads to one."""
        parts = split_address(href)
        post = self._find_post(parts, source) if parts else None
        return Target(post, unquote(parts.fragment)) if parts and post else None

    def _find_post(self, parts: SplitResult, source: str) -> int | None:
        path = unquote(parts.path)
        if parts.scheme in GENERATED:
            return self._find_file(path, source) or self._find_name(path)
        if parts.scheme not in ("", "http", "https"):
            return None
        if parts.netloc or parts.scheme:
            is_own = host_of(parts) in self.hosts
            return self._by_page.get(page_of(path)) if is_own else self._places.find(parts)
        if not path:
            return self._by_source.get(source.casefold()) if parts.fragment else None
        if MARKDOWN.search(path) or path.startswith("@/"):
            return self._find_file(path, source) or self._find_name(path)
        page = self._page_at(parts, source)
        return (
            (None if page is None else self._by_page.get(page))
            or self._find_file(path, source)
            or (self._places.find(parts) if path.startswith("/") else None)
        )

    def _find_file(self, path: str, source: str) -> int | None:
        """Find a post by its file, relative to that of the linking one or to the content folder."""
        for place in places_of(path, source):
            if post := self._by_source.get(place.casefold()) or self._by_file.get(place.casefold()):
                return post
        return None

    def _find_name(self, path: str) -> int | None:
        """Find the one post that has this name, whatever its folder."""
        posts = self._by_name.get(_name_in(path), ())
        return next(iter(posts)) if len(posts) == 1 else None

    def has_name(self, path: str) -> bool:
        """Whether any post has the name that a path ends in."""
        return _name_in(path) in self._by_name

    def _page_at(self, parts: SplitResult, source: str) -> str | None:
        """Return the page, as `page_of`, that an address leads to from the post at `source`.

        `None` if it leads nowhere, or if the post has no URL that a relative one could start from.
        """
        number = self._by_source.get(source.casefold())
        url = self._posts[number].url if number and not parts.netloc else None
        try:
            path = urlsplit(urljoin(url or "", parts.path)).path
        except ValueError:
            return None
        return page_of(unquote(path)) if path.startswith("/") or parts.netloc else None

    @property
    def is_known(self) -> bool:
        """Whether it is known where posts are published."""
        return bool(self.hosts) and not self.contradiction

    def is_own(self, parts: SplitResult) -> bool:
        """Whether an address is of the blog's own site, or written relative to a post."""
        is_relative = not parts.netloc and parts.scheme in ("", *GENERATED)
        return is_relative or (self.is_known and host_of(parts) in self.hosts)

    def find_page(self, href: str, source: str) -> str | None:
        """Return the page of the blog's site that `href` in the post at `source` leads to.

        As `page_of`; `None` if it leads elsewhere, or nobody knows where to.
        """
        parts = split_address(href)
        if parts is None or parts.scheme not in ("", "http", "https") or not self.is_known:
            return None
        return self._page_at(parts, source) if host_of(parts) in {"", *self.hosts} else None

    def has_page(self, page: str) -> bool:
        """Whether a post is there; sites show what is not translated below other languages too."""
        language, _, rest = page.partition("/")
        return page in self._by_page or bool(language_tag(language) and rest in self._by_page)

    def count_beside(self, page: str) -> int:
        """Count the posts at pages like this one: in the same folders, but for numbers.

        0 for what lies at the top of the site, for what posts lie below, and for pages of no post.
        """
        is_above = any(each.startswith(f"{page}/") for each in self._pages)
        return 0 if "/" not in page or is_above else self._shapes[_shape(page)]

    @cached_property
    def _pages(self) -> Sequence[str]:
        """The page of each post that has a URL."""
        urls = (post.url for post in self._posts.values() if post.url)
        return [page_of(unquote(urlsplit(url).path)) for url in urls]

    @cached_property
    def _shapes(self) -> Counter[str]:
        """How many posts' pages lie in folders like one another."""
        return Counter(map(_shape, self._pages))


def places_of(path: str, source: str) -> Sequence[str]:
    """Return where below the content folder a path may lead: beside the post, and from the top."""
    inner = path.removeprefix("@").strip("/")
    beside = posixpath.join(posixpath.dirname(source), inner)
    places = (inner,) if path.startswith(("/", "@/")) else (beside, inner)
    return [posixpath.normpath(place) for place in places]


def _name_in(path: str) -> str:
    return MARKDOWN.sub("", path.rstrip("/")).rpartition("/")[2].casefold()


def _shape(page: str) -> str:
    """Return the folders of a page with each digit as `0`: `0000/00`."""
    return re.sub(r"\d", "0", page.rpartition("/")[0])


def _names_of(post: Post) -> set[str]:
    """Return the names by which notes and generators refer to a post."""
    path = parse_path(post.source)
    names = (path.name, path.undated, post.slug, post.title, *post.aliases)
    return {name.casefold() for name in names if name}
