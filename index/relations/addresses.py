"""Where each post of a blog is found, and which post a link leads to.

A link is resolved as the generators and editors that write it do: by the post's URL, by its file
beside the linking one or below the content folder, by a former address, or by its name alone.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from blog_search_mcp.index.analysis.languages import language_tag
from blog_search_mcp.index.relations.linking.places import (
    DAY,
    INDEXES,
    MARKDOWN,
    MOST_NAMES,
    Places,
    host_of,
    split_page,
)
from blog_search_mcp.index.types import Contradiction, Link, Post

_ENDINGS = (".md", "/index.md", "/_index.md", ".mdx", ".markdown")
"""Of a post's file, which links leave out."""
_GENERATED = {"ref", "link", "post"}
"""Schemes of `index.posts.markdown.inline`."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a link leads to."""

    post: int
    anchor: str
    """Behind `#`, decoded; `""` for the post as a whole."""


@dataclass(frozen=True, slots=True)
class ResolvedLink:
    """A link of a post and where it leads."""

    link: Link
    target: Target | None
    """`None` for another site, a file that is no post, or nothing at all."""


CONTRADICTED, CONTRADICTED_SHARE = 3, 0.2
"""Posts, and their share of those that are linked, which must be linked elsewhere. On six blogs it
is .00 to .05 by their own pattern of addresses, .59 and .81 by another one."""


class Addresses:
    """The addresses of the posts of one blog."""

    def __init__(
        self, posts: Mapping[int, Post], links: Mapping[int, Sequence[Link]] = MappingProxyType({})
    ) -> None:
        """Index posts by their addresses; `posts` are all of the blog by id, `links` theirs.

        Where no post has a URL, the links show where posts are published.
        """
        self._posts = posts
        self._by_source = {_fold(post.source): number for number, post in posts.items()}
        self._by_stem: dict[str, int] = {}
        """By source without one of `_ENDINGS`, the first of them before the others."""
        for end in _ENDINGS:
            for source, number in self._by_source.items():
                if source.endswith(end):
                    self._by_stem.setdefault(source.removesuffix(end), number)
        self._by_path: dict[str, int] = {}
        self._by_name: defaultdict[str, set[int]] = defaultdict(set)
        self.hosts: frozenset[str] = frozenset(
            host_of(urlsplit(post.url)) for post in posts.values() if post.url
        )
        """Names of the blog's own site, without `www.`."""
        self._links = links
        for number, post in posts.items():
            for address in (post.url, *post.aliases):
                if address and (parts := split_address(address)):
                    self._by_path.setdefault(_page(parts.path), number)
            for name in _names(post):
                self._by_name[name].add(number)

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
    def places(self) -> Places:
        """Where posts without a URL are published, as links show."""
        return Places(self._posts, {} if self.hosts else self._links)

    @cached_property
    def contradiction(self) -> Contradiction | None:
        """Whether the posts' links show that they are elsewhere than at their URLs."""
        places = Places(self._posts, self._links) if self.hosts else None
        right, wrong = set[int](), dict[int, str]()
        for href in {link.href for links in self._links.values() for link in links}:
            parts = split_page(href)
            if places is None or parts is None or host_of(parts) not in {"", *self.hosts}:
                continue
            if number := self._by_path.get(_page(parts.path)):
                right.add(number)
            elif (number := places.find(parts)) and self._posts[number].url:
                wrong[number] = min(wrong.get(number, href), href)
        elsewhere = sorted(wrong.keys() - right)
        linked = len(right) + len(elsewhere)
        if len(elsewhere) < max(CONTRADICTED, CONTRADICTED_SHARE * linked):
            return None
        example = elsewhere[0]
        url = self._posts[example].url or ""
        return Contradiction(linked, len(elsewhere), wrong[example], url)

    @cached_property
    def _site(self) -> frozenset[str]:
        """Name the hosts where the paths of posts are known; `""` stands for links by a path alone.

        Without a URL they are those of the place that most links lead to: the others may hold
        another version of the blog.
        """
        if self.hosts:
            return frozenset() if self.contradiction else self.hosts | {""}
        first, *others = self.places.known or (None,)
        same = [each for each in others if first and each.is_laid_out_as(first)]
        return frozenset(each.host for each in (first, *same) if each)

    @cached_property
    def _paths(self) -> Sequence[str]:
        """The path of each post's page, as its URL says or links from posts show."""
        place = next(iter(self.places.known), None)
        pages = (post.url or (place and place.address_of(post)) for post in self._posts.values())
        return [_page(urlsplit(page).path) for page in pages if page]

    @cached_property
    def _shapes(self) -> Counter[str]:
        """How many posts' pages lie at paths like one another."""
        return Counter(map(_shape, self._paths))

    @cached_property
    def _above(self) -> frozenset[str]:
        """The folders that posts' pages lie below."""
        return frozenset(
            path[:place]
            for path in self._paths
            for place in islice((at for at, sign in enumerate(path) if sign == "/"), MOST_NAMES)
        ) | {"/"}

    @cached_property
    def _own_host(self) -> re.Pattern[str]:
        """Match a name of the blog's own site."""
        names = "|".join(map(re.escape, sorted(self.hosts | self.places.hosts)))
        return re.compile(names or "(?!)", re.IGNORECASE)

    def find_target(self, href: str, source: str) -> Target | None:
        """Return the post that `href` in the post at `source` leads to, if it leads to one."""
        parts = self._split(href)
        if parts is None:
            return None
        anchor, path = unquote(parts.fragment), unquote(parts.path)
        if parts.scheme in _GENERATED:
            found = self._find_file(path, source) or self._find_name(path)
        elif parts.netloc or parts.scheme:
            if parts.scheme not in ("", "http", "https"):
                return None
            is_own = host_of(parts) in self.hosts
            found = self._by_path.get(_page(path)) if is_own else self.places.find(parts)
        elif not path:
            found = self._by_source.get(_fold(source)) if anchor else None
        elif MARKDOWN.search(path) or path.startswith("@/"):
            found = self._find_file(path, source) or self._find_name(path)
        else:
            found = (
                self._find_page(path, source)
                or self._find_file(path, source)
                or (self.places.find(parts) if path.startswith("/") else None)
            )
        return Target(found, anchor) if found else None

    def path_on_site(self, href: str, source: str) -> str:
        """Return the path on the blog's site that `href` in the post at `source` leads to.

        In lower case, without what all addresses of one page may end in; `""` if it leads
        elsewhere, or nobody knows where to, as from a post without a URL.
        """
        parts = split_address(href)
        if (
            parts is None
            or parts.scheme not in ("", "http", "https")
            or host_of(parts) not in self._site
        ):
            return ""
        number = self._by_source.get(_fold(source))
        url = self._posts[number].url if number else None
        path = _join(url or "", parts.path)
        return _page(path) if path and (url or parts.netloc or path[0] == "/") else ""

    def find_path(self, path: str) -> int | None:
        """Find the post at a path of `path_on_site`; one in a language of its own may be below it.

        Sites show what is not translated in the language it is in.
        """
        _, _, rest = path.lstrip("/").partition("/")
        is_translated = bool(language_tag(path.split("/")[1])) if path.startswith("/") else False
        return self._by_path.get(path) or (
            self._by_path.get(f"/{rest}") if rest and is_translated else None
        )

    def count_beside(self, path: str) -> int:
        """Count the posts at paths like this one: the same folders, but for numbers.

        0 for what lies at the top of the site, for what posts lie below, and for paths of no post.
        """
        return 0 if path in self._above or path.count("/") < 2 else self._shapes[_shape(path)]

    @property
    def is_known(self) -> bool:
        """Whether a configuration, or links among the posts, say where posts are published."""
        return bool(self._site)

    def has_name(self, path: str) -> bool:
        """Whether any post has the name that a path ends in."""
        return bool(self._by_name.get(_fold(_stem(path))))

    def is_own(self, href: str) -> bool:
        """Whether `href` leads to the blog's own site, or is written relative to a post."""
        parts = self._split(href)
        if parts is None:
            return False
        return host_of(parts) in self._site if parts.netloc else parts.scheme in ("", *_GENERATED)

    def _split(self, href: str) -> SplitResult | None:
        """Split what may lead to the blog's own site, or is written relative to a post."""
        if "://" in href and not self._own_host.search(href):
            return None
        return split_address(href)

    def _find_page(self, path: str, source: str) -> int | None:
        """Find a post by the path of its URL, absolute or relative to that of the linking post."""
        number = self._by_source.get(_fold(source))
        url = self._posts[number].url if number else None
        absolute = _join(url, path) if url else path
        return self._by_path.get(_page(absolute)) if absolute else None

    def _find_file(self, path: str, source: str) -> int | None:
        """Find a post by its file, relative to that of the linking one or to the content folder."""
        folder = source.rpartition("/")[0]
        path = path.removeprefix("@")
        places = (
            [path.lstrip("/")] if path.startswith("/") else [posixpath.join(folder, path), path]
        )
        for place in places:
            name = _fold(posixpath.normpath(place))
            if found := self._by_source.get(name) or self._by_stem.get(name):
                return found
        return None

    def _find_name(self, path: str) -> int | None:
        """Find the one post that has this name, whatever its folder."""
        found = self._by_name.get(_fold(_stem(path)), set())
        return next(iter(found)) if len(found) == 1 else None


