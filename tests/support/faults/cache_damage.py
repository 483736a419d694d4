"""What can happen to the embedding cache, as data: its path in, another file out."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

PAGE = 4096
"""Bytes of an SQLite page."""


def checkpointed(path: Path) -> None:
    """Bring what is in the write-ahead log into the file, which is then all there is."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _page(number: int, content: bytes) -> Callable[[Path], None]:
    def overwrite(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(number * PAGE)
            file.write(content * (PAGE // len(content)))

    return overwrite


def _keep(share: float) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, int(path.stat().st_size * share))


def _sql(*statements: str) -> Callable[[Path], None]:
    def run(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in statements:
                connection.execute(statement)

    return run


def _flip_vectors(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for key, vector in connection.execute("SELECT key, vector FROM embeddings").fetchall():
            flipped = bytes([vector[0] ^ 0x80, *vector[1:]])
            connection.execute("UPDATE embeddings SET vector = ? WHERE key = ?", [flipped, key])


def _instead(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def replace(path: Path) -> None:
        path.unlink()
        make(path)

    return replace


def _full_folder(path: Path) -> None:
    path.mkdir()
    (path / "keep").write_bytes(b"")


DAMAGED: Mapping[str, Callable[[Path], None]] = MappingProxyType(
    {
        "its header overwritten": _page(0, b"x"),
        "its first page zero": _page(0, b"\0"),
        "a page in its middle overwritten": _page(4, b"\xff"),
        "a page in its middle zero": _page(4, b"\0"),
        "a tenth of it left": _keep(0.1),
        "half of it left": _keep(0.5),
        "its last page cut": lambda path: os.truncate(path, path.stat().st_size - PAGE),
        "text in its place": lambda path: _text(path),
        "a log of nonsense beside a file of nonsense": lambda path: _both(path),
    }
)
"""Set aside; what can be read is taken over."""

FOREIGN: Mapping[str, Callable[[Path], None]] = MappingProxyType(
    {
        "a newer version": _sql("PRAGMA user_version = 99"),
        "another program's tables": _sql(
            "DROP TABLE embeddings", "CREATE TABLE t (x)", "PRAGMA user_version = 0"
        ),
        "a folder in its place": _instead(lambda path: path.mkdir()),
        "a folder with a file in its place": _instead(_full_folder),
        "a pipe in its place": _instead(os.mkfifo),
    }
)
"""Set aside; nothing is taken over."""

OTHER_COLUMNS: Mapping[str, Callable[[Path], None]] = MappingProxyType(
    {
        "other columns": _sql("DROP TABLE embeddings", "CREATE TABLE embeddings (x)"),
        "its table gone": _sql("DROP TABLE embeddings"),
    }
)
"""Set aside like damage, since its version is right."""

LOST: Mapping[str, Callable[[Path], None]] = MappingProxyType(
    {
        "emptied": lambda path: os.truncate(path, 0),
        "deleted": lambda path: path.unlink(),
    }
)
"""As if there had never been one."""

FLIPPED: Mapping[str, Callable[[Path], None]] = MappingProxyType(
    {"a bit flipped in each vector": _flip_vectors}
)
"""Nothing that SQLite would notice."""


def _text(path: Path) -> None:
    path.write_bytes(b"not a database " * 1000)


def _both(path: Path) -> None:
    for beside in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        beside.write_bytes(b"nonsense" * 1000)


LOCKER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA locking_mode = EXCLUSIVE")
connection.execute("BEGIN EXCLUSIVE")
connection.execute("CREATE TABLE IF NOT EXISTS mine (x)")
print("locked", flush=True)
sys.stdin.read()
"""
"""A program that keeps the cache locked until its stdin ends."""


def remove(path: Path) -> None:
    """Delete whatever a damage left, with its companions."""
    for each in path.parent.glob(path.name + "*"):
        shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
