"""Vectors, filters and aliases on Milvus's own engine, of an old version that starts by itself.

Set MILVUS_SERVER to the `milvus-server` of the Python package milvus 2.3.5, in an environment of
its own, to run them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.errors import CollectionGone, IndexUnreachable
from blog_search_mcp.index.milvus import connection
from blog_search_mcp.index.milvus.client import Milvus
from blog_search_mcp.index.milvus.schema import CollectionNames, vectors_fields
from tests.support.milvus_server import BINARY, clear, serving_engine
from tests.unit.index.milvus.test_client import (
    test_an_alias_names_one_collection_and_is_altered_in_one_step,
)
from tests.unit.index.milvus.test_vectors import (
    test_a_generation_has_the_rows_of_those_before_but_of_posts_that_went,
    test_a_generation_without_new_vectors_makes_no_collection,
    test_a_graph_that_misses_rows_is_completed_by_the_vectors_themselves,
    test_every_answer_is_that_of_the_store_in_files,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "test_a_generation_has_the_rows_of_those_before_but_of_posts_that_went",
    "test_a_generation_without_new_vectors_makes_no_collection",
    "test_a_graph_that_misses_rows_is_completed_by_the_vectors_themselves",
    "test_an_alias_names_one_collection_and_is_altered_in_one_step",
    "test_every_answer_is_that_of_the_store_in_files",
]


@pytest.fixture(scope="module")
def engine_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    binary = os.environ.get(BINARY)
    if not binary:
        pytest.skip(f"{BINARY} does not name the milvus-server of milvus 2.3.5")
    with serving_engine(binary, tmp_path_factory.mktemp("engine") / "data") as address:
        yield address


@pytest.fixture
def milvus(engine_address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Milvus]:
    """In the place of milvus-lite."""
    monkeypatch.setattr(connection, "OLDEST", (2, 3))
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 60.0)
    client = Milvus(engine_address)
    yield client
    for alias in ("blog", "blog_writer"):
        client.drop_alias(alias)
    clear(client)
    client.close()


def test_a_released_collection_is_loaded_and_one_that_is_gone_is_said(milvus: Milvus) -> None:
    name, fields = CollectionNames("blog").vectors(1), vectors_fields(4)
    milvus.create(name, fields)
    row = {"row": 0, "chunk": 1, "post": 1, "vector": [1.0, 0.0, 0.0, 0.0]}
    milvus.insert(name, fields, [row])
    milvus.complete(name, 1)
    assert milvus._client is not None
    milvus._client.release_collection(name)
    assert milvus.search(name, fields[-1], [row["vector"]], 3)[0].keys == [0]
    with pytest.raises(CollectionGone):
        milvus.query("nothing", "row >= 0", ["row"])


@pytest.mark.usefixtures("milvus")
def test_without_sparse_vectors_it_is_too_old(
    engine_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "OLDEST", (2, 4))
    with pytest.raises(IndexUnreachable, match="which has no sparse vectors"):
        Milvus(engine_address)
