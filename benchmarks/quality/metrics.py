"""Metrics as pure functions of ranks and scores, and the bootstrap interval of a mean.

Relevance is binary, so a ranking is the ranks of its acceptable posts.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from benchmarks.quality.types import Estimate


def first_rank(found: Sequence[str], acceptable: Collection[str]) -> int | None:
    """Return the rank, from 1, of the first acceptable source; `None` if there is none."""
    return next((rank for rank, source in enumerate(found, 1) if source in acceptable), None)


def hit(rank: int | None, cutoff: int) -> float:
    """1 if the rank is among the first `cutoff`, else 0."""
    return float(rank is not None and rank <= cutoff)


def reciprocal_rank(rank: int | None, cutoff: int) -> float:
    """1 / rank within the cutoff, else 0."""
    return 1 / rank if rank is not None and rank <= cutoff else 0.0


def ndcg(ranks: Iterable[int], wanted: int, cutoff: int) -> float:
    """Return the gain of these ranks, 1 / log2(1 + rank) each within the cutoff, in [0, 1].

    Of the gain that `wanted` posts at the first ranks have.
    """
    gain = sum(1 / math.log2(1 + rank) for rank in ranks if rank <= cutoff)
    return gain / sum(1 / math.log2(1 + rank) for rank in range(1, min(wanted, cutoff) + 1))


def contain_evidence(texts: Iterable[str], evidence: str) -> bool:
    """Whether a text contains the evidence, however lines and spaces are laid out."""
    wanted = " ".join(evidence.split())
    return any(wanted in " ".join(text.split()) for text in texts)


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
    size = len(array)
    drawn = np.random.default_rng(SEED).multinomial(size, np.full(size, 1 / size), RESAMPLES)
    low, high = np.percentile(drawn @ array / size, _ENDS)
    return Estimate(float(array.mean()), float(low), float(high))
