"""What search is to reach, and whether a run reached it.

The targets are fixed numbers, not what a run happened to reach.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from benchmarks.quality.types import Measurement
from blog_search_mcp.index.search.ranking import load_ranking_model

FITTED_ON = frozenset(load_ranking_model().fitted_on)
"""Blogs and collections on which ranking and confidence were fitted; all others are evidence of
what a new blog may expect."""

Metric = Literal["hit_at_1", "hit_at_5", "in_first", "in_any", "false_low"]

NAMES: Mapping[Metric, str] = {
    "hit_at_1": "hit@1",
    "hit_at_5": "hit@5",
    "in_first": "evidence in the first hit",
    "in_any": "evidence in any of five",
    "false_low": "low, its post among five",
}

QUESTIONS = r"question(?: \d+)?"
OTHERS = f"{QUESTIONS}, other language"


class Target(NamedTuple):
    """What the rows of some kinds of query are to reach."""

    kinds: str
    """A pattern of the whole name."""
    bounds: Mapping[Metric, float]
    """At least, but of `false_low` at most."""
    where: str = ""
    """One blog, or all blogs of one language; empty for all."""


DEFINITIONS: Mapping[Metric, float] = {"hit_at_1": 0.95, "hit_at_5": 0.99}

GROUPS: tuple[tuple[Target, ...], ...] = (
    (Target("title", {"hit_at_1": 0.985}), Target("title, card", {"hit_at_1": 0.98})),
    (
        Target("definition", DEFINITIONS, "tarrragon-zhtw"),
        Target("definition", DEFINITIONS, "pingcap-docs-zhcn"),
        Target("question", {"hit_at_1": 0.85, "hit_at_5": 1.00}, "tarrragon-zhtw"),
        Target("question 2", {"hit_at_1": 0.82, "hit_at_5": 0.98}, "tarrragon-zhtw"),
        Target("question", {"hit_at_1": 0.60, "hit_at_5": 0.85}, "pingcap-docs-zhcn"),
        Target("question", {"hit_at_1": 0.92, "hit_at_5": 1.00}, "swift-blog"),
        Target("question", {"hit_at_1": 0.80, "hit_at_5": 0.97}, "18f-blog"),
        Target("question", {"hit_at_1": 0.90}, "golang-blog"),
        Target("question", {"hit_at_1": 0.92}, "rust-blog"),
    ),
    (Target(OTHERS, {"hit_at_5": 0.95}, "zh"),),
    (
        Target(QUESTIONS, {"in_first": 0.75, "in_any": 0.92}, "en"),
        Target(QUESTIONS, {"in_first": 0.65, "in_any": 0.85}, "zh"),
    ),
    (
        Target(QUESTIONS, {"false_low": 0.03}),
        Target(OTHERS, {"false_low": 0.03}),
        Target("unmarked", {"false_low": 0.03}),
        Target("keywords", {"false_low": 0.03}),
    ),
)
"""Of hybrid search; a group is checked for every blog before the next one."""

ABSENCE = {"everyday": 0.90, "off topic": 0.90, "absent": 0.60}
"""Share with low confidence of queries that the blog does not answer."""

LOSS = -0.005
"""nDCG@10 that hybrid may lose to its better retriever, in the kind that loses most."""


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


def check_targets(blogs: Mapping[str, Measurement]) -> list[Result]:
    """Check every target whose blog and queries were measured; blogs by name."""
    return [
        *(r for group in GROUPS for blog in blogs for r in _rows(blog, blogs[blog], group)),
        *(r for blog in blogs for r in _absence(blog, blogs[blog])),
        *(r for blog in blogs for r in _fusion(blog, blogs[blog])),
    ]


def _rows(blog: str, found: Measurement, group: tuple[Target, ...]) -> Iterator[Result]:
    for target in group:
        if target.where not in ("", blog, found.language):
            continue
        for row in found.rows:
            if row.retriever == "hybrid" and re.fullmatch(target.kinds, row.kind):
                for metric, bound in target.bounds.items():
                    reached: float | None = getattr(row, metric)
                    what = f"{row.kind}, {NAMES[metric]}"
                    if reached is not None:
                        yield Result(blog, what, bound, reached, at_most=metric == "false_low")


def _absence(blog: str, found: Measurement) -> Iterator[Result]:
    for row in found.absence:
        if row.kind in ABSENCE:
            yield Result(blog, f"{row.kind}, low", ABSENCE[row.kind], row.low)


def _fusion(blog: str, found: Measurement) -> Iterator[Result]:
    if found.fusion:
        worst = min(found.fusion, key=lambda row: row.difference.value)
        what = "hybrid less the better retriever, nDCG@10 of the kind that loses most"
        yield Result(blog, what, LOSS, worst.difference.value, signed=True)
