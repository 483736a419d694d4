"""Ranks and scores in, numbers out: every metric as a pure function.

Relevance is binary and one post is enough, so a ranking is the place of its
first acceptable post, and the ideal ranking has it at 1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

KEPT = 0.95
"""Share of on-topic queries whose confidence a threshold must let through."""


def first_rank(found: Sequence[str], acceptable: Collection[str]) -> int | None:
    """Place, from 1, of the first acceptable source in `found`; `None` if there is none."""
    return next((place for place, item in enumerate(found, 1) if item in acceptable), None)


def hit(rank: int | None, cutoff: int) -> float:
    """1 if the rank is among the first `cutoff`, else 0."""
    return float(rank is not None and rank <= cutoff)


def reciprocal_rank(rank: int | None, cutoff: int) -> float:
    """1 / rank within the cutoff, else 0."""
    return 1 / rank if rank is not None and rank <= cutoff else 0.0


def ndcg(rank: int | None, cutoff: int) -> float:
    """Discounted gain of the first acceptable post, 1 / log2(1 + rank), within the cutoff."""
    return 1 / math.log2(1 + rank) if rank is not None and rank <= cutoff else 0.0


def holds(texts: Iterable[str], evidence: str) -> bool:
    """Whether a text has the evidence in it, however lines and spaces are laid out."""
    wanted = " ".join(evidence.split())
    return any(wanted in " ".join(text.split()) for text in texts)


def wins(positives: Sequence[float], negatives: Sequence[float]) -> Floats:
    """Shape (positives, negatives): 1 where the positive scores higher, ½ where equal, else 0."""
    above = np.asarray(positives, dtype=np.float64)[:, None]
    below = np.asarray(negatives, dtype=np.float64)[None, :]
    won: Floats = (above > below) + 0.5 * (above == below)
    return won


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """The odds, in [0, 1], that a positive scores above a negative; a tie counts half.

    By ranks (Mann and Whitney): the sum of the positives' places among all, ties sharing
    their mean place, less what they would have among themselves. Neither may be empty.
    """
    scores = np.concatenate([np.asarray(positives, float), np.asarray(negatives, float)])
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    places = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    own = len(positives) * (len(positives) + 1) / 2
    above = float(places[: len(positives)].sum()) - own
    return above / (len(positives) * len(negatives))


def recognised(on_topic: Sequence[float], off_topic: Sequence[float]) -> float:
    """Share of the off-topic below the score that at least KEPT of the on-topic reach."""
    ordered = sorted(on_topic)
    threshold = ordered[math.floor(len(ordered) * (1 - KEPT) + 1e-9)]
    return sum(score < threshold for score in off_topic) / len(off_topic)
