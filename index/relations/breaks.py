"""Links of a blog to itself that lead nowhere.

Only what can be known is judged: a file that is not in the content folder, a path where the site
has nothing but posts, an anchor of a post whose anchors are known. Lists, feeds, files of other
kinds and the rest of the site are not in an index, and never judged.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from blog_search_mcp.index.analysis.tokenizer import name_key
from blog_search_mcp.index.errors import UnknownPost
from blog_search_mcp.index.posts.last_ingest import ContentFolder, LeftOut
from blog_search_mcp.index.relations.addresses import Way
from blog_search_mcp.index.relations.corpus import Corpus
from blog_search_mcp.index.relations.paths import MARKDOWN, parse_path
from blog_search_mcp.index.relations.places import page_of, split_page
from blog_search_mcp.index.types import Link

Reason = Literal["missing", "draft", "anchor"]
"""No such post; a draft or a post to come; a post without that anchor."""

_ASSET = re.compile(r"\.(?!html?$|mdx?$|markdown$)[a-z][a-z0-9]{0,5}$", re.IGNORECASE)
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


class Break(NamedTuple):
    """A link that leads nowhere."""

    post: int
    link: Link
    reason: Reason
    nearest: str = ""
    """The source of the post that was most likely meant, or whose anchor it lacks."""
    draft: str = ""
    """The source that it leads to, which is not public."""


def find_breaks(corpus: Corpus, folder: ContentFolder) -> tuple[Break, ...]:
    """Find the broken links of a blog in the order of its posts and their links."""
    judge = _Judge(corpus, folder)
    judged = [each for post in corpus.links for each in judge.judge_post(post)]
    lacking: defaultdict[str, set[str]] = defaultdict(set)
    for page in {page for _, page in judged} - {""}:
        lacking[posixpath.dirname(page)].add(page)
    return tuple(
        each
        for each, page in judged
        # A folder that lacks more pages than it has posts has pages of other kinds too.
        if not page or len(lacking[posixpath.dirname(page)]) <= judge.count_beside(page)
    )


def count_unjudged(corpus: Corpus) -> int:
    """Count the links by a path of the site that may lead nowhere where nobody knows the site."""
    if corpus.addresses.is_known:
        return 0
    missed = (link.href for links in corpus.links.values() for link, to in links if not to)
    return sum(page is not None and not page.netloc for page in map(split_page, missed))


class _Judge:
    def __init__(self, corpus: Corpus, folder: ContentFolder) -> None:
        self._corpus, self._addresses = corpus, corpus.addresses
        files = {name.casefold() for name in folder.files}
        self._folders = {above for name in files for above in _above(name)}
        self._names = {posixpath.basename(name) for name in files}
        self._there = files | self._folders | {page_of(name) for name in files}
        self._hidden: defaultdict[str, list[LeftOut]] = defaultdict(list)
        """What is left out, by its page and by its names."""
        for each in folder.left_out:
            page = page_of(each.post.source)
            for name in {page, parse_path(page).undated, each.post.slug.casefold()} - {""}:
                self._hidden[name].append(each)
        self._anchors = {
            post: frozenset(name_key(unquote(each)) for each in anchors)
            for post, anchors in corpus.snapshot.catalog.anchors().items()
        }
        urls = (post.url for post in corpus.posts.values() if post.url)
        self._pages = [page_of(unquote(urlsplit(url).path)) for url in urls]
        self._shapes = Counter(map(_shape, self._pages))

    def count_beside(self, page: str) -> int:
        """Count the posts at pages like this one: in the same folders, but for numbers.

        0 for what lies at the top of the site, for what posts lie below, and for pages of no post.
        """
        is_above = any(each.startswith(f"{page}/") for each in self._pages)
        return 0 if "/" not in page or is_above else self._shapes[_shape(page)]

    def judge_post(self, post: int) -> Iterator[tuple[Break, str]]:
        """Yield what is broken, each with the page that is still to be judged with others."""
        for link, target in self._corpus.links[post]:
            way = self._addresses.read(link.href, self._corpus.posts[post].source)
            if target is not None:
                if self._lacks(target.post, target.anchor):
                    yield Break(post, link, "anchor", self._corpus.posts[target.post].source), ""
            elif way and way.path.strip("/") and (way.files or self._addresses.is_known):
                yield from self._judge(post, link, way)

    def _lacks(self, post: int, anchor: str) -> bool:
        """Whether a post lacks an anchor, even one that another generator would write otherwise."""
        if not _PLAIN_ANCHOR.fullmatch(anchor) or _OF_THEMES.fullmatch(anchor):
            return False
        anchors = self._anchors.get(post, ())
        return bool(anchors) and name_key(anchor) not in anchors

    def _judge(self, post: int, link: Link, way: Way) -> Iterator[tuple[Break, str]]:
        page = (way.page or "") if self._addresses.is_known and not way.is_file else ""
        is_of_posts = way.is_file or self.count_beside(page) > 0
        if hidden := self._find_hidden(way, page, by_name=is_of_posts):
            if hidden.reason:
                yield Break(post, link, "draft", draft=hidden.post.source), ""
        elif is_of_posts and (self._lacks_page(way, page) if page else self._lacks_file(way)):
            place = f"{page}.md" if page else way.files[0]
            yield Break(post, link, "missing", self._find_nearest(place)), page

    def _find_nearest(self, place: str) -> str:
        """Return the source most like that of a post that is not there, `""` if none is."""
        try:
            self._corpus.snapshot.catalog.require_post(place)
        except UnknownPost as error:
            named = {parse_path(each.casefold()).undated: each for each in error.nearest[::-1]}
            for name in difflib.get_close_matches(parse_path(place).undated, named, 1):
                return named[name]
        return ""

    def _find_hidden(self, way: Way, page: str, *, by_name: bool) -> LeftOut | None:
        """Find the file that is left out to which a path leads by its place, else by its name."""
        for place in (*map(page_of, way.files), page):
            for each in self._hidden.get(place, ()):
                if page_of(each.post.source) == place:
                    return each
        same = self._hidden.get(parse_path(page_of(way.path)).undated, ())
        return same[0] if by_name and len(same) == 1 else None

    def _lacks_file(self, way: Way) -> bool:
        """Whether no file of the content folder satisfies a reference to a file."""
        path, scheme = way.path, way.parts.scheme
        name = MARKDOWN.sub("", posixpath.basename(path.rstrip("/"))).casefold()
        if self._addresses.has_name(path) or self._has_file(way) or name in self._names:
            return False
        inner = path.lstrip("/").removeprefix("@/")
        folder = posixpath.dirname(inner).casefold()
        if scheme == "post" or (scheme == "link" and not folder):
            return scheme == "post"
        if path.startswith(("/", "@/")) or (scheme and folder):
            return folder.partition("/")[0] in self._folders
        is_outside = way.files[0].startswith("..")
        return not is_outside and (bool(MARKDOWN.search(path)) or not _LISTS.fullmatch(inner))

    def _has_file(self, way: Way) -> bool:
        return not self._there.isdisjoint(way.files)

    def _lacks_page(self, way: Way, page: str) -> bool:
        """Whether nothing is at a page beside posts, as far as posts alone can tell."""
        is_list = _LISTS.fullmatch(posixpath.basename(page))
        is_asset = _ASSET.search(way.path) and not way.path.endswith("/")
        is_file = not way.path.startswith("/") and self._has_file(way)
        return not (is_list or is_asset or is_file or self._addresses.has_page(page))


def _above(name: str) -> Iterator[str]:
    """Yield the folders that a file lies in, `""` for one at the top alone."""
    yield posixpath.dirname(name)
    while name := posixpath.dirname(name):
        yield name


def _shape(page: str) -> str:
    """Return the folders of a page with each digit as `0`: `0000/00`."""
    return re.sub(r"\d", "0", page.rpartition("/")[0])
