"""Resolve links to the posts they lead to.

A link is resolved as in generators and editors: by the post's URL or a former address, by its file
beside the linking post or below the content folder, or (if it must be a file) by its name. If the
blog's URLs are not known, links that end in names of posts show the folder of posts on the site.
"""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from types import MappingProxyType
from typing import NamedTuple, TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

from blog_search_mcp.index.text.languages import language_tag
from blog_search_mcp.index.types import Link, Post
from blog_search_mcp.ingest.posts.paths import (
    MARKDOWN,
    folder_shape,
    host_of,
    page_of,
    parse_path,
    split_address,
    split_page,
)

GENERATED = {"ref", "link", "post"}
"""Schemes that `ingest.posts.markdown.inline` writes for links of site generators."""


class Target(NamedTuple):
    """Post and anchor that a link leads to."""

    post: int
    anchor: str
    """Decoded fragment of the URL; `""` for the post as a whole."""


ResolvedLink: TypeAlias = tuple[Link, Target | None]
"""A link and its target; `None` for another site, a file that is no post, or a missing page."""


@dataclass(frozen=True, slots=True)
class ParsedLink:
    """Parsed address of a link, before it is matched with posts."""

    parts: SplitResult
    path: str
    """Decoded path of the address."""
    files: Sequence[str]
    """Possible case-folded paths below the content folder; empty for a whole URL."""
    is_file: bool
    """Whether the link can only lead to a post's file."""
    page: str | None
    """Path on the blog's site, in the form of `page_of`; `None` if elsewhere or not known."""


CONTRADICTED_SHARE = 0.2
"""Share of linked posts (and at least 3 posts) whose links contradict their URLs, from which the
URLs count as wrong. On six blogs it is .00 to .05 for right URLs, .59 and .81 for wrong URLs."""
MIN_LINKED_POSTS = 2
"""Minimum linked posts in the folder of all posts; they are at least half of its linked pages."""
MAX_FOLDERS_ABOVE = 32
"""Maximum folders of a path that are examined. A path may have a million slashes."""
_LIST_FOLDERS = re.compile(r"(?:^|/)(?:tags?|categor(?:y|ies)|topics?|series|authors?)$")
"""Folders of lists, such as tags, whose pages may have the names of posts."""


