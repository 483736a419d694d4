"""The baseline: BM25 over whole posts, in a few lines of plain Python.

Title and body are one text, terms are ORed, and nothing is weighted, fused or
embedded. It uses the analyser of the lexical retriever, so that a difference to it is
a difference of passages, fields and fusion, not of words.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.quality.metrics import first_rank
from benchmarks.quality.types import Query
from blog_search_mcp.index.analysis.tokenizer import terms
from blog_search_mcp.ingest.documents.base import Document

K1 = 1.2
B = 0.75
"""Lucene's defaults."""

Analyse = Callable[[str], Iterable[str]]


@dataclass(frozen=True, slots=True)
class WholePostIndex:
    """Postings of whole posts."""

    analyse: Analyse
    postings: Mapping[str, Mapping[str, int]]
    """By term and source, how often the term stands in the post."""
    lengths: Mapping[str, int]
    """By source, how many terms the post has."""
    mean_length: float

    def search(self, query: str, limit: int) -> list[str]:
        """Return the best `limit` sources with any of the query's terms, best first."""
        scores: dict[str, float] = defaultdict(float)
        for term in self.analyse(query):
            for source, share in self._scores(term):
                scores[source] += share
        return sorted(scores, key=lambda source: (-scores[source], source))[:limit]

    def _scores(self, term: str) -> Iterable[tuple[str, float]]:
        found = self.postings.get(term, {})
        rarity = math.log1p((len(self.lengths) - len(found) + 0.5) / (len(found) + 0.5))
        for source, times in found.items():
            norm = K1 * (1 - B + B * self.lengths[source] / self.mean_length)
            yield source, rarity * times * (K1 + 1) / (times + norm)


def index_texts(texts: Mapping[str, str], analyse: Analyse) -> WholePostIndex:
    """Index `texts`, by source; at least one."""
    postings: dict[str, dict[str, int]] = defaultdict(dict)
    lengths: dict[str, int] = {}
    for source, text in texts.items():
        counts = Counter(analyse(text))
        lengths[source] = counts.total()
        for term, times in counts.items():
            postings[term][source] = times
    return WholePostIndex(analyse, postings, lengths, sum(lengths.values()) / len(lengths))


def whole_posts(posts: Iterable[Document]) -> dict[str, str]:
    """Return title and body of each post, by source."""
    return {post.post.source: f"{post.post.title}\n{post.body.text}" for post in posts}


def rank_whole_posts(
    posts: Iterable[Document], queries: Sequence[Query], limit: int
) -> list[int | None]:
    """Return the rank of each query's post among the first `limit`."""
    index = index_texts(whole_posts(posts), _stems)
    return [first_rank(index.search(query.text, limit), query.acceptable) for query in queries]


def _stems(text: str) -> list[str]:
    return [term.stem for term in terms(text)]
