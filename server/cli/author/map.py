"""`blog-server map`: draw the blog by meaning, and its posts by year and subject, as an SVG."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blog_search_mcp.index.relations.subjects import BlogMap, map_blog
from blog_search_mcp.server import http
from blog_search_mcp.server.cli.files import write_output
from blog_search_mcp.server.cli.terminal import print_text, tell
from blog_search_mcp.server.format.map_picture import (
    count_by_subject,
    count_by_year,
    draw_map,
    draw_years,
    write_svg,
)
from blog_search_mcp.server.format.results import to_json
from blog_search_mcp.server.library.library import engine_for_author
from blog_search_mcp.server.library.prefixes import with_name
from blog_search_mcp.server.settings import AuthorRequest, Settings

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.linking.places import Place
    from blog_search_mcp.index.types import Post

STYLE = Path(http.__file__).parent / "page" / "map.css"
"""That of the page's pictures."""


def run(settings: Settings, request: AuthorRequest) -> int:
    """Draw the map of each blog; returns the exit status. Raises BlogSearchError."""
    corpora = engine_for_author(settings).corpora()
    maps = {name: map_blog(corpus) for name, corpus in corpora.items()}
    if settings.json:
        text = to_json([_facts(name, blog) for name, blog in maps.items()])
    else:
        places = {name: each.addresses.places.best(is_whole=True) for name, each in corpora.items()}
        drawn = (
            (draw_map(blog, partial(_address_of, places[name])), draw_years(blog))
            for name, blog in maps.items()
        )
        pictures = [picture for each in drawn for picture in each if picture]
        text = write_svg(pictures, STYLE.read_text(encoding="utf-8"))
    if request.out is None:
        print_text(text.rstrip())
        return 0
    write_output(request.out, text.encode())
    posts = sum(len(blog.posts) for blog in maps.values())
    tell(f"{posts:,} posts drawn in {request.out}; a browser opens it.", settings)
    return 0


def _address_of(place: Place | None, post: Post) -> str | None:
    """Return where a post is published, as is known or as links to `place` show."""
    return post.url or (place.address_of(post) if place else None)


def _facts(name: str, blog: BlogMap) -> dict[str, Any]:
    return {
        **({"blog": name} if name else {}),
        "subjects": list(count_by_subject(blog)),
        "years": count_by_year(blog),
        "posts": [
            {
                "source": with_name(name, post.source),
                "title": post.title,
                "date": post.date,
                "subject": subject,
                "place": [round(float(axis), 4) for axis in place],
            }
            for post, subject, place in zip(blog.posts, blog.subjects, blog.places, strict=True)
        ],
        "missing": blog.missing,
    }
