"""Links of a blog to itself that lead nowhere.

Only what can be known is judged: a file that is not in the content folder, a path where the site
has nothing but posts, an anchor of a post whose anchors are known. Lists, feeds, files of other
kinds and the rest of the site are not in an index, and never judged.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit

from blog_search_mcp.index.analysis.tokenizer import name_key
from blog_search_mcp.index.relations.addresses import split_address
from blog_search_mcp.index.relations.linking.places import DAY, MARKDOWN, split_page

if TYPE_CHECKING:
    from blog_search_mcp.index.posts.last_ingest import ContentFolder, LeftOut
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.types import Link

Reason = Literal["missing", "draft", "anchor", "scheme"]
"""No such post; a draft or a post to come; a post without that anchor; a forgotten `https://`."""

_ASSET = re.compile(r"\.(?!html?$|mdx?$|markdown$)[a-z][a-z0-9]{0,5}$", re.IGNORECASE)
_HOST = re.compile(r"(?:[\w-]+\.)+(?:com|org|net|io|dev|gov|edu)(?:/|$)", re.IGNORECASE)
_LISTS = re.compile(
    r"all|archives?|atom|authors?|blog|categor(?:y|ies)|feeds?|home|index|latest|news|pages?|posts?"
    r"|recent|rss|search|section|series|tags?|taxonomy|topics?"
)
"""Names of pages that generators and themes make of posts, without a file of their own."""
_OF_THEMES = re.compile(
    r"top|main|content|comments?|respond|disqus_thread|giscus|utterances|toc|header|footer"
    r"|footnotes|share|subscribe|newsletter|about|author|related",
    re.IGNORECASE,
)
_PLAIN_ANCHOR = re.compile(r"[\w-]+")
_NEAR = 0.45
"""Least share of letter groups that a target has in common with a link for it to be offered: of
the links broken by `benchmarks.author.audit`, by renaming to half of the words and another one, 121
of 134 (rust-blog), 132 of 132 (18f-blog) and 635 of 708 (tarrragon-zhtw) are offered their post."""
_BESIDE = 0.3
"""What a target gains that lies in the folder that a link names, such as that of a day."""


@dataclass(frozen=True, slots=True)
class Break:
    """A link that leads nowhere."""

    post: int
    link: Link
    reason: Reason
    nearest: int | None = None
    """The post that was most likely meant."""
    draft: str = ""
    """The source that it leads to, which is not public."""


def find_breaks(corpus: Corpus, folder: ContentFolder) -> tuple[Break, ...]:
    """Find the broken links of a blog in the order of its posts and their links."""
    judge = _Judge(corpus, folder)
    judged = [each for post in corpus.links for each in judge.judge_post(post)]
    certain = judge.certain_paths()
    found = [each for each, path in judged if not path or path in certain]
    are_missing = any(each.reason == "missing" for each in found)
    near = NearestPosts(corpus) if are_missing else None
    return tuple(replace(each, nearest=_nearest(corpus, near, each)) for each in found)


def count_unjudged(corpus: Corpus) -> int:
    """Count the links by a path of the site that may lead nowhere where nobody knows the site."""
    if corpus.addresses.is_known:
        return 0
    pages = (
        split_page(each.link.href)
        for links in corpus.links.values()
        for each in links
        if each.target is None
    )
    return sum(page is not None and not page.netloc for page in pages)


def _nearest(corpus: Corpus, near: NearestPosts | None, found: Break) -> int | None:
    if found.reason == "anchor":
        target = corpus.addresses.find_target(found.link.href, corpus.posts[found.post].source)
        return target.post if target else None
    return near.find(found.link, found.post) if near and found.reason == "missing" else None


_Found = tuple[Break, str]
"""A break, and the path that is still to be judged with others, if any."""


class _Judge:
    def __init__(self, corpus: Corpus, folder: ContentFolder) -> None:
        self._corpus = corpus
        self._addresses = corpus.addresses
        self._files = frozenset(name.casefold() for name in folder.files)
        self._folders = frozenset(above for name in self._files for above in _above(name))
        self._names = frozenset(name.rpartition("/")[2] for name in self._files)
        self._hidden = {_key(each.post.source): each for each in folder.left_out}
        self._hidden_names: defaultdict[str, list[LeftOut]] = defaultdict(list)
        for place, each in self._hidden.items():
            for name in {DAY.sub("", place.rpartition("/")[2]), each.post.slug.casefold()}:
                self._hidden_names[name].append(each)
        self._missing: defaultdict[str, set[str]] = defaultdict(set)
        self._anchors: dict[int, frozenset[str]] = {}

    def judge_post(self, post: int) -> Iterator[_Found]:
        for each in self._corpus.links[post]:
            link, target = each.link, each.target
            if target is not None:
                if target.anchor and self._lacks(target.post, target.anchor):
                    yield Break(post, link, "anchor"), ""
            elif self._addresses.is_own(link.href):
                yield from self._judge(post, link)

    def certain_paths(self) -> Collection[str]:
        """Return the paths where all that is missing may be posts: no more of it than there are.

        Where more is missing the site has other pages too.
        """
        return {
            path
            for paths in self._missing.values()
            for path in paths
            if len(paths) <= self._addresses.count_beside(path)
        }

    def _lacks(self, post: int, anchor: str) -> bool:
        """Whether a post lacks an anchor, even one that another generator would write otherwise."""
        if not _PLAIN_ANCHOR.fullmatch(anchor) or _OF_THEMES.fullmatch(anchor):
            return False
        if post not in self._anchors:
            known = self._corpus.anchors.get(post, ())
            self._anchors[post] = frozenset(name_key(unquote(each)) for each in known)
        return bool(self._anchors[post]) and name_key(anchor) not in self._anchors[post]

    def _judge(self, post: int, link: Link) -> Iterator[_Found]:
        source = self._corpus.posts[post].source
        parts = urlsplit(link.href.strip())
        path = unquote(parts.path)
        is_file = parts.scheme in ("ref", "link", "post") or (
            not parts.netloc and bool(MARKDOWN.search(path) or path.startswith("@/"))
        )
        if not path.strip("/"):
            return
        if not parts.scheme and not parts.netloc and _HOST.match(path):
            if path.partition("/")[0].casefold() not in self._folders:
                yield Break(post, link, "scheme"), ""
            return
        hidden = self._find_hidden(path, source, is_file)
        if hidden is not None:
            if hidden.reason:
                yield Break(post, link, "draft", draft=hidden.post.source), ""
        elif is_file:
            if self._is_missing(path, source, parts.scheme):
                yield Break(post, link, "missing"), ""
        elif on_site := self._judge_path(link.href, path, source):
            yield Break(post, link, "missing"), on_site

    def _find_hidden(self, path: str, source: str, is_file: bool) -> LeftOut | None:
        """Find the file that is left out to which a path leads by its place, else by its name."""
        if not self._hidden:
            return None
        places = [self._hidden.get(_key(place)) for place in _places(path, source)]
        found = next(filter(None, places), None)
        name = DAY.sub("", _key(path).rpartition("/")[2])
        if found or not name or (not is_file and not self._is_of_posts(path, source)):
            return found
        same = self._hidden_names.get(name, ())
        return same[0] if len(same) == 1 else None

    def _is_of_posts(self, path: str, source: str) -> bool:
        on_site = self._addresses.path_on_site(path, source)
        return bool(on_site and self._addresses.count_beside(on_site))

    def _is_missing(self, path: str, source: str, scheme: str) -> bool:
        """Whether no file of the content folder satisfies a reference to a file."""
        if self._addresses.has_name(path) or self._has_file(path, source):
            return False
        name = path.rstrip("/").rpartition("/")[2]
        if MARKDOWN.sub("", name).casefold() in self._names:  # a note's attachment
            return False
        if scheme == "post":
            return True
        inner = path.lstrip("/").removeprefix("@/")
        folder = posixpath.dirname(inner).casefold()
        is_rooted = path.startswith(("/", "@/")) or (scheme != "" and bool(folder))
        if scheme == "link" and not folder:
            return False
        if is_rooted:
            return folder.partition("/")[0] in (self._folders if folder else self._has_top())
        place = posixpath.normpath(posixpath.join(posixpath.dirname(source), inner))
        if place.startswith(".."):
            return False
        return bool(MARKDOWN.search(path)) or not _LISTS.fullmatch(inner.rstrip("/"))

    def _has_top(self) -> Collection[str]:
        """Return the name of the content folder itself if files lie in it."""
        return {""} if any("/" not in name for name in self._files) else set()

    def _has_file(self, path: str, source: str) -> bool:
        for place in _places(path, source):
            stem = place.casefold()
            if stem in self._folders or any(
                stem + end in self._files for end in ("", ".md", ".mdx", ".markdown", ".html")
            ):
                return True
        return False

    def _judge_path(self, href: str, path: str, source: str) -> str:
        """Return the path on the site if nothing is there, as far as posts alone can tell."""
        on_site = self._addresses.path_on_site(href, source)
        beside = self._addresses.count_beside(on_site) if on_site else 0
        if not beside and re.fullmatch(r"[\w-]+", path):  # served without a slash at the end
            on_site = self._addresses.path_on_site(f"../{path}", source)
            beside = self._addresses.count_beside(on_site) if on_site else 0
        name = on_site.rpartition("/")[2]
        if (
            not beside
            or _LISTS.fullmatch(name)
            or (_ASSET.search(path) and not path.endswith("/"))
            or self._addresses.find_path(on_site)
            or (not path.startswith("/") and self._has_file(path, source))
        ):
            return ""
        self._missing[on_site.rpartition("/")[0]].add(on_site)
        return on_site


def _above(name: str) -> Iterator[str]:
    while name := name.rpartition("/")[0]:
        yield name


def _key(path: str) -> str:
    """Return what a post's path has in common, however it is written."""
    stem = MARKDOWN.sub("", path.strip("/").removeprefix("@/").casefold())
    stem = stem.removesuffix(".html" if stem.endswith("l") else ".htm")
    folder, _, name = stem.rpartition("/")
    return folder if name in ("index", "_index") else stem


