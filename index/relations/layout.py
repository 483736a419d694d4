"""Lay a blog out in two dimensions, so that posts alike in meaning lie side by side.

t-SNE (van der Maaten and Hinton 2008) from the two principal components on, with equal affinities
to each post's nearest neighbours instead of a perplexity (Böhm et al. 2022 find no difference), and
with the repulsion estimated from a sample of the posts, another in each step: linear in the posts,
where the exact sum is quadratic and keeps 1 to 3 points more of the neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Ids, Vectors

NEIGHBOURS = 10
"""Posts that each is drawn to; 15 keep 5 points less of the ten nearest."""
STEPS = 250
"""Twice as many keep no more of the neighbours."""
SAMPLE = 100
"""Posts that the others are pushed from in one step."""
GATHERING = 0.25
"""Share of the steps in which neighbours attract each other EXAGGERATION times as much."""
EXAGGERATION = 12.0
"""As in the original, so that groups form before they are pushed apart."""
BLOCK = 512
"""Rows whose cosines are held at a time."""


def lay_out(rows: Vectors) -> Vectors:
    """Place each of `rows`, unit vectors of shape (posts, dimension), in the unit square.

    The result, of shape (posts, 2), keeps the proportions of the layout and is the same in every
    run on one machine.
    """
    if len(rows) <= 2:
        return np.linspace(0.25, 0.75, num=2 * len(rows)).reshape(-1, 2).astype(np.float32)
    places = _relax(_principal_components(rows), find_nearest(rows, NEIGHBOURS))
    places = _principal_components(places)  # wider than high
    low, high = np.percentile(places, [0.5, 99.5], axis=0)
    scaled = (places - (low + high) / 2) / max(float((high - low).max()), 1e-9) + 0.5
    inside: Vectors = np.clip(scaled, 0.0, 1.0).astype(np.float32)
    return inside


def find_nearest(rows: Vectors, count: int) -> Ids:
    """Return of each row the places of its `count` nearest by product, nearest first."""
    count = min(count, len(rows) - 1)
    found = np.empty((len(rows), count), dtype=np.int64)
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK] @ rows.T
        block[np.arange(len(block)), np.arange(start, start + len(block))] = -np.inf
        nearest = np.argpartition(-block, count - 1, axis=1)[:, :count]
        order = np.argsort(-np.take_along_axis(block, nearest, axis=1), axis=1, kind="stable")
        found[start : start + BLOCK] = np.take_along_axis(nearest, order, axis=1)
    return found


def _principal_components(rows: Vectors) -> Vectors:
    """Project onto the two directions of most variance, each signed alike in every run."""
    centred = rows - rows.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    axes = directions[:, [-1, -2]]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    places: Vectors = centred @ axes
    return places


def _relax(places: Vectors, nearest: Ids) -> Vectors:
    """Move `places` until neighbours attract each other as much as all posts repel them."""
    count, degree = nearest.shape
    one, other = np.repeat(np.arange(count), degree), nearest.ravel()
    sampled = min(SAMPLE, count)
    order = np.random.default_rng(0)
    waiting = order.permutation(count)
    places = (places / max(float(places[:, 0].std()), 1e-9) * 1e-2).astype(np.float32)
    velocity, gains = np.zeros_like(places), np.ones_like(places)
    norm = 0.0
    for step in range(STEPS):
        gathers = step < GATHERING * STEPS
        if len(waiting) < sampled:
            waiting = order.permutation(count)
        now, waiting = waiting[:sampled], waiting[sampled:]
        pushes, total = _repel(places, places[now])
        norm = 0.9 * norm + 0.1 * total if norm else total
        pulls = _attract(places, one, other) / (2 * count * degree)
        gradient = 4 * (pulls * (EXAGGERATION if gathers else 1.0) - pushes / norm)
        turned = (gradient > 0) != (velocity > 0)
        gains = np.maximum(np.where(turned, gains + 0.2, gains * 0.8), 0.01)
        velocity = (0.5 if gathers else 0.8) * velocity - count / 12 * gains * gradient
        places = places + velocity - (places + velocity).mean(axis=0)
    return places


def _attract(places: Vectors, one: Ids, other: Ids) -> Vectors:
    """Sum over each post's neighbours, and those it is a neighbour of, what draws it there."""
    apart = places[one] - places[other]
    pull = apart / (1 + (apart * apart).sum(axis=1))[:, np.newaxis]
    return np.stack(
        [
            np.bincount(one, pull[:, axis], len(places))
            - np.bincount(other, pull[:, axis], len(places))
            for axis in (0, 1)
        ],
        axis=1,
    )


def _repel(places: Vectors, sample: Vectors) -> tuple[Vectors, float]:
    """Estimate from a sample what pushes each post away, and the sum of all kernels."""
    squares = (places * places).sum(axis=1)[:, np.newaxis] + (sample * sample).sum(axis=1)
    kernel = 1 / (1 + np.maximum(squares - 2 * places @ sample.T, 0))
    scale = len(places) / len(sample)
    total = max(float(kernel.sum() - len(sample)) * scale, 1e-9)
    kernel *= kernel
    pushes: Vectors = (places * kernel.sum(axis=1)[:, np.newaxis] - kernel @ sample) * scale
    return pushes, total
