"""`python -m tools.fit_ranking CONTENT... --questions DIR`: fit `index/data/ranking.json`.

Ranking is a conditional logit: among a query's candidates, the right post should have the largest
weighted sum of features. Confidence is a logistic model of whether the blog has an answer at all.
CONTENT is blogs and judged collections, as for `benchmarks.quality`; those in ASIDE are not fitted
on. The figures printed for a blog come from weights fitted without it. This needs scipy:
`pip install --group fit`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.options import cache_folder, read_commit
from benchmarks.quality.blogs import ABSENT, LIMIT, Blog, Embedding, read_blog
from benchmarks.quality.metrics import READ, gain
from benchmarks.quality.queries import Query, reduce_to_keywords
from blog_search_mcp.index.search.confidence import (
    EVERY_WORD,
    MOST_MISSING,
    compute_confidence_features,
    has_similarity,
    is_foreign,
)
from blog_search_mcp.index.search.ranking import (
    MODEL_FILE,
    Feature,
    LogisticModel,
    QueryKind,
    RankingModel,
    Weights,
    classify_query,
    compute_post_features,
    largest_sum,
)
from blog_search_mcp.index.search.retrieval import analyze, retrieve
from blog_search_mcp.index.text.query import find_named_posts

Numbers: TypeAlias = NDArray[np.float64]
Ranking: TypeAlias = dict[QueryKind, Weights]

ASIDE = {"cisi", "electron-blog", "jsquad-valid-ja", "rust-blog", "simonw-til"}
"""Blogs and collections that are not fitted on, so that they show the quality on a new blog."""
HARD = {"paraphrase", "paraphrase-en"}
"""Sets of questions that avoid the posts' words. Thresholds are not chosen by them."""
ENOUGH = 40
"""Number of queries of a kind and blog that count in full. More have the same total weight."""
KIND_WEIGHTS = {"question": 5.0, "keywords": 5.0, "judged": 2.5}
"""Weight of a query by kind; 1 for other kinds."""
LEFT_OUT = {"title", "definition", "misspelled", "simplified"}
"""Kinds that are not used: a title answers them, or they are variants of other queries."""
UNRANKED = {"keywords"}
"""Kinds that the ranking is not fitted on."""
UNSURE = {"judged", "everyday"}
"""Kinds that confidence is not fitted on: judged queries are not about a blog, and everyday
questions test the fit."""
RIDGE = 1e-3
"""L2 penalty of the ranking's weights, which are fitted on few queries of each kind."""
CONFIDENCE_RIDGE = 1e-4
"""L2 penalty of confidence's weights, which are fitted on all queries. On blogs left out of the
fit, fewer headings of other blogs are low at 1e-3, and as many at 1e-5."""
FEATURES: tuple[Feature, ...] = get_args(Feature)
CONFIDENCE = ("coverage", "missing_name", "length", "score", "nearest")
"""Features of confidence. The last two need vectors."""
ELSEWHERE = 150
"""Maximum number of other blogs' questions, and of their headings, asked of each blog."""
FALSE_LOW, WORST_LOW = 0.01, 0.05
"""Maximum share of answered questions with low confidence: of all blogs together, and of each."""


@dataclass(frozen=True, eq=False)
class Example:
    """One query searched for in one index."""

    corpus: str
    kind: str
    query_kind: QueryKind
    features: Numbers
    """Features of the candidates, shape (posts, features)."""
    is_right: NDArray[np.bool_]
    is_named: bool
    """Whether the query is a name of a post, which then decides the ranking."""
    is_foreign: bool
    """Whether the query is in another language than the blog. It is then never low."""
    confidence: Mapping[str, float]
    """Features of confidence by name; `weigh` fills in the score."""
    by_meaning: bool
    """Whether candidates have similarities, so that `RankingModel.confidence` applies."""

    @property
    def is_sure(self) -> bool:
        """Whether the confidence is never low."""
        has_all = self.confidence["coverage"] >= EVERY_WORD
        return self.is_named or self.is_foreign or has_all

    def weigh(self, ranking: Ranking) -> dict[str, float]:
        """Return the features of confidence with the score of the best post."""
        weights = ranking[self.query_kind]
        best = (self.features @ np.array([*weights.values()])).max(initial=0.0)
        return {**self.confidence, "score": float(best) / (largest_sum(weights) or 1.0)}

    def rank(self, ranking: Ranking) -> int:
        """Return the first right post's rank (after ties), from 1; one past the last if none."""
        if not self.is_right.any():
            return len(self.is_right) + 1
        scores = self.features @ np.array([*ranking[self.query_kind].values()])
        return 1 + int((scores[~self.is_right] >= scores[self.is_right].max()).sum())


