"""The values of a measurement: queries, their outcomes, rows of metrics."""

from dataclasses import dataclass

DESCRIPTION = "description"
"""The kind that is searched for in an index without descriptions; all others in a whole one."""

JUDGED = "judged"
"""The kind whose every acceptable post is wanted, as somebody judged them; of others, one is."""


@dataclass(frozen=True, slots=True)
class Query:
    """A text to search for, and the posts that answer it."""

    kind: str
    """`title`, `definition`, `heading`, `identifier`, `description`, `question`, …"""
    text: str
    source: str = ""
    """The post it belongs to; empty for a query that no post of the blog answers."""
    also: tuple[str, ...] = ()
    """Further posts that answer it as well."""
    evidence: str = ""
    """Words of the post that answer it, verbatim; empty if nobody said which."""
    language: str = ""
    """ISO 639-1, where it was detected."""
    parts: tuple[str, ...] = ()
    """Of the kind, which further rows the query counts in: `short`, `card`, `other language`."""

    @property
    def acceptable(self) -> frozenset[str]:
        """Every post that counts as found."""
        return frozenset((self.source, *self.also)) if self.source else frozenset()

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows it counts in: its kind, then its parts."""
        return (self.kind, *(f"{self.kind}, {part}" for part in self.parts))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one query returned by one retriever."""

    rank: int | None
    """Of the first acceptable post among the hits, from 1; `None` if it is not there."""
    hits: int
    """At most DEPTH."""
    evidence: bool | None
    """Whether a chunk of the right post holds the evidence; `None` if the query has none."""
    confidence: float
    """Higher is surer; `Answer.certainty`."""
    is_low: bool = False
    """Whether the answer has low confidence."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over queries with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RetrieverRow:
    """Metrics of one kind of query by one retriever."""

    kind: str
    retriever: str
    queries: int
    zero_results: int
    """Queries without any hit."""
    hit_at_1: Estimate
    hit_at_5: Estimate
    mrr_at_10: Estimate
    ndcg_at_10: Estimate
    evidence: Estimate | None
    """Over the queries that name evidence; `None` if none does."""


@dataclass(frozen=True, slots=True)
class FusionRow:
    """Hybrid search against the better single retriever, query by query."""

    kind: str
    better_retriever: str
    difference: Estimate
    """nDCG@10 of hybrid less that of the better retriever; below 0, fusion lost."""


@dataclass(frozen=True, slots=True)
class OffTopicRow:
    """How well confidence separates queries of this blog from queries of another."""

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
    """All results of one run on one blog."""

    commit: str
    """Of this program; ends in `-dirty` if files were changed since, empty without git."""
    command: str
    posts: int
    chunks: int
    embedder: str
    retrievers: tuple[RetrieverRow, ...]
    fusion: tuple[FusionRow, ...]
    off_topic: tuple[OffTopicRow, ...]
