"""Where a blog is published whose address nobody gave, as the links among its posts show.

A link to a post ends in the name of its file, written in one of a few forms. What stands before
that ending is a place of the blog where several posts are reached there, and little else.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import SplitResult, quote, unquote, urlsplit

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Link, Post

MARKDOWN = re.compile(r"\.(?:md|mdx|markdown|qmd)$", re.IGNORECASE)
"""What the name of a post's file ends in."""
INDEXES = ("index", "_index", "readme")
"""Names of files, without their ending, that stand for their folder."""
DAY = re.compile(r"^(\d{4})-(\d{1,2})-(\d{1,2})-")
"""What the name of a post's file may begin with."""

LEAST_POSTS = {True: 2, False: 3}
"""Posts that must be reached at a place, on the linking site itself and on another host."""
MOST_NAMES = 32
"""Folders and names of an address that are looked at one by one: it may have a million slashes."""
_TAGS = re.compile(r"(?:^|/)(?:tags?|categor(?:y|ies)|topics?|series|authors?)$")
"""Folders of lists, whose names may be those of posts."""
_FILE = re.compile(r"\.(?!html?$|mdx?$|markdown$)[a-z]\w{0,5}$")
_CLOSING = re.compile(r"(?:/(?:index\.html?)?|\.html?|\.md|\.mdx|\.markdown|\.qmd)$", re.IGNORECASE)
_NAME = re.compile(r"[a-z]+")
"""A single word, which pages of other sites may have as their name."""

Form = Literal["file", "undated", "day", "month", "year", "slug", "permalink", "name"]
"""The file's path; without the day in its name; below folders of the post's day, month or year; the
slug of the front matter below the file's folder; its permalink; the name alone."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where posts are published."""

    host: str
    """`""` for links by a path alone."""
    folder: str
    """Folded, without a slash around it."""
    form: Form
    opening: str
    """What links there begin with, as most are written."""
    closing: str
    """What they end in, likewise: `/`, `.html`, `.md` or nothing."""

    def is_laid_out_as(self, other: Place) -> bool:
        """Whether posts are at the same paths at another place, whatever its host."""
        return (self.folder, self.form) == (other.folder, other.form)

    def address_of(self, post: Post) -> str:
        """Write the address of a post at this place, `""` if it has none of this form.

        Jekyll and Hexo publish the posts of a folder `_posts` elsewhere, or not at all.
        """
        ending = endings_of(post)[self.form]
        if not ending or any(name.startswith("_") for name in ending.split("/")[:-1]):
            return ""
        return f"{self.opening}{quote(ending, safe='/~@+,;=!$&*')}{self.closing}"


class Places:
    """The places of a blog, one to a host, and the post at each address there."""

    def __init__(self, posts: Mapping[int, Post], links: Mapping[int, Sequence[Link]]) -> None:
        """Learn from the links of each post, by its id."""
        self._posts = _by_ending(posts)
        self.known = tuple(self._learn(link.href for each in links.values() for link in each))
        self.hosts = frozenset(place.host for place in self.known) - {""}

    def find(self, parts: SplitResult) -> int | None:
        """Return the post at an address, if it is at one of the places."""
        page = page_of(unquote(parts.path))
        for place in self.known:
            if place.host == host_of(parts) and page.startswith(f"{place.folder}/".lstrip("/")):
                ending = _key(page[len(place.folder) :].lstrip("/"))
                if (post := self._posts[place.form].get(ending)) is not None:
                    return post
        return None

    def best(self, *, is_whole: bool) -> Place | None:
        """Return the place that links with a host, or without one, lead to most."""
        return next(
            (
                place
                for place in self.known
                if bool(place.host) == is_whole and not MARKDOWN.search(place.closing)
            ),
            None,
        )

    def _learn(self, hrefs: Iterable[str]) -> Iterator[Place]:
        found: defaultdict[tuple[str, str, Form], dict[str, _Reached]] = defaultdict(dict)
        pages: defaultdict[str, set[str]] = defaultdict(set)
        for href in dict.fromkeys(hrefs):
            parts = split_page(href)
            if parts is None:
                continue
            page = page_of(unquote(parts.path))
            pages[host_of(parts)].add(page)
            for folder, form, post in self._candidates(page):
                found[host_of(parts), folder, form][page] = _reach(parts, folder, page, post)
        ranked = sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))
        known: set[str] = set()
        for (host, folder, form), by_page in ranked:
            reached = by_page.values()
            telling = {each.post for each in reached if not (host and _NAME.fullmatch(each.ending))}
            if host in known or len(telling) < LEAST_POSTS[not host]:
                continue
            if 2 * len(reached) >= len(_pages_beside(pages[host], folder, reached)):
                known.add(host)
                ends = Counter((each.opening, each.closing) for each in reached)
                yield Place(host, folder, form, *ends.most_common(1)[0][0])

    def _candidates(self, page: str) -> Iterator[tuple[str, Form, int]]:
        """Yield the ways to read a page as that of a post: folder, form and post."""
        names = page.split("/")
        for start in range(max(len(names) - MOST_NAMES, 0), len(names)):
            folder, ending = "/".join(names[:start]), _key("/".join(names[start:]))
            if not _TAGS.search(folder):
                for form, posts in self._posts.items():
                    if ending in posts:
                        yield folder, form, posts[ending]


