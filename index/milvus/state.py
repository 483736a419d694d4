"""What is on the server beside generations: the writer's lock, and what the last ingest saw.

The lock is an alias, which the server lets name one collection only: that of the writer who holds
it. In there is a row that the writer changes every other second. A lock whose row stays as it is
belongs to an ingest that was killed and is taken over; how long that is, is measured by the clock
of who waits, so that clocks need not agree.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
import zlib
from contextlib import suppress
from typing import Final

from blog_search_mcp.index.errors import CollectionGone, IndexBusy, IndexProblem
from blog_search_mcp.index.milvus.client import Milvus
from blog_search_mcp.index.milvus.schema import (
    KEY,
    NO_TERMS,
    STATE_FIELDS,
    TEXT,
    WHOLE,
    CollectionNames,
    literal,
    split_text,
)
from blog_search_mcp.index.store.generations import BUSY

HEARTBEAT_SECONDS: Final = 2.0
STALE_SECONDS: Final = 15.0
"""Without a heartbeat until the lock is taken over: time for seven of them."""
SETTLE_SECONDS: Final = 1.0
"""Until who took over looks whether another did so at the same time."""

_HEARTBEAT: Final = "beat"

_BUSY: Final = f"{BUSY} Wait until it has finished, then run again."


class WriterLock:
    """The lock of an index, held for the length of a block."""

    def __init__(self, milvus: Milvus, names: CollectionNames) -> None:
        self._milvus = milvus
        self._names = names
        self._own = names.lock_held(secrets.token_hex(8))
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep_alive, name="milvus-lock", daemon=True)

    def __enter__(self) -> WriterLock:
        """Take the lock. Raises IndexBusy if another ingest has it."""
        milvus, names, own = self._milvus, self._names, self._own
        milvus.create(own, STATE_FIELDS)
        try:
            milvus.load(own)
            send_heartbeat(milvus, own)
            if not milvus.create_alias(names.lock, own):
                _take_over(milvus, names, own)
            for other in filter(names.is_lock, milvus.collections()):
                if other != own:
                    milvus.drop(other)
        except CollectionGone as error:  # the holder dropped it, as one that nobody has
            raise IndexBusy(_BUSY) from error
        except BaseException:
            with suppress(IndexProblem):
                milvus.drop(own)
            raise
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Let the next writer in; what the server does not do now, the next one takes over."""
        self._ended.set()
        self._thread.join()
        with suppress(IndexProblem):
            if self._milvus.resolve(self._names.lock) == self._own:
                self._milvus.drop_alias(self._names.lock)
            self._milvus.drop(self._own)

    def check(self) -> None:
        """Raise IndexBusy if another ingest has taken the lock over."""
        if self._milvus.resolve(self._names.lock) != self._own:
            raise IndexBusy(
                f"Another ingest has taken over the index {self._names.index}, since the server "
                "heard nothing of this one for a while. Nothing is lost: run the ingest again."
            )

    def _keep_alive(self) -> None:
        while not self._ended.wait(HEARTBEAT_SECONDS):
            with suppress(IndexProblem):
                send_heartbeat(self._milvus, self._own)


def send_heartbeat(milvus: Milvus, name: str) -> None:
    """Show that the writer of this collection is alive."""
    row = {KEY: _HEARTBEAT, TEXT: secrets.token_hex(8), WHOLE: NO_TERMS}
    milvus.insert(name, STATE_FIELDS, [row], replace=True)


def _take_over(milvus: Milvus, names: CollectionNames, own: str) -> None:
    """Wait until the lock is left, or its holder shows no life. Raises IndexBusy if it does."""
    until = time.monotonic() + STALE_SECONDS
    first = _read_heartbeat(milvus, names)
    while time.monotonic() < until:
        time.sleep(HEARTBEAT_SECONDS / 4)
        if _read_heartbeat(milvus, names) != first:
            if milvus.create_alias(names.lock, own):
                return
            raise IndexBusy(_BUSY)
    milvus.alter_alias(names.lock, own)
    time.sleep(SETTLE_SECONDS)
    if milvus.resolve(names.lock) != own:
        raise IndexBusy(_BUSY)


def _read_heartbeat(milvus: Milvus, names: CollectionNames) -> tuple[str | None, list[str]]:
    """Return who holds the lock and its latest heartbeat."""
    holder = milvus.resolve(names.lock)
    if holder is None:
        return None, []
    try:
        rows = milvus.query(holder, "", [TEXT], strong=True)
    except CollectionGone:
        rows = []
    return holder, sorted(str(row[TEXT]) for row in rows)


_HEAD: Final = "record"


def read_record(milvus: Milvus, names: CollectionNames) -> str | None:
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


def write_record(milvus: Milvus, names: CollectionNames, text: str) -> None:
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
        made = ({KEY: key, TEXT: part, WHOLE: NO_TERMS} for key, part in rows.items())
        milvus.insert(names.state, STATE_FIELDS, made, replace=True)
    if before is not None:
        milvus.delete(names.state, f"{KEY} like {literal(f'{_HEAD}:{before[0]}:%')}")


def record_stamp(milvus: Milvus, names: CollectionNames) -> tuple[str, int] | None:
    """Return another value whenever the record was written, `None` if there is none."""
    return _head(milvus, names, strong=False)


def _head(milvus: Milvus, names: CollectionNames, *, strong: bool) -> tuple[str, int] | None:
    """Return the version of the record and how many there were before it; `None` if it is torn."""
    try:
        rows = milvus.query(names.state, f"{KEY} == {literal(_HEAD)}", [TEXT], strong=strong)
    except CollectionGone:
        return None
    for row in rows:
        with suppress(ValueError, TypeError):
            version, turn = json.loads(row[TEXT])
            return str(version), int(turn)
    return None
