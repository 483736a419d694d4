"""`author related`: write which posts are related as a data file for a site's generator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.relations.related import find_related
from blog_search_mcp.server.cli.files import write_output
from blog_search_mcp.server.cli.terminal import print_text, tell
from blog_search_mcp.server.engine import engine_for_author
from blog_search_mcp.server.settings import Settings

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Post

_POSTS = (".md", ".mdx", ".markdown", ".qmd")


def run(settings: Settings, limit: int, out: Path | None) -> int:
    """Write the file or print it; returns the exit status. Raises BlogSearchError."""
    if out is not None and out.suffix.lower() in _POSTS:
        raise UsageError(f"{out} would be taken for a post; let --out end in .json.")
    corpus = engine_for_author(settings).corpus()
    found = {
        corpus.posts[number]: [corpus.posts[other] for other in others]
        for number, others in find_related(corpus, limit).items()
        if others
    }
    data = {
        _key(post): [_facts(other) for other in others]
        for post, others in sorted(found.items(), key=lambda pair: pair[0].source)
    }
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    if out is None:
        print_text(text.rstrip())
        return 0
    state = "written" if write_output(out, text.encode()) else "unchanged"
    tell(f"{out}: {state}, {len(data):,} posts with related ones.", settings)
    return 0


def _key(post: Post) -> str:
    """Return the path of the post on its site, or its source where that is not known."""
    return _path(post) or post.source


def _path(post: Post) -> str | None:
    return (urlsplit(post.url).path or "/") if post.url else None


def _facts(post: Post) -> dict[str, str]:
    facts = {"source": post.source, "title": post.title, "date": post.date, "url": _path(post)}
    return {name: value for name, value in facts.items() if value}
