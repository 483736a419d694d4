"""A post as lists show it: metadata comes in, JSON facts go out, what is absent left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from server.wire import TITLE_WIDTH, one_line, shortened

if TYPE_CHECKING:
    from index.types import Post

TAGS = 8
"""Tags shown of a post."""
TAG_WIDTH = 40


def facts_of(post: Post) -> dict[str, Any]:
    """Name the post, its date, its first tags and its link."""
    facts = {
        "source": post.source,
        "title": shortened(one_line(post.title), TITLE_WIDTH),
        "date": post.date,
        "tags": [shortened(one_line(tag), TAG_WIDTH) for tag in post.tags[:TAGS]],
        "url": post.url,
    }
    return {name: value for name, value in facts.items() if value}
