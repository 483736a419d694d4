"""Known items: posts in, queries out that are the author's own descriptions.

A description says what a post is about in words chosen for readers, so it is
the nearest thing to a labelled query that every blog has. One that says too
little, or that stands in the title or the body, would measure nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from benchmarks.types import Query
from benchmarks.wording import folded, letters, without_numbers, words
from blog_search_mcp.ingest.documents.base import Document
from blog_search_mcp.ingest.markdown.plain_text import strip_markup

KIND = "description"

LEAST_LETTERS = 20
LEAST_WORDS = 4
"""A description with fewer names a subject that many posts may share."""

COPIED = 0.8
"""Share of a description that, found in one piece in the body, makes it a copy of the body."""


def known_items(posts: Sequence[Document]) -> Iterator[Query]:
    """The descriptions that ask for one post alone."""
    described = [
        (post, strip_markup(post.post.description)) for post in posts if post.post.description
    ]
    uses = Counter(without_numbers(text) for _, text in described)
    for post, text in described:
        own = uses[without_numbers(text)] == 1
        if own and says_enough(text) and not is_copied(text, post.post.title, post.body.text):
            yield Query(KIND, " ".join(text.split()), post.post.source)


def says_enough(text: str) -> bool:
    """Whether a description is long enough to ask for one post."""
    return letters(text) >= LEAST_LETTERS and words(text) >= LEAST_WORDS


def is_copied(text: str, title: str, body: str) -> bool:
    """Whether the title holds the description, or the body holds most of it in one piece."""
    wanted = folded(text)
    if wanted in folded(title):
        return True
    content = folded(strip_markup(body))
    piece = math.ceil(len(wanted) * COPIED)
    return any(wanted[at : at + piece] in content for at in range(len(wanted) - piece + 1))
