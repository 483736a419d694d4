"""Related posts: to each post of a blog a few others that its readers may want next.

All comes from the index, by one matrix product: how alike posts are in meaning, in tags and in
the words of their titles. Whoever is near to all is near to nobody in particular: from the
likeness of two posts that of each to its nearest is taken, so that the same few are not listed
everywhere.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.analysis.languages import primary_subtag
from blog_search_mcp.index.analysis.query import is_stopword
from blog_search_mcp.index.analysis.tokenizer import terms

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.types import Ids, Post, Vectors

NEAREST = 10
"""Posts whose likeness tells how near a post is to others at all."""
CANDIDATES = 40
"""Posts of each list that its last places are chosen from."""
BLOCK = 512
"""Posts compared with all others at a time: 7 MB of likenesses for 3,500 posts."""
DIGITS = 3
"""To which likenesses are rounded; of equals the newer is listed first."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """What the likeness of two posts is made of."""

    meaning: float = 1.0
    """Of the cosine of the posts' directions."""
    tags: float = 0.3
    """Of the cosine of their tags, rare ones counting more."""
    title: float = 0.3
    """Of the cosine of the words of their titles, likewise."""
    hubs: float = 0.5
    """Of what each has in common with its nearest, which is taken away."""
    spread: float = 0.2
    """Of a post's likeness in meaning to those listed before it, which is taken away."""


def find_related(
    corpus: Corpus, limit: int, mixture: Mixture | None = None
) -> dict[int, tuple[int, ...]]:
    """Return by post the ids of at most `limit` others, best first.

    They are in the post's language and more like it than posts of the blog are on the average;
    none is its translation, a part of its series, or linked in it.
    """
    return choose_related(LikePosts(corpus, mixture or Mixture()), limit, corpus.linked)


class LikePosts:
    """How alike the posts of a blog are; posts are places in `order`."""

    def __init__(self, corpus: Corpus, mixture: Mixture) -> None:
        posts = corpus.posts
        by_source = sorted(posts, key=lambda n: posts[n].source)
        self.order = sorted(by_source, key=lambda n: posts[n].date or "", reverse=True)
        """Ids of all posts, the newest first."""
        self.place = {number: place for place, number in enumerate(self.order)}
        self.mixture = mixture
        self.rows = _rows(corpus, self.order)
        ordered = [posts[number] for number in self.order]
        self._tags = _Overlap([[tag.casefold() for tag in post.tags] for post in ordered])
        self._titles = _Overlap([_title_words(post) for post in ordered])
        self._languages = np.array(_name_languages(corpus, ordered))
        self._apart = [self._keep_apart(corpus, number) for number in self.order]
        means = [np.zeros((0, 2), dtype=np.float32)]
        means += [_mean_likeness(self._mix(each)) for each in self.blocks()]
        self._near, to_all = np.concatenate(means).T
        self._average = float(to_all.mean()) if len(to_all) else 0.0

    def blocks(self) -> Iterator[Ids]:
        """Yield all places, some at a time."""
        for start in range(0, len(self.order), BLOCK):
            yield np.arange(start, min(start + BLOCK, len(self.order)))

    def likeness(self, places: Ids) -> Vectors:
        """Return how like each of these is to all, `-inf` to what it is never listed with.

        Of shape (len(places), len(order)).
        """
        mixed = self._mix(places)
        is_apart = self._languages[places][:, np.newaxis] != self._languages
        is_near = (mixed > self._average) & ~is_apart
        found = np.where(is_near, mixed - self.mixture.hubs * self._near, -np.inf)
        for row, place in enumerate(places):
            found[row, self._apart[place]] = -np.inf
        return found.astype(np.float32)

    def _mix(self, places: Ids) -> Vectors:
        found = self.mixture.meaning * (self.rows[places] @ self.rows.T)
        for row, place in enumerate(places):
            self._tags.add(found[row], place, self.mixture.tags)
            self._titles.add(found[row], place, self.mixture.title)
            found[row, place] = 0.0
        return found

    def _keep_apart(self, corpus: Corpus, number: int) -> list[int]:
        """Return the places of a post itself, its translations and the parts of its series."""
        series = corpus.series.get(number)
        parts = {each.post for each in series.parts} if series else set()
        return [self.place[n] for n in {number} | parts | corpus.translations_of(number)]


