"""Broken links from a blog's posts to the blog itself.

A link is reported only if it is certainly broken. Its target is a file that the content folder
lacks, an unknown page among posts, an unpublished post, or an anchor that a post lacks. Links to
lists, feeds and other parts of the site are not judged, since the index does not hold these.
"""

import difflib
import posixpath
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from blog_search_mcp.index.text.tokenizer import name_key
from blog_search_mcp.index.types import Link
from blog_search_mcp.ingest.last_ingest import ContentFolder, LeftOut
from blog_search_mcp.ingest.posts.paths import FILE, MARKDOWN, folder_shape, page_of, parse_path
from blog_search_mcp.ingest.relations.link_targets import ParsedLink, Target
from blog_search_mcp.server.author.corpus import Corpus

_LIST_PAGES = re.compile(
    r"all|archives?|atom|authors?|blog|categor(?:y|ies)|feeds?|home|index|latest|news|pages?|posts?"
    r"|recent|rss|search|section|series|tags?|taxonomy|topics?"
)
"""Names of list pages that generators and themes create without a source file."""
_THEME_ANCHORS = re.compile(
    r"top|main|content|comments?|respond|disqus_thread|giscus|utterances|toc|header|footer"
    r"|footnotes|share|subscribe|newsletter|about|author|related",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that the author may want to mend."""

    source: str
    """Path of the post or draft."""
    line: int
    """Line of the file, from 1; 0 for the whole post."""
    detail: str
    """Description without a full stop."""
    others: tuple[str, ...] = ()
    """Source of a link's target or nearest post, of a twin, or of a post per spelling of a tag."""


def find_breaks(corpus: Corpus, folder: ContentFolder) -> tuple[list[Finding], list[Finding]]:
    """Return broken links and broken anchors, each sorted by source and place in the post."""
    judge, anchors, judged = _Judge(corpus, folder), list[Finding](), list[tuple[Finding, str]]()
    for number in sorted(corpus.links, key=lambda number: corpus.posts[number].source):
        for link, target in corpus.links[number]:
            if target is None:
                judged += filter(None, [judge.judge(corpus.posts[number].source, link)])
            elif judge.lacks(target):
                at = corpus.posts[target.post].source
                detail = f"{link.href} names an anchor that {at} has not"
                anchors.append(Finding(corpus.posts[number].source, link.line, detail, (at,)))
    lacking = Counter(map(posixpath.dirname, {page for _, page in judged if page}))
    links = [
        finding
        for finding, page in judged
        # A folder that lacks more pages than it has posts surely has pages that are no posts.
        if not page or lacking[posixpath.dirname(page)] <= judge.count_beside(page)
    ]
    return links, anchors


class _Judge:
    def __init__(self, corpus: Corpus, folder: ContentFolder) -> None:
        self._corpus, self._addresses = corpus, corpus.addresses
        files = {name.casefold() for name in folder.files}
        self._folders = {str(above) for name in files for above in PurePosixPath(name).parents}
        self._names = {posixpath.basename(name) for name in files}
        self._known_paths = files | self._folders | {page_of(name) for name in files}
        self._hidden = {page_of(hidden.post.source): hidden for hidden in folder.left_out}
        self._hidden_by_name: defaultdict[str, list[LeftOut]] = defaultdict(list)
        for page, hidden in self._hidden.items():
            for name in {parse_path(page).undated, hidden.post.slug.casefold()}:
                self._hidden_by_name[name].append(hidden)
        self._anchors = {
            post: frozenset(name_key(unquote(anchor)) for anchor in anchors)
            for post, anchors in corpus.snapshot.catalog.anchors().items()
        }
        posts = corpus.posts.values()
        self._sources = {parse_path(post.source.casefold()).undated: post.source for post in posts}
        self._pages = [page_of(urlsplit(post.url).path) for post in posts if post.url]
        self._shapes = Counter(map(folder_shape, self._pages))

    def count_beside(self, page: str) -> int:
        """Count the posts in the folder of `page` and in folders that differ only in digits.

        The count is 0 for a page at the top of the site, and for a page with posts below it.
        """
        is_above = any(other.startswith(f"{page}/") for other in self._pages)
        return 0 if "/" not in page or is_above else self._shapes[folder_shape(page)]

    def lacks(self, target: Target) -> bool:
        """Whether the target post certainly lacks the anchor, ignoring case and punctuation.

        Anchors of themes or with marks except `-`, and posts of unknown anchors, are not judged.
        """
        if not re.fullmatch(r"[\w-]+", target.anchor) or _THEME_ANCHORS.fullmatch(target.anchor):
            return False
        anchors = self._anchors.get(target.post, ())
        return bool(anchors) and name_key(target.anchor) not in anchors

    def judge(self, source: str, link: Link) -> tuple[Finding, str] | None:
        """Judge a link without a target post; return a finding and its page if the link is broken.

        The page is `""` if the finding does not depend on other findings in the folder.
        """
        parsed, is_known = self._addresses.read(link.href, source), self._addresses.is_known
        if not parsed or not parsed.path.strip("/") or not (parsed.files or is_known):
            return None
        page = (parsed.page or "") if is_known and not parsed.is_file else ""
        is_of_posts = parsed.is_file or self.count_beside(page) > 0
        if hidden := self._find_hidden(parsed, page, by_name=is_of_posts):
            template, near, page = "leads to {}, which is not published", hidden.post.source, ""
            is_broken = bool(hidden.reason)
        else:
            is_broken = is_of_posts and (
                self._lacks_page(parsed, page) if page else self._lacks_file(parsed)
            )
            place = parse_path(f"{page}.md" if page else parsed.files[0]).undated
            names = difflib.get_close_matches(place, self._sources, 1) if is_broken else ()
            near = self._sources[names[0]] if names else ""
            template = "leads nowhere; nearest: {}" if near else "leads nowhere"
        detail = f"{link.href} {template.format(near)}"
        finding = Finding(source, link.line, detail, (near,) if near else ())
        return (finding, page) if is_broken else None

    def _find_hidden(self, parsed: ParsedLink, page: str, *, by_name: bool) -> LeftOut | None:
        """Return the unpublished post at a link's path, or with `by_name` the only one so named."""
        pages = [*map(page_of, parsed.files), *filter(None, [page])]
        placed = filter(None, map(self._hidden.get, pages))
        same = self._hidden_by_name.get(parse_path(page_of(parsed.path)).undated, ())
        return next(placed, same[0] if by_name and len(same) == 1 else None)

    def _lacks_page(self, parsed: ParsedLink, page: str) -> bool:
        """Whether a page is no post, list page or file. A path with a suffix counts as a file."""
        is_list = _LIST_PAGES.fullmatch(posixpath.basename(page))
        is_asset = FILE.search(parsed.path.casefold())
        is_file = not parsed.path.startswith("/") and not self._known_paths.isdisjoint(parsed.files)
        return not (is_list or is_asset or is_file or self._addresses.has_page(page))

    def _lacks_file(self, parsed: ParsedLink) -> bool:
        name = MARKDOWN.sub("", posixpath.basename(parsed.path.rstrip("/"))).casefold()
        is_there = not self._known_paths.isdisjoint(parsed.files) or name in self._names
        if is_there or self._addresses.has_name(parsed.path):
            return False
        top, *below = parsed.path.casefold().lstrip("@/").split("/")
        is_from_top = parsed.path.startswith(("/", "@/")) or (below and parsed.parts.scheme)
        if is_from_top or parsed.parts.scheme == "link":
            return bool(below) and top in self._folders
        return not parsed.files[0].startswith("..")
