"""What speaks for a link from a text to each post of a blog, as numbers.

Cosines are standardised over the blog's posts, because embedders spread them differently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.relations.linking.prose import Prose
    from blog_search_mcp.index.types import Ids, Post, Vectors

WEIGHTS: Mapping[str, float] = {
    "named": 1.52,
    "share": 1.5,
    "rare": 0.58,
    "text_share": 1.06,
    "text_rare": 0.6,
    "chunk": 0.73,
    "tags": 1.21,
    "cited": 1.03,
    "popular": 0.8,
    "recent": 1.5,
}
"""By feature, fitted to links that posts of golang-blog, 18f-blog and tarrragon-zhtw have, by a
softmax over a target and all posts that are none; the last two by hand to drafts without a date."""

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
    """Return what speaks for each of the posts `among`, whose links alone count; best first.

    `post` describes the text.
    """
    posts = np.array(sorted(among), dtype=np.int64)
    titles = corpus.titles
    places = np.searchsorted(np.array([*titles.terms]), posts)
    texts = [[term.stem for term in each.terms] for each in prose.sentences]
    share = titles.best_shares(texts)[places]
    text_share = titles.best_shares([[stem for terms in texts for stem in terms]])[places]
    rarity = np.minimum(titles.weights[places] / titles.rarity.highest, 3.0) / 3.0
    features = {
        "named": titles.name_shares(texts)[places],
        "share": share,
        "rare": share * rarity,
        "text_share": text_share,
        "text_rare": text_share * rarity,
        "tags": _share_tags(corpus, post, posts),
        "popular": _count_links(corpus, posts),
        "recent": _compare_dates(corpus, post, posts),
        **_compare_meaning(corpus, meaning, posts),
    }
    scores = np.zeros(len(posts), dtype=np.float32)
    for name, column in features.items():
        scores += WEIGHTS[name] * column
    by_post = dict(zip(posts.tolist(), np.round(scores, 4).tolist(), strict=True))
    best = sorted(by_post, key=lambda number: (-by_post[number], corpus.posts[number].source))
    return {number: by_post[number] for number in best}


def compare_passages(corpus: Corpus, vectors: Vectors | None, language: str) -> Meaning | None:
    """Compare a text's passages with the blog; `None` if none has a vector."""
    if vectors is None or not np.any(vectors):
        return None
    directions = corpus.passages.centre(vectors, language)
    return Meaning(directions, corpus.passages.compare(directions))


def _compare_meaning(corpus: Corpus, meaning: Meaning | None, posts: Ids) -> dict[str, Floats]:
    """Compare each passage with the nearest window of a post; count links of those most like it."""
    blog = corpus.passages
    is_among = np.isin(blog.posts, posts)
    if meaning is None or not np.any(is_among):
        return {}
    near = blog.by_post(meaning.cosines).max(axis=0)
    whole = meaning.directions.mean(axis=0) @ blog.directions.T
    chunk, cited = np.zeros((2, len(posts)), dtype=np.float32)
    chunk[np.searchsorted(posts, blog.posts[is_among])] = _standardise(near[is_among])
    ids, likeness = blog.posts[is_among], _standardise(whole[is_among])
    for place in np.argsort(-likeness, kind="stable")[:NEIGHBOURS]:
        targets = corpus.linked.get(int(ids[place]), frozenset())
        cited[np.isin(posts, [*targets])] += max(float(likeness[place]), 0.0)
    return {"chunk": chunk, "cited": np.log1p(cited)}


def _count_links(corpus: Corpus, posts: Ids) -> Floats:
    """Count from how many others of these posts each is linked, as a logarithm."""
    linking = corpus.linked.keys() & posts.tolist()
    counts = Counter(to for of in linking for to in corpus.linked[of])
    popular = np.log1p([counts[post] for post in posts.tolist()]) / 3
    return popular.astype(np.float32)


def _standardise(values: Floats) -> Floats:
    standard: Floats = (values - values.mean()) / max(float(values.std()), 1e-9)
    return standard


def _share_tags(corpus: Corpus, post: Post, posts: Ids) -> Floats:
    """Return the tags that each post shares with the text, rare ones counting up to 1."""
    tags = {n: {tag.casefold() for tag in each.tags} for n, each in corpus.posts.items()}
    counts = Counter(tag for each in tags.values() for tag in each)
    own = {tag.casefold() for tag in post.tags}
    total = np.log(max(len(corpus.posts), 2))
    rarity = {tag: 1 - np.log(counts[tag]) / total for tag in own if counts[tag]}
    shared = [sum(rarity[tag] for tag in own & tags[number]) for number in posts.tolist()]
    return np.array(shared, dtype=np.float32)


def _compare_dates(corpus: Corpus, post: Post, posts: Ids) -> Floats:
    """Return how near in time each post is to the text; one without a date as the mean of all."""
    dates = [corpus.posts[number].date for number in posts.tolist()]
    now = post.date or max(filter(None, dates), default="")
    days = [date.fromisoformat(day).toordinal() if day else np.nan for day in dates]
    if not now or np.isnan(days).all():
        return np.zeros(len(posts), dtype=np.float32)
    recent = np.exp(-np.abs(date.fromisoformat(now).toordinal() - np.array(days)) / 365)
    neutral: Floats = np.nan_to_num(recent, nan=float(np.nanmean(recent))).astype(np.float32)
    return neutral
