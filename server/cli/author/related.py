"""`author related`: write which posts are related as a data file for a site's generator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.relations.related import find_related
from blog_search_mcp.server.cli.files import replace_file
from blog_search_mcp.server.cli.terminal import print_text, tell
from blog_search_mcp.server.engine import engine_for_author
from blog_search_mcp.server.settings import Settings

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Post

POSTS = (".md", ".mdx", ".markdown", ".qmd")
"""What a post's file ends in: no such file is written."""


def run(settings: Settings, limit: int, out: Path | None) -> int:
    """Write the file or print it; returns the exit status. Raises BlogSearchError.

    A post is listed by the path of its page, or by its source where that is not known.
    """
    if out is not None and out.suffix.lower() in POSTS:
        raise UsageError(f"{out} would be taken for a post; let --out end in .json.")
    corpus = engine_for_author(settings).corpus()
    related = find_related(corpus, limit)
    data = {
        _find_path(corpus.posts[post]) or corpus.posts[post].source: [
            _name_post(corpus.posts[other]) for other in related[post]
        ]
        for post in sorted(related, key=lambda post: corpus.posts[post].source)
        if related[post]
    }
    text = json.dumps(data, ensure_ascii=False, indent=1)
    if out is None:
        print_text(text)
        return 0
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        replace_file(out, f"{text}\n".encode(), lambda written: written.chmod(0o644))
    except OSError as error:
        raise UsageError(
            f"{out} cannot be written: {error.strerror}. Name another file with --out."
        ) from error
    tell(f"{out}: written, {len(data):,} posts with related ones.", settings)
    return 0


def _find_path(post: Post) -> str | None:
    return (urlsplit(post.url).path or "/") if post.url else None


def _name_post(post: Post) -> dict[str, str]:
    url = _find_path(post)
    facts = {"source": post.source, "title": post.title, "date": post.date, "url": url}
    return {name: value for name, value in facts.items() if value}