def split_address(address: str) -> SplitResult | None:
    """Split an address; `None` for one with half of a bracket, or another host by its letters."""
    try:
        return urlsplit(address.strip())
    except ValueError:
        return None


def _join(url: str, path: str) -> str:
    """Return the path that `path` leads to from `url`, `""` if it is none."""
    try:
        return urlsplit(urljoin(url, path)).path
    except ValueError:
        return ""


def _fold(name: str) -> str:
    return name.casefold()


def _page(path: str) -> str:
    """Return what the addresses of one page have in common."""
    path = _fold(re.sub("/{2,}", "/", unquote(path))).rstrip("/")
    stem = path.removesuffix(".html" if path.endswith("l") else ".htm")
    folder, slash, name = stem.rpartition("/")
    return (folder if slash and name in INDEXES else stem) or "/"


def _stem(path: str) -> str:
    return MARKDOWN.sub("", path.rstrip("/")).rpartition("/")[2]


def _shape(path: str) -> str:
    """Return the folders of a path, each digit of one that is a number as `0`: `/0000/00`."""
    folders = path.rpartition("/")[0].split("/")
    return "/".join(re.sub(".", "0", name) if name.isdecimal() else name for name in folders)


def _names(post: Post) -> Iterable[str]:
    """Yield the names by which notes and generators refer to a post."""
    folder, _, file = post.source.rpartition("/")
    stem = MARKDOWN.sub("", file)
    if stem.casefold() in ("index", "_index"):
        stem = folder.rpartition("/")[2]
    names = (stem, DAY.sub("", stem), post.slug, post.title, *post.aliases)
    return {_fold(name) for name in names if name}