def _places(path: str, source: str) -> Iterable[str]:
    """Yield where below the content folder a path may lead: beside the post, and from the top."""
    inner = path.strip("/").removeprefix("@/")
    if not path.startswith(("/", "@/")):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(source), inner))
    yield posixpath.normpath(inner)


class NearestPosts:
    """Finds the post whose name or title is most like a link's."""

    def __init__(self, corpus: Corpus) -> None:
        """Index the names and titles of all posts by groups of three letters."""
        self._corpus = corpus
        self._sizes: list[tuple[int, int]] = []
        self._beside: defaultdict[str, set[int]] = defaultdict(set)
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for number, post in sorted(corpus.posts.items(), key=lambda item: item[1].source):
            names = {_name_of(post.source), _name_of(post.url or ""), post.title}
            for folder in (_folder_of(post.source), _folder_of(post.url or "")):
                self._beside[folder].add(number)
            for name in sorted(names):
                groups = _groups(name)
                for group in groups:
                    self._places[group].append(len(self._sizes))
                self._sizes.append((number, len(groups)))

    def find(self, link: Link, but: int) -> int | None:
        """Return the post that a link was most likely meant for, `None` if none is like it."""
        addresses, post = self._corpus.addresses, self._corpus.posts[but]
        name = _name_of(_path(link))
        places = (
            addresses.path_on_site(link.href, post.source),
            *_places(_path(link), post.source),
        )
        beside = {number for place in places for number in self._beside.get(_folder_of(place), ())}
        likeness: defaultdict[int, float] = defaultdict(float)
        for words in (name, link.words):
            for share, number in self._rank(words, but):
                likeness[number] = max(likeness[number], share + _BESIDE * (number in beside))
        posts = self._corpus.posts
        best = min(
            likeness.items(),
            default=(0, 0.0),
            key=lambda each: (
                -each[1],
                posts[each[0]].language != post.language,
                posts[each[0]].source,
            ),
        )
        return best[0] if best[1] >= _NEAR else None

    def _rank(self, name: str, but: int) -> Iterator[tuple[float, int]]:
        groups = _groups(name)
        common = Counter(place for group in groups for place in self._places.get(group, ()))
        for place, count in common.items():
            number, size = self._sizes[place]
            if number != but:
                yield 2 * count / (len(groups) + size), number


def _path_of(address: str) -> str:
    parts = split_address(address)
    return parts.path if parts else ""


def _path(link: Link) -> str:
    return unquote(_path_of(link.href))


def _folder_of(path: str) -> str:
    """Return the folder of a file or address, as a link may write it too."""
    return _key(_path_of(path)).rpartition("/")[0]


def _name_of(path: str) -> str:
    return DAY.sub("", _key(_path_of(path)).rpartition("/")[2])


def _groups(name: str) -> Mapping[str, None]:
    key = f" {name_key(name)} "
    return dict.fromkeys(key[place : place + 3] for place in range(len(key) - 2))
