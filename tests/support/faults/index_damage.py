"""What can happen to a file on disk, as data: the tests and the group `corruptions` make the same.

Each damage takes a file, and one of the same kind from another generation, and leaves the file
in a state that nobody of ours would leave it in.
"""

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
    """A file of a generation without what is drawn at random: `lexical/posts/*.term`."""
    return _SEGMENT.sub("*", name)


def class_of(kind: str) -> str:
    """What a reader of a table cares about: tantivy's many files are two kinds to them."""
    if kind.startswith("lexical/"):
        return "tantivy's segments" if "*" in kind else "tantivy's lists of segments"
    return kind


def files_by_kind(folder: Path) -> dict[str, Path]:
    """One file of each kind in a generation's folder."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        kind_of(path.relative_to(folder).as_posix()): path
        for path in paths
        if not path.name.endswith(".lock")
    }


def _flipped(share: float) -> Damage:
    def flip(path: Path, _other: Path) -> None:
        content = bytearray(path.read_bytes())
        content[min(int(len(content) * share), len(content) - 1)] ^= 1
        path.write_bytes(content)

    return flip


def _cut(keep: Callable[[int], int]) -> Damage:
    def cut(path: Path, _other: Path) -> None:
        os.truncate(path, keep(path.stat().st_size))

    return cut


def _instead(make: Callable[[Path], None]) -> Damage:
    def replace(path: Path, _other: Path) -> None:
        path.unlink()
        make(path)

    return replace


def _append(path: Path, _other: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\0")


def _of_another(path: Path, other: Path) -> None:
    shutil.copyfile(other, path)


def _zeroed(path: Path, _other: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def _closed(path: Path, _other: Path) -> None:
    path.chmod(0)


ANOTHERS = "another generation's in its place"
"""The one damage that is none where the two files happen to be the same."""

DAMAGES: Mapping[str, Damage] = MappingProxyType(
    {
        "a bit flipped at its start": _flipped(0.0),
        "a bit flipped in its middle": _flipped(0.5),
        "a bit flipped at its end": _flipped(1.0),
        "its last byte cut off": _cut(lambda size: size - 1),
        "its second half cut off": _cut(lambda size: size // 2),
        "emptied": _cut(lambda _size: 0),
        "all its bytes zero": _zeroed,
        "a byte appended": _append,
        "grown to 3 GB": _cut(lambda _size: 3 << 30),
        ANOTHERS: _of_another,
        "deleted": _instead(lambda _path: None),
        "a folder in its place": _instead(Path.mkdir),
        "a pipe in its place": _instead(os.mkfifo),
        "a link to itself in its place": _instead(lambda path: path.symlink_to(path.name)),
        "a link to an endless device in its place": _instead(
            lambda path: path.symlink_to("/dev/zero")
        ),
    }
)

NOT_FOR_THE_SUPERUSER: Mapping[str, Damage] = MappingProxyType({"its permissions gone": _closed})

CURRENT: Mapping[str, Callable[[Path], None]] = MappingProxyType(
    {
        "empty": lambda path: _write(path, b""),
        "blank": lambda path: _write(path, b" \n"),
        "nonsense": lambda path: _write(path, b"nonsense\n"),
        "zeros": lambda path: _write(path, bytes(7)),
        "not ASCII": lambda path: _write(path, "０００００１\n".encode()),
        "a missing generation": lambda path: _write(path, b"999999\n"),
        "a negative generation": lambda path: _write(path, b"-00001\n"),
        "a path out of the folder": lambda path: _write(path, b"../../etc\n"),
        "an absolute path": lambda path: _write(path, b"/etc/passwd\n"),
        "two generations": lambda path: _write(path, b"000001\n000002\n"),
        "5,000 digits": lambda path: _write(path, b"9" * 5000),
        "3 GB": lambda path: os.truncate(path, 3 << 30),
        "a pipe": lambda path: _instead(os.mkfifo)(path, path),
        "a link to itself": lambda path: _instead(lambda it: it.symlink_to("CURRENT"))(path, path),
        "deleted": lambda path: path.unlink(),
    }
)
"""What CURRENT may hold or be instead of the live generation's name."""


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)
