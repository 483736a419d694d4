"""Every search is tried in a folder's index and in one on a Milvus server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.stores import parse_index_address

if TYPE_CHECKING:
    from tests.conftest import AddressOf


@pytest.fixture(params=["folder", pytest.param("milvus", marks=pytest.mark.slow)])
def address(request: pytest.FixtureRequest) -> AddressOf:
    """Makes the address of an index of that name, `None` for one in a folder."""
    if request.param == "folder":
        return lambda _name: None
    server = request.getfixturevalue("milvus").address
    return lambda name: parse_index_address(f"{server}/{name}")
