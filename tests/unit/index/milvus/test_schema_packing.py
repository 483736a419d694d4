"""Texts and arrays in fields of a bounded size."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.milvus.schema import pack_arrays, split_text, unpack_arrays


@given(st.text(), st.integers(4, 9))
def test_parts_of_a_text_fit_and_are_the_text_together(text: str, most: int) -> None:
    parts = split_text(text, most)
    assert "".join(parts) == text
    assert all(len(part.encode()) <= most for part in parts)


def test_arrays_come_back_whatever_their_kind() -> None:
    chance = np.random.default_rng(1)
    arrays: dict[str, npt.NDArray[Any]] = {
        "dimensions": np.sort(chance.integers(0, 2**32, 50_000, dtype=np.uint32)),
        "counts": chance.integers(-5, 9, 50_000),
        "ends": np.asarray([2**63 - 1, -(2**63), 0], dtype=np.int64),
        "total": chance.random(64),
        "none": np.zeros(0, dtype=np.int64),
    }
    parts = pack_arrays(arrays)
    assert len(parts) > 1
    assert all(len(part) <= 65_535 for part in parts)
    found = unpack_arrays(parts)
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("parts", [["?"], ["AAAA"], [""], ["eJwDAAAAAAE="]])
def test_anything_else_is_refused(parts: list[str]) -> None:
    with pytest.raises(ValueError, match=r".*"):
        unpack_arrays(parts)
