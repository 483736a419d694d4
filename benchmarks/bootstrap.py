"""Values by query in, a mean with its 95 % interval out: percentile bootstrap, seeded.

Queries are drawn again with replacement; the interval says what another sample
of queries of this kind on this blog might have shown, and nothing of other blogs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.metrics import auroc, wins
from benchmarks.types import Estimate

if TYPE_CHECKING:
    from benchmarks.metrics import Floats

RESAMPLES = 2000
"""Enough that an end of the interval moves by less than .005 with another seed."""

SEED = 20261120

_ENDS = (2.5, 97.5)


def estimate_mean(values: Sequence[float]) -> Estimate:
    """The mean of `values`, which may not be empty."""
    given = np.asarray(values, dtype=np.float64)
    means = _draws(len(given), np.random.default_rng(SEED)) @ given
    return _estimate(float(given.mean()), means)


def estimate_auroc(positives: Sequence[float], negatives: Sequence[float]) -> Estimate:
    """The AUROC of two samples, both drawn again; neither may be empty."""
    rng = np.random.default_rng(SEED)
    table = wins(positives, negatives)
    left, right = _draws(len(positives), rng), _draws(len(negatives), rng)
    return _estimate(auroc(positives, negatives), ((left @ table) * right).sum(axis=1))


def _draws(size: int, rng: np.random.Generator) -> Floats:
    """Shape (RESAMPLES, size): each item's share of each resample; rows sum to 1."""
    return rng.multinomial(size, np.full(size, 1 / size), RESAMPLES) / size


def _estimate(value: float, resampled: Floats) -> Estimate:
    low, high = np.percentile(resampled, _ENDS)
    return Estimate(value, float(low), float(high))
