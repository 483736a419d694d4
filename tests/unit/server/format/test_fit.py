"""How many of several things an answer of bounded length takes."""

from __future__ import annotations

import pytest

from blog_search_mcp.server.format.results import fit


@pytest.mark.parametrize(
    ("most", "taken"), [(0, ("ab",)), (3, ("ab",)), (4, ("ab", "cd")), (9, ("ab", "cd", "efg"))]
)
def test_as_many_as_fit_are_taken_and_one_at_least(most: int, taken: tuple[str, ...]) -> None:
    assert fit("".join, ("ab", "cd", "efg"), most) == taken
