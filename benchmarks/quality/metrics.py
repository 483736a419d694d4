"""Metrics as pure functions of ranks and scores, and their bootstrap intervals.

Relevance is binary and one post is enough, so a ranking is the rank of its first acceptable
post, and the ideal ranking has it at 1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.quality.types import Estimate

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

KEPT = 0.95
"""Share of on-topic queries whose confidence a threshold must let through."""


def first_rank(found: Sequence[str], acceptable: Collection[str]) -> int | None:
    """Return the rank, from 1, of the first acceptable source; `None` if there is none."""
    return next((rank for rank, source in enumerate(found, 1) if source in acceptable), None)


def hit(rank: int | None, cutoff: int) -> float:
    """1 if the rank is among the first `cutoff`, else 0."""
    return float(rank is not None and rank <= cutoff)


def reciprocal_rank(rank: int | None, cutoff: int) -> float:
    """1 / rank within the cutoff, else 0."""
    return 1 / rank if rank is not None and rank <= cutoff else 0.0


def ndcg(rank: int | None, cutoff: int) -> float:
    """Discounted gain of the first acceptable post, 1 / log2(1 + rank), within the cutoff."""
    return 1 / math.log2(1 + rank) if rank is not None and rank <= cutoff else 0.0


def contain_evidence(texts: Iterable[str], evidence: str) -> bool:
    """Whether a text contains the evidence, however lines and spaces are laid out."""
    wanted = " ".join(evidence.split())
    return any(wanted in " ".join(text.split()) for text in texts)


def compare_pairs(positives: Sequence[float], negatives: Sequence[float]) -> Floats:
    """Shape (positives, negatives): 1 where the positive scores higher, ½ where equal, else 0."""
    above = np.asarray(positives, dtype=np.float64)[:, None]
    below = np.asarray(negatives, dtype=np.float64)[None, :]
    wins: Floats = (above > below) + 0.5 * (above == below)
    return wins


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """Return the probability that a positive scores above a negative; a tie counts half.

    By ranks (Mann and Whitney): the sum of the positives' ranks among all, ties sharing
    their mean rank, less the least that sum can be. Neither may be empty.
    """
    scores = np.concatenate([np.asarray(positives, float), np.asarray(negatives, float)])
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    places = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    own = len(positives) * (len(positives) + 1) / 2
    above = float(places[: len(positives)].sum()) - own
    return above / (len(positives) * len(negatives))


def recognised_share(on_topic: Sequence[float], off_topic: Sequence[float]) -> float:
    """Return the share of the off-topic below the score that KEPT of the on-topic reach."""
    ordered = sorted(on_topic)
    threshold = ordered[math.floor(len(ordered) * (1 - KEPT) + 1e-9)]
    return sum(score < threshold for score in off_topic) / len(off_topic)


RESAMPLES = 2000
"""Enough that an end of the interval moves by less than .005 with another seed."""

SEED = 20261120

_ENDS = (2.5, 97.5)


def estimate_mean(values: Sequence[float]) -> Estimate:
    """Estimate the mean of `values`, which may not be empty; 95 % percentile bootstrap.

    The interval says what another sample of queries of this kind on this blog might have
    shown, and nothing of other blogs.
    """
    array = np.asarray(values, dtype=np.float64)
    means = _draws(len(array), np.random.default_rng(SEED)) @ array
    return _estimate(float(array.mean()), means)


def estimate_auroc(positives: Sequence[float], negatives: Sequence[float]) -> Estimate:
    """Estimate the AUROC of two samples, both resampled; neither may be empty."""
    rng = np.random.default_rng(SEED)
    table = compare_pairs(positives, negatives)
    left, right = _draws(len(positives), rng), _draws(len(negatives), rng)
    return _estimate(auroc(positives, negatives), ((left @ table) * right).sum(axis=1))


def _draws(size: int, rng: np.random.Generator) -> Floats:
    """Shape (RESAMPLES, size): each item's share of each resample; rows sum to 1."""
    return rng.multinomial(size, np.full(size, 1 / size), RESAMPLES) / size


def _estimate(value: float, resampled: Floats) -> Estimate:
    low, high = np.percentile(resampled, _ENDS)
    return Estimate(value, float(low), float(high))
