"""The nouns of a measurement, frozen: what is asked and what came of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Query:
    """A text to search for, and the posts that answer it."""

    kind: str
    """`description`, `heading`, `identifier`, `title`, or the name of a file of queries."""
    text: str
    source: str
    """The post it belongs to."""
    also: tuple[str, ...] = ()
    """Further posts that answer it as well."""
    evidence: str = ""
    """Words of the post that answer it, verbatim; empty if nobody said which."""

    @property
    def acceptable(self) -> frozenset[str]:
        """Every post that counts as found."""
        return frozenset((self.source, *self.also))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one query brought by one leg."""

    rank: int | None
    """Place of the first acceptable post among the hits, from 1; `None` if it is not there."""
    hits: int
    """How many hits came, at most the depth asked for."""
    evidence: bool | None
    """Whether a returned chunk holds the evidence; `None` if the query names none."""
    confidence: float
    """Higher is surer; `Answer.certainty`."""
    is_low: bool = False
    """Whether the answer said that the blog may hold nothing on this."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over queries with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class LegRow:
    """One kind of query by one leg."""

    kind: str
    leg: str
    queries: int
    zero_results: int
    """Queries that brought no hit at all."""
    hit_at_1: Estimate
    hit_at_5: Estimate
    mrr_at_10: Estimate
    ndcg_at_10: Estimate
    evidence: Estimate | None
    """Over the queries that name evidence; `None` if none does."""


@dataclass(frozen=True, slots=True)
class FusionRow:
    """Hybrid against the better single leg, query by query."""

    kind: str
    better_leg: str
    difference: Estimate
    """nDCG@10 of hybrid less that of the better leg; below 0, fusing lost."""


@dataclass(frozen=True, slots=True)
class OffTopicRow:
    """How well confidence tells queries of this blog from queries of another."""

    kind: str
    on_topic: int
    off_topic: int
    auroc: Estimate
    recognised: float
    """Share of off-topic queries below the confidence that 95 % of the on-topic ones reach."""
    low_on_topic: float
    """Share of this blog's queries that were answered with low confidence."""
    low_off_topic: float
    """The same of the other blog's queries."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """Everything one run found."""

    commit: str
    """Of this program; ends in `-dirty` if files were changed since, empty without git."""
    command: str
    posts: int
    chunks: int
    embedder: str
    legs: tuple[LegRow, ...]
    fusion: tuple[FusionRow, ...]
    off_topic: tuple[OffTopicRow, ...]
