"""Damages of a file on disk: functions of the file and another generation's file of its kind."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

Damage: TypeAlias = Callable[[Path, Path], None]
"""Takes the file to damage and another generation's file of its kind."""

_SEGMENT = re.compile(r"[0-9a-f]{32}(\.\d+)?|(?<=vectors/)\d{6}")


def kind_of(name: str) -> str:
    """Return a file's name with `*` for its random part: `lexical/posts/*.term`."""
    return _SEGMENT.sub("*", name)


def files_by_kind(folder: Path) -> dict[str, Path]:
    """Return one file of each kind in a generation's folder."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        kind_of(path.relative_to(folder).as_posix()): path
        for path in paths
        if not path.name.endswith(".lock")
    }


def _flipped(path: Path, _other: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _cut(keep: Callable[[int], int]) -> Damage:
    def cut(path: Path, _other: Path) -> None:
        os.truncate(path, keep(path.stat().st_size))

    return cut


def _instead(make: Callable[[Path], None]) -> Damage:
    def replace(path: Path, _other: Path) -> None:
        path.unlink()
        make(path)

    return replace


def _of_another(path: Path, other: Path) -> None:
    shutil.copyfile(other, path)


def _zeroed(path: Path, _other: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


ANOTHERS = "another generation's in its place"
"""The damage that changes nothing where the two files happen to be equal."""

DAMAGES: Mapping[str, Damage] = MappingProxyType(
    {
        "a bit flipped": _flipped,
        "its last byte cut off": _cut(lambda size: size - 1),
        "its second half cut off": _cut(lambda size: size // 2),
        "emptied": _cut(lambda _size: 0),
        "all its bytes zero": _zeroed,
        ANOTHERS: _of_another,
        "deleted": _instead(lambda _path: None),
        "a folder in its place": _instead(Path.mkdir),
    }
)

CURRENT: Mapping[str, Callable[[Path], None]] = MappingProxyType(
    {
        "empty": lambda path: _write(path, b""),
        "nonsense": lambda path: _write(path, b"nonsense\n"),
        "a missing generation": lambda path: _write(path, b"999999\n"),
        "a path out of the folder": lambda path: _write(path, b"../../etc\n"),
        "5,000 digits": lambda path: _write(path, b"9" * 5000),
        "deleted": lambda path: path.unlink(),
    }
)
"""Damages of CURRENT, which names the live generation."""


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)
