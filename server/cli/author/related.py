"""`blog-server related`: write which posts are related as the data file of a site's generator."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from blog_search_mcp.index.analysis.languages import language_tag
from blog_search_mcp.index.content.next_ingest import blog_of
from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.relations.linking.places import DAY
from blog_search_mcp.index.relations.related import find_related
from blog_search_mcp.server.cli.files import write_output
from blog_search_mcp.server.cli.terminal import print_text, tell
from blog_search_mcp.server.library.library import engine_for_author
from blog_search_mcp.server.settings import TOP_K_DEFAULT, AuthorRequest, Settings

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Post

_POSTS = (".md", ".mdx", ".markdown", ".qmd")
_ELEVENTY = ("eleventy.config.*", ".eleventy.js", "package.json")
"""Files that lie in the folder that Eleventy is run in."""


def run(settings: Settings, request: AuthorRequest) -> int:
    """Write the file or print it; returns the exit status. Raises BlogSearchError."""
    if settings.others:
        raise UsageError("A data file is of one blog: give one --index.")
    if request.out is not None and request.out.suffix.lower() in _POSTS:
        raise UsageError(f"{request.out} would be taken for a post; let --out end in .json.")
    [corpus] = engine_for_author(settings).corpora().values()
    found = {
        corpus.posts[number]: [corpus.posts[other] for other in others]
        for number, others in find_related(corpus, request.limit or TOP_K_DEFAULT).items()
        if others
    }
    content = Path(blog_of(settings.index, settings.content).content)
    data = FORMATS[request.format](sorted(found.items(), key=_by_source), content)
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    if request.out is None:
        print_text(text.rstrip())
        return 0
    state = "written" if write_output(request.out, text.encode()) else "unchanged"
    tell(f"{request.out}: {state}, {len(data):,} posts with related ones.", settings)
    return 0


Related = Sequence[tuple["Post", list["Post"]]]
"""Posts with those related to them, by source."""


def _by_source(pair: tuple[Post, list[Post]]) -> str:
    return pair[0].source


def list_posts(found: Related, _content: Path) -> list[dict[str, Any]]:
    """List posts by source."""
    return [
        {**_facts(post), "related": [_facts(each) for each in others]} for post, others in found
    ]


def describe_for_hugo(found: Related, content: Path) -> dict[str, Any]:
    """Key by `.File.Path` without its ending; a related page has the path of `site.GetPage`."""
    below = _path_below(content, lambda folder: folder.name == "content")

    def get_page(post: Post) -> str:
        stem = _stem(post)
        plain, dot, suffix = stem.rpartition(".")
        path = plain if dot and language_tag(suffix) else stem
        return "/" + re.sub(r"(?:^|/)_?index$", "", f"{below}{path}")

    return {
        below + _stem(post): [{"path": get_page(each), **_facts(each)} for each in others]
        for post, others in found
    }


def describe_for_jekyll(found: Related, _content: Path) -> dict[str, Any]:
    """Key by `page.slug`; of posts that share one the newest has it."""

    def slug(post: Post) -> str:
        return post.slug or DAY.sub("", _stem(post).rpartition("/")[2])

    by_date = sorted(found, key=lambda pair: pair[0].date or "")
    newest = {slug(post): (post, others) for post, others in by_date}
    return {
        slug(post): [{"slug": slug(each), **_facts(each)} for each in others]
        for post, others in found
        if newest[slug(post)][0] is post
    }


def describe_for_eleventy(found: Related, content: Path) -> dict[str, Any]:
    """Key by `page.inputPath`."""
    below = _path_below(
        content, lambda folder: any(next(folder.glob(name), None) for name in _ELEVENTY)
    )
    return {
        f"./{below}{post.source}": [
            {"inputPath": f"./{below}{each.source}", **_facts(each)} for each in others
        ]
        for post, others in found
    }


FORMATS: Final[Mapping[str, Callable[[Related, Path], Any]]] = {
    "json": list_posts,
    "hugo": describe_for_hugo,
    "jekyll": describe_for_jekyll,
    "eleventy": describe_for_eleventy,
}
"""By the word for `--format`."""


def _path_below(content: Path, is_root: Callable[[Path], bool]) -> str:
    """Return the path to `content` from the nearest root that it is or lies in, with a slash.

    Empty if there is none.
    """
    for folder in (content, *content.parents):
        if is_root(folder):
            path = content.relative_to(folder).as_posix()
            return "" if path == "." else f"{path}/"
    return ""


def _stem(post: Post) -> str:
    return post.source.rpartition(".")[0]


def _facts(post: Post) -> dict[str, str]:
    url = urlsplit(post.url).path if post.url else None
    facts = {"source": post.source, "title": post.title, "date": post.date, "url": url}
    return {name: value for name, value in facts.items() if value}
