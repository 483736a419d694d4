"""What speaks for a link from a text to each post of a blog, as numbers.

Cosines are standardised over the blog's posts, because embedders spread them differently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.relations.corpus import Corpus
from blog_search_mcp.index.relations.linking.prose import Prose
from blog_search_mcp.index.types import Post, Vectors

WEIGHTS: Mapping[str, float] = {
    "named": 1.47,
    "title": 2.3,
    "chunk": 0.88,
    "tags": 1.23,
    "cited": 0.82,
    "recent": 2.4,
}
"""By feature, fitted to links that posts of golang-blog, 18f-blog and tarrragon-zhtw have, by a
softmax over a target and all posts that are none."""

NEIGHBOURS = 10
"""Posts most like the text whose links count."""

Floats = npt.NDArray[np.float32]


class Meaning(NamedTuple):
    """The passages of a text, by their vectors."""

    directions: Vectors
    cosines: Vectors
    """To all windows of the blog, of shape (passages, windows)."""


def weigh_posts(
    corpus: Corpus, post: Post, prose: Prose, meaning: Meaning | None, among: Collection[int]
) -> dict[int, float]:
    """Return what speaks for each of the posts `among`; best first. `post` describes the text."""
    posts, titles = sorted(among), corpus.titles
    sentences = [[term.stem for term in sentence.terms] for sentence in prose.sentences]
    text = f" {' . '.join(map(' '.join, sentences))} "
    terms = frozenset[str]().union(*sentences)
    features = {
        "named": [titles.name_post(number, text) for number in posts],
        "title": [titles.share_title(number, terms) for number in posts],
        "tags": _share_tags(corpus, post, posts),
        "recent": _compare_dates(corpus, post, posts),
        **_compare_meaning(corpus, meaning, posts),
    }
    scores = np.zeros(len(posts))
    for name, column in features.items():
        scores += WEIGHTS[name] * np.asarray(column)
    by_post = dict(zip(posts, np.round(scores, 4).tolist(), strict=True))
    best = sorted(by_post, key=lambda number: (-by_post[number], corpus.posts[number].source))
    return {number: by_post[number] for number in best}


def compare_passages(corpus: Corpus, vectors: Vectors | None, language: str) -> Meaning | None:
    """Compare a text's passages with the blog; `None` if none has a vector."""
    if vectors is None or not np.any(vectors):
        return None
    directions = corpus.passages.centre(vectors, language)
    return Meaning(directions, corpus.passages.compare(directions))


def _compare_meaning(
    corpus: Corpus, meaning: Meaning | None, posts: Sequence[int]
) -> dict[str, Floats]:
    """Compare each passage with the nearest window of a post; count links of those most like it."""
    blog = corpus.passages
    places = np.flatnonzero(np.isin(blog.posts, posts))
    if meaning is None or not len(places):
        return {}
    ids, columns = blog.posts[places], np.searchsorted(posts, blog.posts[places])
    chunk, cited = np.zeros((2, len(posts)), dtype=np.float32)
    chunk[columns] = _standardise(blog.by_post(meaning.cosines).max(axis=0)[places])
    likeness = _standardise(meaning.directions.mean(axis=0) @ blog.directions[places].T)
    for place in np.argsort(-likeness, kind="stable")[:NEIGHBOURS]:
        targets = corpus.linked.get(int(ids[place]), frozenset())
        cited[np.isin(posts, [*targets])] += max(float(likeness[place]), 0.0)
    return {"chunk": chunk, "cited": np.log1p(cited)}


def _standardise(values: Floats) -> Floats:
    standard: Floats = (values - values.mean()) / max(float(values.std()), 1e-9)
    return standard


def _share_tags(corpus: Corpus, post: Post, posts: Sequence[int]) -> Sequence[float]:
    """Return the tags that each post shares with the text, rare ones counting up to 1."""
    counts = Counter(tag for each in corpus.posts.values() for tag in {*each.tags})
    total = np.log(max(len(corpus.posts), 2))
    rarity = {tag: 1 - np.log(counts[tag]) / total for tag in post.tags if counts[tag]}
    return [sum(rarity.get(tag, 0.0) for tag in {*corpus.posts[n].tags}) for n in posts]


def _compare_dates(corpus: Corpus, post: Post, posts: Sequence[int]) -> Sequence[float]:
    """Return how near in time each post is to the text; one without a date as the mean of all."""
    dates = [corpus.posts[number].date for number in posts]
    now = post.date or max(filter(None, dates), default="")
    near = {day: np.exp(-_count_days(day, now) / 365) for day in dates if day and now}
    mean = float(np.mean([*near.values()])) if near else 0.0
    return [near.get(day, mean) if day else mean for day in dates]


def _count_days(one: str, other: str) -> int:
    return abs((date.fromisoformat(one) - date.fromisoformat(other)).days)
