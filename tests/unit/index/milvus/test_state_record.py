"""What the last ingest saw, on the server."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.milvus.schema import (
    KEY,
    NO_TERMS,
    STATE_FIELDS,
    TEXT,
    WHOLE,
    CollectionNames,
)
from blog_search_mcp.index.milvus.state import read_record, record_stamp, write_record

if TYPE_CHECKING:
    from blog_search_mcp.index.milvus.client import Milvus

NAMES = CollectionNames("blog")


def test_the_record_is_what_was_written_last(milvus: Milvus) -> None:
    assert (read_record(milvus, NAMES), record_stamp(milvus, NAMES)) == (None, None)
    chance = random.Random(1)
    long = "".join(chr(chance.randrange(0x4E00, 0x9000)) for _ in range(100_000))
    stamps = []
    for text in ("", "first", long, "first"):
        write_record(milvus, NAMES, text)
        assert read_record(milvus, NAMES) == text
        stamps.append(record_stamp(milvus, NAMES))
        write_record(milvus, NAMES, text)
        assert record_stamp(milvus, NAMES) == stamps[-1]
    assert len(set(stamps)) == 4
    assert milvus.count(NAMES.state) == 2
    assert read_record(milvus, CollectionNames("other")) is None


@pytest.mark.parametrize("head", ["", "[1", "{}", "7", '["a"]', '["a", "b"]'])
def test_a_record_whose_head_is_torn_is_none_and_is_written_anew(milvus: Milvus, head: str) -> None:
    write_record(milvus, NAMES, "first")
    row = {KEY: "record", TEXT: head, WHOLE: NO_TERMS}
    milvus.insert(NAMES.state, STATE_FIELDS, [row], replace=True)
    assert (read_record(milvus, NAMES), record_stamp(milvus, NAMES)) == (None, None)
    write_record(milvus, NAMES, "second")
    assert read_record(milvus, NAMES) == "second"
