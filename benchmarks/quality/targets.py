"""What search is to reach, and whether a run reached it.

The targets are fixed numbers, not what a run happened to reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from benchmarks.quality.types import JUDGED, Measurement, Row
from blog_search_mcp.index.search.ranking import ranking_model

FITTED_ON = frozenset(ranking_model().fitted_on)
"""Blogs and collections on which ranking and confidence were fitted; all others are evidence of
what a new blog may expect."""

Blogs = Mapping[str, Measurement]
"""By the name of the blog or collection."""

Metric = Literal["hit_at_1", "hit_at_5", "in_first", "in_any", "false_low"]

NAMES: Mapping[Metric, str] = {
    "hit_at_1": "hit@1",
    "hit_at_5": "hit@5",
    "in_first": "evidence in the first hit",
    "in_any": "evidence in any of five",
    "false_low": "low, its post among five",
}

EVERY_TITLE = 0.985
CARDS = 0.98
DEFINITIONS = (0.95, 0.99)
"""hit@1 and hit@5."""

HITS: Mapping[tuple[str, str], tuple[float, float | None]] = {
    ("tarrragon-zhtw", "definition"): DEFINITIONS,
    ("pingcap-docs-zhcn", "definition"): DEFINITIONS,
    ("tarrragon-zhtw", "question"): (0.85, 1.00),
    ("tarrragon-zhtw", "question 2"): (0.82, 0.98),
    ("pingcap-docs-zhcn", "question"): (0.60, 0.85),
    ("swift-blog", "question"): (0.92, 1.00),
    ("18f-blog", "question"): (0.80, 0.97),
    ("golang-blog", "question"): (0.90, None),
    ("rust-blog", "question"): (0.92, None),
}
"""hit@1 and hit@5 by blog and kind of query."""

OTHER_LANGUAGE = 0.95
"""hit@5 of English questions to a Chinese blog."""

EVIDENCE: Mapping[str, tuple[float, float]] = {"en": (0.75, 0.92), "zh": (0.65, 0.85)}
"""In the first hit's chunk and in any of five, by the language of the blog."""

FALSE_LOW = 0.03
"""Share of the questions whose post is among five that may be answered with low confidence."""

ABSENCE = {"everyday": 0.90, "off topic": 0.90, "absent": 0.60}
"""Share with low confidence of queries that the blog does not answer."""

LOSS = -0.005
"""nDCG@10 that hybrid may lose to its better retriever."""


@dataclass(frozen=True, slots=True)
class Result:
    """One target and the value a run reached."""

    blog: str
    what: str
    bound: float
    reached: float
    at_most: bool = False
    """Whether less is better."""
    signed: bool = False
    """Whether the numbers are differences."""

    @property
    def met(self) -> bool:
        """Whether the target is reached, before any rounding."""
        return self.reached <= self.bound if self.at_most else self.reached >= self.bound

    @property
    def is_fitted(self) -> bool:
        """Whether constants were chosen on this blog."""
        return self.blog in FITTED_ON


def check_targets(blogs: Blogs) -> list[Result]:
    """Check every target whose blog and queries were measured."""
    return [result for check in _CHECKS for blog in blogs for result in check(blog, blogs[blog])]


def _titles(blog: str, found: Measurement) -> Iterator[Result]:
    for kind, least in {"title": EVERY_TITLE, "title, card": CARDS}.items():
        yield from _at_least(blog, found.row(kind), "hit_at_1", least)


def _hits(blog: str, found: Measurement) -> Iterator[Result]:
    for (name, kind), (first, any_of) in HITS.items():
        if name == blog:
            yield from _at_least(blog, found.row(kind), "hit_at_1", first)
            if any_of is not None:
                yield from _at_least(blog, found.row(kind), "hit_at_5", any_of)


def _other_language(blog: str, found: Measurement) -> Iterator[Result]:
    for row in _questions(found, parts=True):
        if found.language == "zh":
            yield from _at_least(blog, row, "hit_at_5", OTHER_LANGUAGE)


def _evidence(blog: str, found: Measurement) -> Iterator[Result]:
    if found.language in EVIDENCE:
        first, any_of = EVIDENCE[found.language]
        for row in _questions(found):
            yield from _at_least(blog, row, "in_first", first)
            yield from _at_least(blog, row, "in_any", any_of)


def _false_low(blog: str, found: Measurement) -> Iterator[Result]:
    for row in (*_questions(found), *_questions(found, parts=True)):
        if row.false_low is not None:
            what = f"{row.kind}, {NAMES['false_low']}"
            yield Result(blog, what, FALSE_LOW, row.false_low, at_most=True)


def _absence(blog: str, found: Measurement) -> Iterator[Result]:
    for row in found.absence:
        if row.kind in ABSENCE:
            yield Result(blog, f"{row.kind}, low", ABSENCE[row.kind], row.low)


def _fusion(blog: str, found: Measurement) -> Iterator[Result]:
    """Check the kind that loses most, which speaks for all."""
    if found.fusion:
        worst = min(found.fusion, key=lambda row: row.difference.value)
        which = "" if worst.kind == JUDGED else f", the worst of {len(found.fusion)}"
        what = f"{worst.kind}{which}: hybrid less {worst.better_retriever}, nDCG@10"
        yield Result(blog, what, LOSS, worst.difference.value, signed=True)


_CHECKS = (_titles, _hits, _other_language, _evidence, _false_low, _absence, _fusion)


def _at_least(blog: str, row: Row | None, metric: Metric, least: float) -> Iterator[Result]:
    reached: float | None = getattr(row, metric) if row else None
    if row is not None and reached is not None:
        yield Result(blog, f"{row.kind}, {NAMES[metric]}", least, reached)


def _questions(found: Measurement, *, parts: bool = False) -> list[Row]:
    """List hybrid search's rows of the questions, or of those in another language."""
    return [
        row
        for row in found.rows
        if row.retriever == "hybrid"
        and row.kind.startswith("question")
        and ("," in row.kind) == parts
    ]