def main() -> int:
    """Fit and write; return the exit status."""
    parser = argparse.ArgumentParser(prog="tools.fit_ranking", description=__doc__)
    parser.add_argument("content", type=Path, nargs="+")
    parser.add_argument("--questions", type=Path, required=True)
    options = parser.parse_args()
    cache, contents = cache_folder(os.environ), options.content
    blogs = [read_blog(each, options.questions, LIMIT, cache, Embedding()) for each in contents]
    fitted = [blog for blog in blogs if blog.name not in ASIDE]
    examples = [example for blog in fitted for example in collect(blog, blogs)]
    names = [blog.name for blog in fitted]
    models = {name: fit([each for each in examples if each.corpus != name]) for name in names}
    low = choose_thresholds(examples, models)
    for name in names:
        own = [example for example in examples if example.corpus == name]
        report(name, own, set_thresholds(models[name], low))
    model = set_thresholds(fit(examples), low)
    report("all, in sample", examples, model)
    facts = {
        "command": "python -m tools.fit_ranking CONTENT... --questions QUESTIONS",
        "commit": read_commit().removesuffix("-dirty"),
        **model.model_dump(),
    }
    MODEL_FILE.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    return 0


def collect(blog: Blog, blogs: Sequence[Blog]) -> Iterator[Example]:
    """Yield an example for each query of a blog, and for queries of other blogs."""
    sys.stderr.write(f"searching {blog.name}\n")
    snapshot = blog.engine.reader().snapshot
    asked = [query for query in blog.queries if query.kind not in LEFT_OUT]
    ids = {post.source: number for number, post in snapshot.catalog.every_post().items()}
    for query in _add_keywords([*asked, *blog.ask_elsewhere(blogs, ELSEWHERE)]):
        retrieved = retrieve(snapshot, analyze(snapshot, query.text))
        if not retrieved.posts:
            continue
        right = {ids[source] for source in query.right if source in ids}
        right |= {each.post for post in right for each in snapshot.translations.get(post, ())}
        features = compute_post_features(retrieved)
        yield Example(
            corpus=blog.name,
            kind=query.kind,
            query_kind=classify_query(retrieved.query),
            features=np.stack([features[feature] for feature in FEATURES], axis=1),
            is_right=np.isin(retrieved.posts.ids, list(right)),
            is_named=bool(find_named_posts(snapshot.posts_by_name, query.text)),
            is_foreign=is_foreign(retrieved.query, snapshot.languages[0]),
            confidence=compute_confidence_features(retrieved, 0.0),
            by_meaning=has_similarity(retrieved),
        )


def _add_keywords(queries: Iterable[Query]) -> Iterator[Query]:
    """Add the keywords of the questions without an answer, as is done for those with one."""
    for query in queries:
        yield query
        text = reduce_to_keywords(query.text) if query.kind in ABSENT else ""
        if text not in ("", query.text):
            yield Query(query.kind, text)


def fit(examples: Sequence[Example]) -> RankingModel:
    """Fit all weights, rounded to two digits. Thresholds stay 0."""
    kinds: tuple[QueryKind, ...] = get_args(QueryKind)
    ranking: Ranking = {
        kind: _fit_weights([each for each in examples if each.query_kind == kind]) for kind in kinds
    }
    sure = [each for each in examples if each.kind not in UNSURE and not each.is_foreign]
    used = [each for each in sure if each.kind in ABSENT or _is_found(each, ranking)]
    return RankingModel(
        fitted_on=tuple(sorted({each.corpus for each in examples})),
        ranking=ranking,
        confidence=_fit_logistic([e for e in used if e.by_meaning], CONFIDENCE, ranking),
        confidence_by_words=_fit_logistic(used, CONFIDENCE[:-2], ranking),
    )


def choose_thresholds(
    examples: Sequence[Example], models: Mapping[str, RankingModel]
) -> tuple[float, float]:
    """Choose the thresholds of certainty, with and without vectors.

    Shares of at most FALSE_LOW and WORST_LOW of the found questions are below them. Each question
    is judged by the model that was fitted without its blog.
    """
    certain = defaultdict[str, list[tuple[float, float]]](list)
    for each in examples:
        model = models[each.corpus]
        is_asked = each.kind == "question" and each.corpus not in HARD
        if is_asked and each.by_meaning and _is_found(each, model.ranking):
            features = each.weigh(model.ranking)
            both = (model.confidence, model.confidence_by_words)
            values = [1.0 if each.is_sure else one.probability(features) for one in both]
            certain[each.corpus].append((values[0], values[1]))
    pooled = [pair for own in certain.values() for pair in own]
    parts = [(FALSE_LOW, pooled), *((WORST_LOW, own) for own in certain.values())]
    bounds = [np.sort(part, axis=0)[int(share * len(part))] for share, part in parts]
    by_meaning, by_words = np.floor(1000.0 * np.min(bounds, axis=0)) / 1000.0
    return float(by_meaning), float(by_words)


