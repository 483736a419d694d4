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
class Reading:
    """What a reader of the first five hits finds of a query's evidence, and what that costs."""

    in_chunk: bool
    """Whether the first hit's chunk holds it."""
    in_first: bool
    """Whether `read_chunk` of the first hit shows it."""
    in_any: bool
    """Whether `read_chunk` of one of the five does."""
    tokens: int
    """Of five hits and of the reading of the first, estimated."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one query returned."""

    rank: int | None
    """Of the first acceptable post among the hits, from 1; `None` if it is not there."""
    gain: float
    """nDCG@10."""
    certainty: float
    """Of the answer; higher is surer."""
    is_low: bool
    """Whether the answer has low confidence."""
    reading: Reading | None = None
    """`None` if the query names no evidence."""


@dataclass(frozen=True, slots=True)
class Row:
    """Metrics of one kind of query, or of a part of it."""

    kind: str
    queries: int
    hit_at_1: float
    hit_at_5: float
    ndcg_at_10: float
    mrr_at_10: float
    in_chunk: float | None
    """Shares of the queries with evidence, as of `Reading`; `None` if none has any."""
    in_first: float | None
    in_any: float | None
    tokens: float | None
    """Median."""
    false_low: float | None
    """Share with low confidence of those whose post is among the first five; `None` if none is."""


@dataclass(frozen=True, slots=True)
class AbsenceRow:
    """How well confidence tells that the blog has no answer."""

    kind: str
    """`absent` for questions that fit the blog's field, `off topic` for other blogs', `everyday`
    for what people ask who think of no blog."""
    queries: int
    low: float
    """Share answered with low confidence."""
    auroc: float | None
    """Against the blog's own questions, else its headings; `None` if it has neither."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """All results of one run on one blog or collection."""

    language: str
    """ISO 639-1, of most posts; empty if nobody looked."""
    posts: int
    chunks: int
    embedder: str
    rows: tuple[Row, ...]
    absence: tuple[AbsenceRow, ...]

    def row(self, kind: str) -> Row | None:
        """Return one row, `None` if it was not measured."""
        return next((row for row in self.rows if row.kind == kind), None)
