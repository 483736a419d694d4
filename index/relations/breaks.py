"""Links of a blog to itself that lead nowhere.

Only what can be known is judged: a file that is not in the content folder, a path where the site
has nothing but posts, an anchor of a post whose anchors are known. Lists, feeds, files of other
kinds and the rest of the site are not in an index, and never judged.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import SplitResult, unquote

from blog_search_mcp.index.analysis.tokenizer import name_key
from blog_search_mcp.index.relations.addresses import GENERATED, places_of
from blog_search_mcp.index.relations.paths import MARKDOWN, parse_path
from blog_search_mcp.index.relations.places import page_of, split_address, split_page

if TYPE_CHECKING:
    from blog_search_mcp.index.posts.left_out import ContentFolder, LeftOut
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


class Break(NamedTuple):
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
    pages: defaultdict[str, set[str]] = defaultdict(set)
    for page in {page for _, page in judged} - {""}:
        pages[posixpath.dirname(page)].add(page)
    breaks = [
        each
        for each, page in judged
        # A folder that lacks more pages than it has posts has pages of other kinds too.
        if not page or len(pages[posixpath.dirname(page)]) <= corpus.addresses.count_beside(page)
    ]
    near = NearestPosts(corpus)
    return tuple(
        each._replace(nearest=near.find(each.link, each.post)) if each.reason == "missing" else each
        for each in breaks
    )


def count_unjudged(corpus: Corpus) -> int:
    """Count the links by a path of the site that may lead nowhere where nobody knows the site."""
    if corpus.addresses.is_known:
        return 0
    missed = (link.href for links in corpus.links.values() for link, to in links if not to)
    return sum(page is not None and not page.netloc for page in map(split_page, missed))


class _Judge:
    def __init__(self, corpus: Corpus, folder: ContentFolder) -> None:
        self._corpus = corpus
        self._addresses = corpus.addresses
        files = {name.casefold() for name in folder.files}
        self._folders = {above for name in files for above in _above(name)}
        self._names = {posixpath.basename(name) for name in files}
        self._has_top = any("/" not in name for name in files)
        self._there = files | self._folders | {page_of(name) for name in files}
        self._hidden = {_page(each.post.source): each for each in folder.left_out}
        self._hidden_names: defaultdict[str, list[LeftOut]] = defaultdict(list)
        for each in folder.left_out:
            names = {parse_path(each.post.source).undated, each.post.slug}
            for name in map(str.casefold, names):
                self._hidden_names[name].append(each)
        self._anchors = {
            post: frozenset(name_key(unquote(each)) for each in anchors)
            for post, anchors in corpus.snapshot.catalog.anchors().items()
        }

    def judge_post(self, post: int) -> Iterator[tuple[Break, str]]:
        """Yield what is broken, each with the page that is still to be judged with others."""
        for link, target in self._corpus.links[post]:
            if target is None:
                parts = split_address(link.href)
                if parts is not None and self._addresses.is_own(parts):
                    yield from self._judge(post, link, parts)
            elif self._lacks(target.post, target.anchor):
                yield Break(post, link, "anchor", target.post), ""

    def _lacks(self, post: int, anchor: str) -> bool:
        """Whether a post lacks an anchor, even one that another generator would write otherwise."""
        if not _PLAIN_ANCHOR.fullmatch(anchor) or _OF_THEMES.fullmatch(anchor):
            return False
        known = self._anchors.get(post, ())
        return bool(known) and name_key(anchor) not in known

    def _judge(self, post: int, link: Link, parts: SplitResult) -> Iterator[tuple[Break, str]]:
        source = self._corpus.posts[post].source
        path = unquote(parts.path)
        is_bare = not parts.scheme and not parts.netloc
        is_file = parts.scheme in GENERATED or (
            is_bare and bool(MARKDOWN.search(path) or path.startswith("@/"))
        )
        if not path.strip("/"):
            return
        if is_bare and _HOST.match(path):
            if path.partition("/")[0].casefold() not in self._folders:
                yield Break(post, link, "scheme"), ""
        elif hidden := self._find_hidden(link.href, path, source, is_file):
            if hidden.reason:
                yield Break(post, link, "draft", draft=hidden.post.source), ""
        elif is_file and self._is_missing(path, source, parts.scheme):
            yield Break(post, link, "missing"), ""
        elif not is_file and (page := self._find_missing_page(link.href, path, source)):
            yield Break(post, link, "missing"), page

    def _find_hidden(self, href: str, path: str, source: str, is_file: bool) -> LeftOut | None:
        """Find the file that is left out to which a path leads by its place, else by its name."""
        places = (self._hidden.get(_page(place)) for place in places_of(path, source))
        if hidden := next(filter(None, places), None):
            return hidden
        same = self._hidden_names.get(parse_path(page_of(path)).undated, ())
        page = self._addresses.find_page(href, source)
        is_of_posts = is_file or bool(page and self._addresses.count_beside(page))
        return same[0] if len(same) == 1 and is_of_posts else None

    def _is_missing(self, path: str, source: str, scheme: str) -> bool:
        """Whether no file of the content folder satisfies a reference to a file."""
        name = MARKDOWN.sub("", posixpath.basename(path.rstrip("/"))).casefold()
        is_attachment = name in self._names
        if self._addresses.has_name(path) or self._has_file(path, source) or is_attachment:
            return False
        inner = path.lstrip("/").removeprefix("@/")
        folder = posixpath.dirname(inner).casefold()
        if scheme == "post" or (scheme == "link" and not folder):
            return scheme == "post"
        if path.startswith(("/", "@/")) or (scheme and folder):
            return folder.partition("/")[0] in self._folders if folder else self._has_top
        is_outside = places_of(path, source)[0].startswith("..")
        return not is_outside and (bool(MARKDOWN.search(path)) or not _LISTS.fullmatch(inner))

    def _has_file(self, path: str, source: str) -> bool:
        return any(place.casefold() in self._there for place in places_of(path, source))

    def _find_missing_page(self, href: str, path: str, source: str) -> str:
        """Return the page of the site if nothing is there, as far as posts alone can tell."""
        page = self._addresses.find_page(href, source) or ""
        if not self._addresses.count_beside(page) and re.fullmatch(r"[\w-]+", path):
            # Served without a slash at the end.
            page = self._addresses.find_page(f"../{path}", source) or ""
        is_other = (
            not self._addresses.count_beside(page)
            or _LISTS.fullmatch(posixpath.basename(page))
            or (_ASSET.search(path) and not path.endswith("/"))
            or self._addresses.has_page(page)
            or (not path.startswith("/") and self._has_file(path, source))
        )
        return "" if is_other else page


def _above(name: str) -> Iterator[str]:
    while name := posixpath.dirname(name):
        yield name


def _page(path: str) -> str:
    return page_of(path.removeprefix("@"))


class NearestPosts:
    """Finds the post whose name or title is most like a link's."""

    def __init__(self, corpus: Corpus) -> None:
        """Read the names and titles of all posts as groups of three letters."""
        self._corpus = corpus
        self._names: list[tuple[int, frozenset[str], frozenset[str]]] = []
        """The post, the groups of a name of it, and the folders that it lies in."""
        for number, post in corpus.posts.items():
            paths = [parse_path(page) for page in (_page(post.source), _page_at(post.url or ""))]
            folders = frozenset(path.folder for path in paths)
            names = map(_groups, {*(path.undated for path in paths), post.title})
            self._names += [(number, groups, folders) for groups in names]

    def find(self, link: Link, but: int) -> int | None:
        """Return the post that a link was most likely meant for, `None` if none is like it."""
        posts, post = self._corpus.posts, self._corpus.posts[but]
        path = _page_at(link.href)
        pages = [self._corpus.addresses.find_page(link.href, post.source) or "", path]
        meant = {posixpath.dirname(_page(each)) for each in (*pages, *places_of(path, post.source))}
        wanted = [_groups(parse_path(path).undated), _groups(link.words)]
        likeness: defaultdict[int, float] = defaultdict(float)
        for number, groups, folders in self._names:
            common = (2 * len(groups & each) / max(len(groups) + len(each), 1) for each in wanted)
            share = max(common)
            bonus = 0.0 if not share or meant.isdisjoint(folders) else _BESIDE
            likeness[number] = max(likeness[number], share + bonus)
        likeness.pop(but, None)
        best = min(
            likeness,
            key=lambda n: (-likeness[n], posts[n].language != post.language, posts[n].source),
            default=but,
        )
        return best if likeness[best] >= _NEAR else None


def _page_at(address: str) -> str:
    """Return the page of an address, as `page_of`."""
    parts = split_address(address)
    return page_of(unquote(parts.path)) if parts else ""


def _groups(name: str) -> frozenset[str]:
    key = f" {name_key(name)} "
    return frozenset(key[place : place + 3] for place in range(len(key) - 2))
