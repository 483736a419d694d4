"""The LayerNorm without weights, by hand, by another way, and by what it must leave alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from blog_search_mcp.index.embedders.normalize import NORM_TOLERANCE, layer_normalised

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Vectors

ROWS = arrays(np.float32, (3, 8), elements=st.floats(-1, 1, width=32)).filter(
    lambda rows: bool((rows.std(axis=1) > 10 * NORM_TOLERANCE).all())
)


def test_the_mean_goes_and_the_length_becomes_one() -> None:
    """(.6, 0, .8, 0) has the mean .35; what is left, (.25, -.35, .45, -.35), the length √.51."""
    rows = np.array([[0.6, 0.0, 0.8, 0.0]], dtype=np.float32)
    by_hand = np.array([[0.25, -0.35, 0.45, -0.35]]) / np.sqrt(0.51)
    normalised = layer_normalised(rows)
    np.testing.assert_allclose(normalised, by_hand, atol=1e-7)
    assert normalised.dtype == np.float32


def test_a_row_of_equal_numbers_becomes_zeros_and_the_others_do_not_mind() -> None:
    rows = np.array([[0.1] * 100, [0.0] * 50 + [0.2] * 50], dtype=np.float32)
    expected = np.array([[0.0] * 100, [-0.1] * 50 + [0.1] * 50], dtype=np.float32)
    np.testing.assert_allclose(layer_normalised(rows), expected, atol=1e-7)


def test_no_rows_stay_no_rows() -> None:
    assert layer_normalised(np.zeros((0, 8), dtype=np.float32)).shape == (0, 8)


@given(ROWS)
def test_it_is_layernorm_then_unit_length(rows: Vectors) -> None:
    """The two steps written out, with the division by the standard deviation."""
    wide = rows.astype(np.float64)
    stepped = [(row - row.mean()) / np.sqrt(row.var()) for row in wide]
    expected = [row / np.sqrt((row**2).sum()) for row in stepped]
    np.testing.assert_allclose(layer_normalised(rows), expected, atol=1e-6)


@given(ROWS, st.floats(0.5, 8), st.floats(-1, 1))
def test_neither_a_factor_nor_a_constant_changes_it(
    rows: Vectors, factor: float, constant: float
) -> None:
    other = (rows * factor + constant).astype(np.float32)
    np.testing.assert_allclose(layer_normalised(other), layer_normalised(rows), atol=1e-3)


@given(ROWS)
def test_twice_is_once(rows: Vectors) -> None:
    once = layer_normalised(rows)
    np.testing.assert_allclose(layer_normalised(once), once, atol=1e-6)