@dataclass(frozen=True, slots=True)
class _Reached:
    post: int
    ending: str
    opening: str
    closing: str


def _reach(parts: SplitResult, folder: str, page: str, post: int) -> _Reached:
    names = [name for name in parts.path.split("/") if name]
    above = "".join(f"{name}/" for name in names[: len(folder.split("/")) if folder else 0])
    origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
    closing = _CLOSING.search(parts.path)
    return _Reached(
        post, page[len(folder) :].lstrip("/"), f"{origin}/{above}", closing[0] if closing else ""
    )


def _pages_beside(pages: Iterable[str], folder: str, reached: Iterable[_Reached]) -> set[str]:
    """Return the pages below a folder that are as deep below it as some post reached there."""
    above = f"{folder}/" if folder else ""
    depths = {each.ending.count("/") for each in reached}
    return {
        page for page in pages if page.startswith(above) and page[len(above) :].count("/") in depths
    }


def endings_of(post: Post) -> Mapping[Form, str]:
    """Return the ways in which an address may end that leads to a post; `""` for none."""
    stem = MARKDOWN.sub("", post.source)
    folder, _, name = stem.rpartition("/")
    if name.casefold() in INDEXES:
        stem = folder
        folder, _, name = stem.rpartition("/")
    above = f"{folder}/" if folder else ""
    undated = DAY.sub("", name)
    paths = [alias for alias in post.aliases if alias.startswith("/")]
    return {
        "file": stem,
        "undated": f"{above}{undated}",
        **_dated(post, post.slug.strip("/") or undated),
        "slug": f"{above}{post.slug.strip('/')}" if post.slug else "",
        "permalink": page_of(paths[-1]) if paths else "",
        "name": undated,
    }


def _dated(post: Post, name: str) -> Mapping[Form, str]:
    year, month, day = post.date.split("-") if post.date else ("", "", "")
    return {
        "day": f"{year}/{month}/{day}/{name}" if day else "",
        "month": f"{year}/{month}/{name}" if month else "",
        "year": f"{year}/{name}" if year else "",
    }


def _by_ending(posts: Mapping[int, Post]) -> Mapping[Form, Mapping[str, int]]:
    """Index posts by their endings; one that several posts share leads to none."""
    found: defaultdict[Form, dict[str, int | None]] = defaultdict(dict)
    for number, post in posts.items():
        for form, ending in endings_of(post).items():
            key = _key(ending)
            found[form][key] = None if key in found[form] else number
    return {
        form: {ending: post for ending, post in each.items() if ending and post is not None}
        for form, each in found.items()
    }


def _key(ending: str) -> str:
    """Return what the endings have in common that generators make of one name."""
    return re.sub(r"[^\w/]+", "-", ending.casefold())


def host_of(parts: SplitResult) -> str:
    """Return the name of the host of an address, without `www.`."""
    return parts.netloc.casefold().removeprefix("www.")


def page_of(path: str) -> str:
    """Return what the addresses of one page have in common, without slashes around it."""
    stem = MARKDOWN.sub("", re.sub("/{2,}", "/", path).casefold().strip("/"))
    stem = re.sub(r"\.html?$", "", stem)
    folder, slash, name = stem.rpartition("/")
    return folder if slash and name in INDEXES else stem


def split_page(href: str) -> SplitResult | None:
    """Split an address that may be that of a post: a whole one, or a path from the top."""
    try:
        parts = urlsplit(href.strip())
    except ValueError:
        return None
    is_whole = parts.scheme in ("http", "https") and bool(parts.netloc)
    is_path = not parts.scheme and not parts.netloc and parts.path.startswith("/")
    if not is_whole and (not is_path or MARKDOWN.search(parts.path)):
        return None
    return None if not parts.path.strip("/") or _FILE.search(parts.path.casefold()) else parts