class _Overlap:
    """How many words posts have in common, rare ones counting more."""

    def __init__(self, words: Sequence[Iterable[str]]) -> None:
        counts = [Counter(each) for each in words]
        having: dict[str, list[int]] = defaultdict(list)
        for place, of_one in enumerate(counts):
            for word in of_one:
                having[word].append(place)
        rarity = {word: math.log(len(words) / len(found)) for word, found in having.items()}
        norms = [math.sqrt(sum(rarity[word] ** 2 for word in of_one)) for of_one in counts]
        self._weights = [
            {word: rarity[word] / norm for word in sorted(of_one) if rarity[word]} if norm else {}
            for of_one, norm in zip(counts, norms, strict=True)
        ]
        self._having = {
            word: (
                np.array(found),
                np.array([self._weights[n].get(word, 0.0) for n in found], dtype=np.float32),
            )
            for word, found in having.items()
        }

    def add(self, row: Vectors, place: int, weight: float) -> None:
        """Add to `row` the cosine, in [0, 1], of the words of this post and of all, weighted."""
        for word, own in self._weights[place].items():
            found, others = self._having[word]
            row[found] += weight * own * others


def _rows(corpus: Corpus, order: Sequence[int]) -> Vectors:
    """Return the posts' directions in this order; of one without vectors there are zeros."""
    vectors = corpus.post_vectors
    rows = np.zeros((len(order), corpus.snapshot.vectors.dimension), dtype=np.float32)
    place = {int(number): row for row, number in enumerate(vectors.posts)}
    known = [at for at, number in enumerate(order) if number in place]
    rows[known] = vectors.rows[[place[order[at]] for at in known]]
    return rows


def _title_words(post: Post) -> set[str]:
    found = terms(post.title, post.language)
    return {each.stem for each in found if not is_stopword(each.exact, [post.language])}


def _name_languages(corpus: Corpus, posts: Sequence[Post]) -> list[str]:
    """Name the languages of posts: `en` and `en-us` are one, unless the blog translates between."""
    groups = corpus.snapshot.translations.groups.values()
    translated = {each.language for group in groups for each in group}
    mains = Counter(primary_subtag(language) for language in translated)
    return [
        post.language if mains[primary_subtag(post.language)] > 1 else primary_subtag(post.language)
        for post in posts
    ]


def _mean_likeness(found: Vectors) -> Vectors:
    """Return of each row the mean of its NEAREST and that of all, of shape (len(found), 2)."""
    nearest = min(NEAREST, found.shape[1])
    top = np.partition(found, -nearest, axis=1)[:, -nearest:]
    means: Vectors = np.stack([top.mean(axis=1), found.mean(axis=1)], axis=1)
    return means


def choose_related(
    alike: LikePosts, limit: int, linked: Mapping[int, Set[int]]
) -> dict[int, tuple[int, ...]]:
    """Choose for each post; what it links to is left out."""
    chosen: dict[int, tuple[int, ...]] = {}
    for places in alike.blocks():
        found = alike.likeness(places)
        for row, place in enumerate(places):
            found[row, [alike.place[n] for n in linked.get(alike.order[place], ())]] = -np.inf
        for place, others in zip(places, _spread(found, alike, limit), strict=True):
            chosen[alike.order[place]] = tuple(alike.order[other] for other in others)
    return chosen


def _spread(found: Vectors, alike: LikePosts, limit: int) -> list[list[int]]:
    """Choose one by one the most alike, less what it has in common with those chosen before."""
    found = np.round(found, DIGITS)
    candidates = _best_places(found)
    scores = np.take_along_axis(found, candidates, axis=1)
    rows = np.arange(len(found))
    common = np.zeros_like(scores)
    chosen: list[list[int]] = [[] for _ in rows]
    for _ in range(min(limit, candidates.shape[1])):
        best = np.round(scores - alike.mixture.spread * common, DIGITS).argmax(axis=1)
        for row in rows[np.isfinite(scores[rows, best])]:
            chosen[row].append(int(candidates[row, best[row]]))
        last = alike.rows[candidates[rows, best]]
        common = np.maximum(common, np.einsum("rcd,rd->rc", alike.rows[candidates], last))
        scores[rows, best] = -np.inf
    return chosen


def _best_places(found: Vectors) -> Ids:
    """Return of each row the places of its CANDIDATES highest, of equals the first first."""
    size = found.shape[1]
    steps = np.where(np.isfinite(found), np.rint(found * 10**DIGITS), -(10**6)).astype(np.int64)
    order = np.arange(size) - steps * size
    most = min(CANDIDATES, size)
    best = np.argpartition(order, most - 1, axis=1)[:, :most] if most else order
    places: Ids = np.take_along_axis(
        best, np.argsort(np.take_along_axis(order, best, axis=1), axis=1), axis=1
    )
    return places
