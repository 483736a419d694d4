"""Connections to a Milvus server: who is let in, and what is said of who is not."""

from __future__ import annotations

import logging

import pytest

from blog_search_mcp.index.errors import CollectionGone, IndexProblem, IndexUnreachable
from blog_search_mcp.index.milvus.client import Milvus
from blog_search_mcp.index.milvus.connection import is_too_old
from blog_search_mcp.index.milvus.schema import STATE_FIELDS
from tests.support.ports import free_port


@pytest.mark.parametrize(
    ("version", "old"),
    [
        ("v2.3.5-lite", True),
        ("2.2.16", True),
        ("v2.4.0", False),
        ("2.6.6", False),
        ("3.0", False),
        ("milvus_lite-3.2.2", False),
        ("", False),
    ],
)
def test_a_server_without_sparse_vectors_is_too_old(version: str, old: bool) -> None:
    assert is_too_old(version) is old


def test_nobody_at_the_address_is_a_sentence() -> None:
    with pytest.raises(IndexUnreachable, match="Start it, or correct the address"):
        Milvus(f"http://127.0.0.1:{free_port()}")


def test_pymilvus_prints_no_tracebacks_of_its_own(milvus: Milvus) -> None:
    with pytest.raises(CollectionGone):
        milvus.query("nothing", "", ["row"])
    loggers = [name for name in logging.root.manager.loggerDict if name.startswith("pymilvus")]
    assert loggers
    assert not [name for name in loggers if logging.getLogger(name).isEnabledFor(logging.CRITICAL)]


def test_the_token_is_no_part_of_a_sentence(
    milvus_address: str, milvus: Milvus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILVUS_TOKEN", "root:secret")
    milvus.create("asked", STATE_FIELDS)
    milvus.load("asked")
    guest = Milvus(milvus_address)
    with pytest.raises(IndexProblem, match="refuses a request") as raised:
        guest.query("asked", "text == root:secret", ["text"])
    assert "secret" not in str(raised.value)
    assert raised.value.for_clients == (
        "The server that has the index refuses a request; its log says why."
    )
    guest.close()


def test_a_long_request_gives_no_more_signs_of_life_than_a_server_takes(milvus: Milvus) -> None:
    """gRPC's servers end a connection that does every few seconds (grpc.io, keepalive)."""
    assert milvus._client is not None
    assert milvus._client._handler._grpc_options["grpc.keepalive_time_ms"] > 300_000
