"""Posts alike in meaning lie side by side, in the same places in every run."""

from __future__ import annotations

import numpy as np

from blog_search_mcp.index.relations.layout import find_nearest, lay_out
from blog_search_mcp.index.types import Ids, Vectors


def groups_of_posts(groups: int, size: int) -> tuple[Vectors, Ids]:
    """Unit vectors around `groups` directions, and the direction of each."""
    order = np.random.default_rng(3)
    of = np.repeat(np.arange(groups), size)
    rows = np.eye(16)[of] + order.normal(0, 0.08, (len(of), 16))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), of


def test_the_nearest_posts_on_the_map_are_of_the_same_group() -> None:
    rows, of = groups_of_posts(6, 30)
    places = lay_out(rows)
    apart = ((places[:, np.newaxis] - places) ** 2).sum(axis=2)
    nearest = apart.argsort(axis=1)[:, 1:6]
    assert (of[nearest] == of[:, np.newaxis]).mean() > 0.98


def test_every_post_lies_in_the_unit_square_and_in_the_same_place_again() -> None:
    rows, _ = groups_of_posts(4, 20)
    places = lay_out(rows)
    assert places.shape == (80, 2)
    assert (places.min(), places.max()) == (0.0, 1.0)
    assert np.array_equal(places, lay_out(rows))


def test_one_post_and_none_have_a_map_too() -> None:
    for count in range(4):
        places = lay_out(np.eye(count, 8, dtype=np.float32))
        assert places.shape == (count, 2)
        assert np.isfinite(places).all()
        assert len(np.unique(places, axis=0)) == count


def test_posts_that_are_the_same_do_not_make_places_that_are_no_numbers() -> None:
    assert np.isfinite(lay_out(np.full((30, 4), 0.5, dtype=np.float32))).all()


def test_the_nearest_rows_are_found_without_the_row_itself() -> None:
    rows = np.array([[1, 0], [0.8, 0.6], [0, 1], [0.6, 0.8]], dtype=np.float32)
    assert find_nearest(rows, 2).tolist() == [[1, 3], [3, 0], [3, 1], [1, 2]]
