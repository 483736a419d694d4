"""One writer at a time, on any machine."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.errors import IndexBusy
from blog_search_mcp.index.milvus import state as milvus_state
from blog_search_mcp.index.milvus.schema import STATE_FIELDS, CollectionNames
from blog_search_mcp.index.milvus.state import WriterLock, send_heartbeat

if TYPE_CHECKING:
    from blog_search_mcp.index.milvus.client import Milvus

NAMES = CollectionNames("blog")


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("HEARTBEAT", 0.1), ("STALE", 1.5), ("SETTLE", 0.1)):
        monkeypatch.setattr(milvus_state, f"{name}_SECONDS", seconds)


def kill(milvus: Milvus) -> str:
    """Leave the lock as an ingest does that was killed."""
    name = NAMES.lock_held("dead")
    milvus.create(name, STATE_FIELDS)
    milvus.load(name)
    send_heartbeat(milvus, name)
    assert milvus.create_alias(NAMES.lock, name)
    return name


def test_one_writer_is_in_until_it_leaves(milvus: Milvus) -> None:
    before = milvus.collections()
    with WriterLock(milvus, NAMES) as first:
        first.check()
        with pytest.raises(IndexBusy, match="nother ingest"):
            ExitStack().enter_context(WriterLock(milvus, NAMES))
        first.check()
        with WriterLock(milvus, CollectionNames("other")):
            pass
    with WriterLock(milvus, NAMES) as second:
        second.check()
    assert milvus.collections() == before
    assert milvus.resolve(NAMES.lock) is None


def test_a_killed_writer_is_succeeded_and_cleared_away(milvus: Milvus) -> None:
    before = milvus.collections()
    kill(milvus)
    milvus.create(NAMES.lock_held("older"), STATE_FIELDS)
    with WriterLock(milvus, NAMES) as lock:
        lock.check()
        assert set(milvus.collections()) - set(before) == {milvus.resolve(NAMES.lock)}


def test_a_writer_that_shows_life_is_waited_for_no_longer(milvus: Milvus) -> None:
    begun = time.monotonic()
    with WriterLock(milvus, NAMES), pytest.raises(IndexBusy):
        ExitStack().enter_context(WriterLock(milvus, NAMES))
    assert time.monotonic() - begun < 60


def test_a_lock_that_another_took_over_is_noticed(milvus: Milvus) -> None:
    with WriterLock(milvus, NAMES) as lock:
        thief = NAMES.lock_held("thief")
        milvus.create(thief, STATE_FIELDS)
        milvus.alter_alias(NAMES.lock, thief)
        with pytest.raises(IndexBusy, match="Nothing is lost: run the ingest again"):
            lock.check()
    assert milvus.resolve(NAMES.lock) == thief


def test_a_holder_whose_collection_is_gone_is_succeeded(milvus: Milvus) -> None:
    name = kill(milvus)
    milvus.drop(name)
    with WriterLock(milvus, NAMES) as lock:
        lock.check()
