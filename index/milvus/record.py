"""Keep what the last ingest saw on the server: no part of a generation, and written after it."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from contextlib import suppress
from typing import Final

from blog_search_mcp.index.errors import CollectionGone
from blog_search_mcp.index.milvus.client import Milvus, literal
from blog_search_mcp.index.milvus.packing import split_text
from blog_search_mcp.index.milvus.schema import KEY, NO_TERM, STATE_FIELDS, TEXT, WHOLE, Names

_HEAD: Final = "record"


def read_record(milvus: Milvus, names: Names) -> str | None:
    """Return what `write_record` wrote last, `None` if there is none or it is torn."""
    head = _head(milvus, names, strong=True)
    if head is None:
        return None
    expression = f"{KEY} like {literal(f'{_HEAD}:{head[0]}:%')}"
    rows = milvus.query(names.state, expression, [KEY, TEXT], strong=True)
    ordered = sorted(rows, key=lambda row: str(row[KEY]))
    with suppress(ValueError, zlib.error):
        return zlib.decompress(base64.b64decode("".join(row[TEXT] for row in ordered))).decode()
    return None


def write_record(milvus: Milvus, names: Names, text: str) -> None:
    """Keep a text, unless it is kept: its parts first, and last the row that names them."""
    version = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    if names.state not in milvus.collections():
        milvus.create(names.state, STATE_FIELDS)
        milvus.load(names.state)
    before = _head(milvus, names, strong=True)
    if before is not None and before[0] == version:
        return
    turn = 0 if before is None else before[1] + 1
    parts = split_text(base64.b64encode(zlib.compress(text.encode())).decode("ascii"))
    keyed = {f"{_HEAD}:{version}:{place:06d}": part for place, part in enumerate(parts)}
    for rows in (keyed, {_HEAD: json.dumps([version, turn])}):
        made = ({KEY: key, TEXT: part, WHOLE: {NO_TERM: 1.0}} for key, part in rows.items())
        milvus.insert(names.state, STATE_FIELDS, made, replace=True)
    if before is not None:
        milvus.delete(names.state, f"{KEY} like {literal(f'{_HEAD}:{before[0]}:%')}")


def record_stamp(milvus: Milvus, names: Names) -> tuple[str, int] | None:
    """Return another value whenever the record was written, `None` if there is none."""
    return _head(milvus, names, strong=False)


def _head(milvus: Milvus, names: Names, *, strong: bool) -> tuple[str, int] | None:
    """Return the version of the record and how many there were before it."""
    try:
        rows = milvus.query(names.state, f"{KEY} == {literal(_HEAD)}", [TEXT], strong=strong)
    except CollectionGone:
        return None
    if not rows:
        return None
    version, turn = json.loads(rows[0][TEXT])
    return str(version), int(turn)
