"""Related posts: to each post of a blog a few others that its readers may want next.

They are those nearest in meaning. What tags and titles have in common was weighed in before: of
the links of five blogs it found .35 to .55 among five posts where meaning alone finds .24 to .55,
at most two hundredths less on a blog and five more on another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.analysis.languages import primary_subtag

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus

BLOCK = 512
"""Posts compared with all others at a time: 7 MB of cosines for 3,500 posts."""
DIGITS = 3
"""To which cosines are rounded; of equals the newer is listed first."""


def find_related(
    corpus: Corpus, limit: int, linked: Mapping[int, Set[int]] | None = None
) -> dict[int, tuple[int, ...]]:
    """Return by post the ids of at most `limit` others, the nearest first.

    They are in the post's language and nearer to it than the blog's posts are on average; none is
    its translation, a part of its series, or linked in it (`linked`, by default as the posts are).
    A post without vectors is left out.
    """
    linked = corpus.linked if linked is None else linked
    ids, rows = corpus.post_vectors.posts, corpus.post_vectors.rows
    dates = {number: post.date or "" for number, post in corpus.posts.items()}
    order = sorted(range(len(ids)), key=lambda row: dates[int(ids[row])], reverse=True)
    posts, rows = [int(ids[row]) for row in order], rows[order]
    places = {post: place for place, post in enumerate(posts)}
    languages = np.array(_name_languages(corpus, posts))
    mean = rows.mean(axis=0) if posts else rows
    average = float((mean * mean).sum()) - 1 / max(len(posts), 1)
    related: dict[int, tuple[int, ...]] = {}
    for start in range(0, len(posts), BLOCK):
        cosines = np.round(rows[start : start + BLOCK] @ rows.T, DIGITS)
        for place, scores in enumerate(cosines, start):
            post = posts[place]
            apart = [places[each] for each in _keep_apart(corpus, post, linked) if each in places]
            scores[apart] = -np.inf
            scores[(languages != languages[place]) | (scores <= average)] = -np.inf
            best = np.argsort(-scores, kind="stable")[:limit]
            related[post] = tuple(posts[each] for each in best if np.isfinite(scores[each]))
    return related


def _keep_apart(corpus: Corpus, post: int, linked: Mapping[int, Set[int]]) -> Set[int]:
    """Return the posts that are never listed beside this one, itself among them."""
    series = corpus.series.get(post)
    parts = {part.post for part in series.parts} if series else set()
    return {post} | parts | corpus.translations_of(post) | linked.get(post, set())


def _name_languages(corpus: Corpus, posts: Sequence[int]) -> list[str]:
    """Name the languages of posts: `en` and `en-us` are one, unless the blog translates between."""
    groups = corpus.snapshot.translations.groups.values()
    translated = {each.language for group in groups for each in group}
    mains = Counter(primary_subtag(language) for language in translated)
    languages = (corpus.posts[post].language for post in posts)
    return [
        language if mains[primary_subtag(language)] > 1 else primary_subtag(language)
        for language in languages
    ]