def set_thresholds(model: RankingModel, low: tuple[float, float]) -> RankingModel:
    """Return the model with these thresholds of confidence, with and without vectors."""
    by_meaning, by_words = (
        one.model_copy(update={"low": bound})
        for one, bound in zip((model.confidence, model.confidence_by_words), low, strict=True)
    )
    return model.model_copy(update={"confidence": by_meaning, "confidence_by_words": by_words})


def _importance(examples: Iterable[Example]) -> Callable[[Example], float]:
    counts = Counter((each.corpus, each.kind) for each in examples)

    def importance(each: Example) -> float:
        count = counts[each.corpus, each.kind]
        return KIND_WEIGHTS.get(each.kind, 1.0) * min(count, ENOUGH) / count

    return importance


def _fit_weights(examples: Sequence[Example]) -> Weights:
    used = [each for each in examples if each.is_right.any() and not each.is_named]
    used = [each for each in used if each.kind not in UNRANKED]
    importance = _importance(used)
    weight = np.array([importance(each) for each in used])
    weight /= weight.sum()
    rows = np.concatenate([each.features for each in used])
    right = np.concatenate([each.is_right for each in used])
    sizes = np.array([len(each.is_right) for each in used])
    starts, owner = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(used)), sizes)

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        scores = rows @ weights
        odds = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        whole = np.add.reduceat(odds, starts)
        part = np.maximum(np.add.reduceat(np.where(right, odds, 0.0), starts), 1e-12)
        expected = odds / whole[owner] - np.where(right, odds / part[owner], 0.0)
        value = float((weight * np.log(whole / part)).sum() + RIDGE * (weights**2).sum())
        return value, rows.T @ (expected * weight[owner]) + 2 * RIDGE * weights

    start = np.ones(len(FEATURES))
    bounds = [(0.0, None)] * len(FEATURES)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    rounded = (round(float(value), 2) + 0.0 for value in found.x)
    return dict(zip(FEATURES, rounded, strict=True))


def _fit_logistic(
    examples: Sequence[Example], names: Sequence[str], ranking: Ranking
) -> LogisticModel:
    """Fit a model of these features, without queries that name a title: those are certain."""
    used = [each for each in examples if not each.is_named]
    importance = _importance(used)
    features = [each.weigh(ranking) for each in used]
    rows = np.array([[each[name] for name in names] for each in features])
    answered = np.array([each.kind not in ABSENT for each in used])
    weight = np.array([importance(each) for each in used])
    for side in (answered, ~answered):  # each side counts as much as the other
        weight[side] /= 2.0 * weight[side].sum()

    def loss(values: Numbers) -> tuple[float, Numbers]:
        logits = np.where(answered, 1.0, -1.0) * (values[0] + rows @ values[1:])
        slope = -np.where(answered, 1.0, -1.0) / (1.0 + np.exp(logits)) * weight
        value = float(
            (weight * np.logaddexp(0.0, -logits)).sum() + CONFIDENCE_RIDGE * (values[1:] ** 2).sum()
        )
        gradient = np.concatenate(
            [[slope.sum()], rows.T @ slope + 2 * CONFIDENCE_RIDGE * values[1:]]
        )
        return value, gradient

    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B")
    bias, *weights = (round(float(value), 2) + 0.0 for value in found.x)
    return LogisticModel(bias=bias, weights=dict(zip(names, weights, strict=True)), low=0.0)


def _is_found(example: Example, ranking: Ranking) -> bool:
    return example.is_named or bool(example.is_right.any() and example.rank(ranking) <= READ)


def report(name: str, examples: Sequence[Example], model: RankingModel) -> None:
    """Print, by kind of query, hit@1, hit@5, nDCG@10 and the share with low confidence."""
    by_kind: dict[str, list[Example]] = defaultdict(list)
    for each in examples:
        by_kind[each.kind].append(each)
    for kind, own in sorted(by_kind.items()):
        line = f"{name:<22}{kind:<12}{len(own):>5}"
        if kind not in ABSENT:
            ranks = np.array([1 if each.is_named else each.rank(model.ranking) for each in own])
            gains = [gain(rank) for rank in ranks]
            line += f"  {np.mean(ranks == 1):.3f} {np.mean(ranks <= READ):.3f} {np.mean(gains):.3f}"
            own = [each for each, rank in zip(own, ranks, strict=True) if rank <= READ]
        low = np.mean([_is_low(each, model) for each in own]) if own else 0.0
        print(line, f"low {low:.3f}")  # noqa: T201


def _is_low(example: Example, model: RankingModel) -> bool:
    chosen = model.confidence if example.by_meaning else model.confidence_by_words
    features = example.weigh(model.ranking)
    is_lost = features["missing"] >= MOST_MISSING
    return not example.is_sure and (is_lost or chosen.probability(features) < chosen.low)


if __name__ == "__main__":
    sys.exit(main())
