"""Where a blog is published whose address nobody gave, as the links among its posts show.

A link to a post ends in the name of its file, written in one of a few ways. What stands before
that ending is the place of the blog where several posts are reached there, and little else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from urllib.parse import SplitResult, unquote, urlsplit

from blog_search_mcp.index.relations.paths import INDEXES, MARKDOWN, parse_path
from blog_search_mcp.index.types import Post

LEAST_POSTS = 2
"""Posts that must be reached at a place."""
MOST_NAMES = 32
"""Folders and names of an address that are looked at one by one: it may have a million slashes."""
_LISTS = re.compile(r"(?:^|/)(?:tags?|categor(?:y|ies)|topics?|series|authors?)$")
"""Folders of lists, whose names may be those of posts."""
FILE = re.compile(r"\.(?!html?$|mdx?$|markdown$)[a-z]\w{0,5}$")
"""What the folded name of a file that is no page ends in."""


class Places:
    """The place of a blog, and the post at each address there."""

    def __init__(
        self, posts: Mapping[int, Post], hrefs: Iterable[str], hosts: Collection[str]
    ) -> None:
        """Learn from what the posts link to, by a path alone or at one of the blog's `hosts`."""
        self._posts = _by_ending(posts)
        self._hosts = {"", *hosts}
        self._folder = self._learn(hrefs)

    def find(self, parts: SplitResult) -> int | None:
        """Return the post at an address, whole or from the top, that is at the place."""
        page, folder = f"/{page_of(parts.path)}", self._folder
        is_there = host_of(parts) in self._hosts and parts.path.startswith("/")
        if not folder or not is_there or not page.startswith(folder):
            return None
        return self._posts.get(_key(page[len(folder) :]))

    def _learn(self, hrefs: Iterable[str]) -> str:
        """Return the folder where most posts are reached, with slashes around it; `""` if none."""
        reached: defaultdict[str, dict[str, int]] = defaultdict(dict)
        addresses = filter(None, map(split_page, hrefs))
        pages = {page_of(parts.path) for parts in addresses if host_of(parts) in self._hosts}
        for page in pages:
            names = page.split("/")
            for start in range(max(len(names) - MOST_NAMES, 0), len(names)):
                folder, post = (
                    "/".join(names[:start]),
                    self._posts.get(_key("/".join(names[start:]))),
                )
                if post is not None and not _LISTS.search(folder):
                    reached[f"/{folder}/".replace("//", "/")][page] = post
        for folder, by_page in sorted(reached.items(), key=lambda it: (-len(it[1]), it[0])):
            depths = {page.count("/") for page in by_page}
            beside = [p for p in pages if f"/{p}".startswith(folder) and p.count("/") in depths]
            if len({*by_page.values()}) >= LEAST_POSTS and 2 * len(by_page) >= len(beside):
                return folder
        return ""


def _by_ending(posts: Mapping[int, Post]) -> Mapping[str, int]:
    """Index posts by the ways in which an address may end that leads to one alone of them."""
    numbers: defaultdict[str, set[int]] = defaultdict(set)
    for number, post in posts.items():
        path, slug = parse_path(post.source), post.slug.strip("/")
        above, name = f"{path.folder}/".lstrip("/"), slug or path.undated
        endings = {path.page, path.undated, f"{above}{path.undated}", f"{above}{name}"}
        if post.date:
            year, month, day = post.date.split("-")
            endings |= {f"{year}/{month}/{day}/{name}", f"{year}/{month}/{name}", f"{year}/{name}"}
        endings |= {page_of(alias) for alias in post.aliases if alias.startswith("/")}
        for ending in filter(None, map(_key, endings)):
            numbers[ending].add(number)
    return {ending: min(same) for ending, same in numbers.items() if len(same) == 1}


def _key(ending: str) -> str:
    """Return what the endings have in common that generators make of one name."""
    return re.sub(r"[^\w/]+", "-", ending.casefold())


def host_of(parts: SplitResult) -> str:
    """Return the name of the host of an address, without `www.`."""
    return parts.netloc.casefold().removeprefix("www.")


def page_of(path: str) -> str:
    """Return what the addresses of one page have in common, decoded, without slashes around it."""
    stem = MARKDOWN.sub("", re.sub("/{2,}", "/", unquote(path)).casefold().strip("/"))
    stem = re.sub(r"\.html?$", "", stem)
    folder, _, name = stem.rpartition("/")
    return folder if name in INDEXES else stem


def split_address(address: str) -> SplitResult | None:
    """Split an address; `None` for one with half of a bracket, or another host by its letters."""
    try:
        return urlsplit(address.strip())
    except ValueError:
        return None


def split_page(href: str) -> SplitResult | None:
    """Split an address that may be that of a post: a whole one, or a path from the top."""
    parts = split_address(href)
    if parts is None or not parts.path.strip("/") or FILE.search(parts.path.casefold()):
        return None
    is_path = not parts.scheme and not parts.netloc and parts.path.startswith("/")
    is_page = is_path and not MARKDOWN.search(parts.path)
    return parts if is_page or (parts.scheme in ("http", "https") and parts.netloc) else None
