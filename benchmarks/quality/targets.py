"""Targets on the four blogs that search was developed on, and whether a run met them.

The targets are fixed numbers, not what a run happened to reach. The floor beside them is
BM25 over whole posts, from the same run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.quality.types import Measurement, RetrieverRow
from blog_search_mcp.index.search.ranking import Use

Blogs = Mapping[str, Measurement]
"""By the blog's name."""

HIT_RATES = (
    ("golang-blog", "description", "hit@5", 0.95),
    ("rust-blog", "description", "hit@5", 0.85),
    ("tarrragon-zhtw", "description", "hit@5", 0.99),
    ("tarrragon-zhtw", "description", "hit@1", 0.93),
    ("golang-blog", "question", "hit@1", 0.875),
    ("golang-blog", "question", "hit@5", 0.975),
    ("rust-blog", "question", "hit@1", 0.76),
    ("rust-blog", "question", "hit@5", 0.92),
    ("tarrragon-zhtw", "question", "hit@1", 0.68),
    ("tarrragon-zhtw", "question", "hit@5", 0.975),
)
"""Blog, kind of query, metric, least value."""

EVIDENCE = 0.80
"""Share of the questions whose evidence is in a returned chunk of the right post."""

LOSS = -0.005
"""nDCG@10 that hybrid may lose to its better retriever."""

SIMPLIFIED_LOSS = -0.02
"""hit@5 that a Simplified query may lose to the Traditional one it was made from."""

AUROC = 0.95

WRITTEN = ("description", "question")
"""Kinds on which confidence is judged: what readers would type."""


@dataclass(frozen=True, slots=True)
class Floor:
    """What BM25 over whole posts reaches on one kind of query."""

    hit_at_1: float
    hit_at_5: float


@dataclass(frozen=True, slots=True)
class Result:
    """One target and the value a run reached."""

    blog: str
    what: str
    floor: float | None
    least: float
    reached: float
    signed: bool = False
    """Whether the numbers are differences."""

    @property
    def met(self) -> bool:
        """Whether the target is reached, before any rounding."""
        return self.reached >= self.least


def check_targets(blogs: Blogs, floors: Mapping[tuple[str, str], Floor]) -> list[Result]:
    """Check every target whose blog and queries were measured; `floors` by blog and kind."""
    return [
        *_hit_rates(blogs, floors),
        *_evidence(blogs),
        *_simplified(blogs),
        *_fusion(blogs),
        *_confidence(blogs),
    ]


def _hit_rates(blogs: Blogs, floors: Mapping[tuple[str, str], Floor]) -> Iterator[Result]:
    for blog, kind, metric, least in HIT_RATES:
        row = _hybrid(blogs, blog, kind)
        if row is not None:
            floor = floors[blog, kind]
            first = metric == "hit@1"
            value = row.hit_at_1.value if first else row.hit_at_5.value
            below = floor.hit_at_1 if first else floor.hit_at_5
            yield Result(blog, f"{kind}, {metric}", below, least, value)


def _evidence(blogs: Blogs) -> Iterator[Result]:
    for blog in blogs:
        row = _hybrid(blogs, blog, "question")
        if row is not None and row.evidence is not None:
            yield Result(blog, "question, evidence", None, EVIDENCE, row.evidence.value)


def _simplified(blogs: Blogs) -> Iterator[Result]:
    what = "simplified less description, hit@5"
    for blog in blogs:
        rows = [_hybrid(blogs, blog, kind) for kind in ("simplified", "description")]
        if rows[0] is not None and rows[1] is not None:
            loss = rows[0].hit_at_5.value - rows[1].hit_at_5.value
            yield Result(blog, what, None, SIMPLIFIED_LOSS, loss, signed=True)


def _fusion(blogs: Blogs) -> Iterator[Result]:
    for blog, measurement in blogs.items():
        for row in measurement.fusion:
            what = f"{row.kind}, hybrid less {row.better_retriever}, nDCG@10"
            yield Result(blog, what, None, LOSS, row.difference.value, signed=True)


def _confidence(blogs: Blogs) -> Iterator[Result]:
    for blog, measurement in blogs.items():
        for row in measurement.off_topic:
            if row.kind in WRITTEN:
                yield Result(blog, f"{row.kind}, AUROC", None, AUROC, row.auroc.value)


def _hybrid(blogs: Blogs, blog: str, kind: str) -> RetrieverRow | None:
    rows: Sequence[RetrieverRow] = blogs[blog].retrievers if blog in blogs else ()
    wanted = (kind, Use.HYBRID.value)
    return next((row for row in rows if (row.kind, row.retriever) == wanted), None)
