"""The figures of the map: what is kept, and how far it can be trusted."""

from __future__ import annotations

import numpy as np

from benchmarks.author.map import measure_kept, measure_trust, order_by_distance


def test_a_map_that_is_the_blog_keeps_all() -> None:
    angles = np.linspace(0, 3, 40)
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert (measure_kept(rows, rows), measure_trust(rows, rows)) == (1.0, 1.0)


def test_a_map_by_chance_keeps_what_chance_keeps() -> None:
    order = np.random.default_rng(1)
    rows = order.normal(size=(200, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    places = order.normal(size=(200, 2)).astype(np.float32)
    assert 0.02 < measure_kept(rows, places) < 0.08
    assert 0.4 < measure_trust(rows, places) < 0.6


def test_others_are_ordered_by_distance() -> None:
    places = np.array([[0, 0], [3, 0], [1, 0]], dtype=np.float32)
    assert order_by_distance(places).tolist() == [[2, 1], [2, 0], [0, 1]]