class LinkTargets:
    """Addresses of the posts of one blog, by which links are resolved."""

    def __init__(
        self, posts: Mapping[int, Post], links: Mapping[int, Sequence[Link]] = MappingProxyType({})
    ) -> None:
        """Index all posts of the blog by address; `posts` and `links` are keyed by post ID."""
        self._posts, self._links = posts, links
        self._by_page: dict[str, int] = {}
        """Post ID by the page of its URL or of a former address."""
        self._by_name: defaultdict[str, set[int]] = defaultdict(set)
        self.hosts = {host_of(urlsplit(post.url)) for post in posts.values() if post.url}
        """Hosts of the blog's own site, without `www.`."""
        self._by_file: dict[str, int] = {}
        """Post ID by source, source without suffix, and folder of a file that stands for it."""
        self._paths = {number: parse_path(post.source) for number, post in posts.items()}
        sources = {number: post.source.casefold() for number, post in posts.items()}
        stems = {number: MARKDOWN.sub("", source) for number, source in sources.items()}
        pages = {number: path.page.casefold() for number, path in self._paths.items()}
        for number, file in chain.from_iterable(keys.items() for keys in (sources, stems, pages)):
            self._by_file.setdefault(file, number)
        for number, post in posts.items():
            for address in filter(None, (post.url, *post.aliases)):
                if parts := split_address(address):
                    self._by_page.setdefault(page_of(parts.path), number)
            path = self._paths[number]
            names = (path.name, path.undated, post.slug, post.title, *post.aliases)
            folded = map(_fold_name, (path.undated, post.slug))
            for name in filter(None, (*map(str.casefold, names), *folded)):
                self._by_name[name].add(number)

    @cached_property
    def resolved(self) -> Mapping[int, tuple[ResolvedLink, ...]]:
        """Links with targets by post ID, in the post's order; posts without links are absent."""
        return {
            post: tuple(
                (link, self.find_target(link.href, self._posts[post].source)) for link in links
            )
            for post, links in self._links.items()
        }

    @cached_property
    def _pages(self) -> Mapping[str, str]:
        """An `href` to each linked page of the site, by page; only absolute paths and own URLs."""
        hrefs = sorted({link.href for links in self._links.values() for link in links})
        split = ((href, split_page(href)) for href in hrefs if not self._leads_out(href))
        hosts = {"", *self.hosts}
        return {page_of(to.path): href for href, to in split if to and host_of(to) in hosts}

    @cached_property
    def _posts_folder(self) -> str | None:
        """Shape of the folder with most linked posts, as MIN_LINKED_POSTS says, or `None`."""
        reached, linked = defaultdict[str, set[int]](set), Counter[str]()
        for page in self._pages:
            for folder in _folders_above(page):
                linked[folder] += 1
                reached[folder] |= self._find_named(_fold_name(page))
        posts = {folder: len(of) for folder, of in reached.items() if len(of) >= MIN_LINKED_POSTS}
        full = sorted(folder for folder, count in posts.items() if 2 * count >= linked[folder])
        return max(full, key=posts.__getitem__, default=None)

    def _find_named(self, page: str) -> Set[int]:
        """Return a set with the only post of a page's name (if several, also folders), or empty."""
        folder, _, name = page.rpartition("/")
        posts = set() if _LIST_FOLDERS.search(folder) else self._by_name.get(name, set())
        if len(posts) > 1:
            posts = {n for n in posts if page.endswith(self._paths[n].page.casefold())}
        return posts if len(posts) == 1 else set()

    def _find_placed(self, page: str) -> int | None:
        """Return the post with a page's name if the page is in `_posts_folder`, else `None`."""
        is_there = self._posts_folder in {*_folders_above(page)}
        return next(iter(self._find_named(_fold_name(page))), None) if is_there else None

    @cached_property
    def contradiction(self) -> str:
        """Clause on links that contradict the URLs of posts; `""` if they do not."""
        pages = self._pages if self.hosts else {}
        right = {self._by_page[page] for page in pages if page in self._by_page}
        placed = {
            self._find_placed(page): href
            for page, href in pages.items()
            if page not in self._by_page
        }
        wrong = {n: href for n, href in placed.items() if n is not None and self._posts[n].url}
        elsewhere = sorted(wrong.keys() - right)
        linked = len(right) + len(elsewhere)
        if len(elsewhere) < max(3, CONTRADICTED_SHARE * linked):
            return ""
        example = f"{wrong[elsewhere[0]]} for {self._posts[elsewhere[0]].url}"
        return f"{len(elsewhere):,} of {linked:,} linked posts are linked elsewhere, as {example}"

    @property
    def is_known(self) -> bool:
        """Whether the URLs of posts are known and not contradicted."""
        return bool(self.hosts) and not self.contradiction

    def read(self, href: str, source: str) -> ParsedLink | None:
        """Parse an address in the post at `source`; `None` if it surely leads off the site."""
        parts = None if self._leads_out(href) else split_address(href)
        if parts is None or parts.scheme not in {"", "http", "https", *GENERATED}:
            return None
        path, is_whole = unquote(parts.path), bool(parts.netloc) or parts.scheme.startswith("http")
        is_markdown = bool(MARKDOWN.search(path)) or path.startswith("@/")
        return ParsedLink(
            parts=parts,
            path=path,
            files=() if is_whole else _find_files(path, source.casefold()),
            is_file=not is_whole and (is_markdown or parts.scheme in GENERATED),
            page=self._find_page(parts, source),
        )

    def _leads_out(self, href: str) -> bool:
        """Whether an address surely leads to another host. This is faster than splitting it."""
        return "://" in href and not any(host in href.casefold() for host in self.hosts)

    def _find_page(self, parts: SplitResult, source: str) -> str | None:
        """Return the site's page that an address in the post at `source` leads to, or `None`."""
        post = self._by_file.get(source.casefold())
        url = self._posts[post].url if post is not None else None
        base = "/" if parts.netloc else urlsplit(url or "").path
        path = posixpath.normpath(posixpath.join(posixpath.dirname(base), parts.path))
        is_own = host_of(parts) in {"", *self.hosts}
        return page_of(path) if is_own and path.startswith("/") else None

    def find_target(self, href: str, source: str) -> Target | None:
        """Return the post and anchor that `href` in the post at `source` leads to, or `None`."""
        parsed = self.read(href, source)
        post = self._find_post(parsed, source) if parsed else None
        return Target(post, unquote(parsed.parts.fragment)) if parsed and post is not None else None

    def _find_post(self, parsed: ParsedLink, source: str) -> int | None:
        if not parsed.path and not parsed.parts.netloc:
            return self._by_file.get(source.casefold()) if parsed.parts.fragment else None
        if parsed.page is not None and not parsed.is_file and parsed.page in self._by_page:
            return self._by_page[parsed.page]
        for file in parsed.files:
            if file in self._by_file:
                return self._by_file[file]
        if parsed.is_file:
            return next(iter(self._find_named(page_of(parsed.path))), None)
        return None if self.hosts or parsed.page is None else self._find_placed(parsed.page)

    def has_name(self, path: str) -> bool:
        """Return whether any post has the last name of a path."""
        return page_of(path).rpartition("/")[2] in self._by_name

    def has_page(self, page: str) -> bool:
        """Return whether a post is at `page`, or at its path without a language's folder."""
        language, _, rest = page.partition("/")
        return page in self._by_page or bool(language_tag(language) and rest in self._by_page)


def _find_files(path: str, source: str) -> Sequence[str]:
    """Return the files that a path may mean: beside the post and below the content folder."""
    inner = path.removeprefix("@").strip("/")
    beside = posixpath.join(posixpath.dirname(source), inner)
    places = (inner,) if path.startswith(("/", "@/")) else (beside, inner)
    return [posixpath.normpath(place).casefold() for place in places]


def _folders_above(page: str) -> Iterable[str]:
    """Return the shapes of the folders above a page; `""` for a page at the top."""
    return accumulate(folder_shape(page).split("/")[:MAX_FOLDERS_ABOVE], "{}/{}".format)


def _fold_name(name: str) -> str:
    """Fold a name, so that the spellings of generators and editors are equal."""
    return re.sub(r"[^\w/]+", "-", name.casefold())
