"""What a content folder may hold besides plain posts: odd names, links, pipes, huge files."""

from __future__ import annotations

import errno
import os
import socket
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

POST = "# Odd\n\nA post about the zebrafinch.\n"

NAMES: Mapping[str, str] = MappingProxyType(
    {
        "a line break in its name": "new\nline.md",
        "a tab in its name": "tab\there.md",
        "an escape sequence in its name": "red\x1b[31m.md",
        "an emoji": "emoji-🚀.md",
        "Chinese": "中文檔名.md",
        "right to left": "עברית.md",
        "an override of the direction of text": "rlo\u202edm.exe.md",
        "a space of no width": "zero\u200bwidth.md",
        "a dash first": "-dash.md",
        "an option's name": "--help.md",
        "a space first": " leading.md",
        "a space before its suffix": "trailing .md",
        "a backslash": "back\\slash.md",
        "quotation marks": "quo'te\".md",
        "a shell command": "$(touch x);`y`.md",
        "a percent sign": "100%25.md",
        "what a URL takes for itself": "a?b#c&d=e+f.md",
        "a pattern": "[b]*.md",
        "255 bytes": "n" * 252 + ".md",
        "255 bytes of Chinese": "字" * 84 + ".md",
        "a device's name on another system": "CON.md",
        "no name but its suffix's": "x..md",
        "a suffix in capitals": "UPPER.MD",
        "composed characters": unicodedata.normalize("NFC", "café.md"),
        "the same, decomposed": unicodedata.normalize("NFD", "café.md"),
        "a capital": "case/Name.md",
        "the same without": "case/name.md",
        "a folder called index.md": "x/index.md/inside.md",
        "a folder called like a post beside one": "folder.md/index.md",
        "sixty folders": "/".join(f"d{n}" for n in range(60)) + "/leaf.md",
    }
)
"""Names of posts that are indexed; by what is odd about them."""


def write_post(path: Path) -> None:
    """Write the post that all of them are. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(POST, encoding="utf-8")


def write_names(content: Path) -> list[str]:
    """Write a post of every odd name; the sources that the file system took."""
    written = []
    for source in NAMES.values():
        with suppress(OSError):
            write_post(content / source)
            written.append(source)
    return written


@dataclass(frozen=True, slots=True)
class Oddity:
    """Something that is no post."""

    make: Callable[[Path, Path], None]
    """Makes it at the first path; the second is a post outside the content folder."""
    reason: str | None
    """Why it is skipped; `None` if the author's rule leaves it out silently."""
    source: str = "odd.md"
    reported: str | None = None
    """As what it is reported, if not by its source."""


_LINKED_FOLDER = "linked folders are not followed; put the posts in the folder"
_LEAVES = "it is a link that leaves the content folder; copy the file into it"
_NO_FILE = "it is not a regular file; name it in a .blogignore"
_TOO_LARGE = "it is larger than 16 MB; split it, or name it in a .blogignore"


def _unreadable(code: int) -> str:
    return f"it cannot be read: {os.strerror(code)}; check the file and its permissions"


_LOOP = _unreadable(errno.ELOOP)
_LONG = "d" * 240
_TOO_DEEP = 17
"""Folders of that name are together longer than a path may be, 4,096 bytes on Linux; one less
leaves room for 200 bytes above them."""


def _socket(path: Path, _outside: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as made:
        here = Path.cwd()
        os.chdir(path.parent)  # a socket's path has at most 107 bytes
        try:
            made.bind(path.name)
        finally:
            os.chdir(here)


def _post(path: Path, _outside: Path) -> None:
    write_post(path)


def _sparse(path: Path, _outside: Path) -> None:
    with path.open("wb") as file:
        file.truncate(3 << 30)


def _closed(path: Path, post: Path, outside: Path) -> None:
    _post(post, outside)
    path.chmod(0)


def _deep(path: Path, _outside: Path) -> None:
    path.mkdir()
    folder = os.open(path, os.O_RDONLY)
    for _ in range(_TOO_DEEP):
        os.mkdir(_LONG, dir_fd=folder)
        inner = os.open(_LONG, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)


REFUSED: Mapping[str, Oddity] = MappingProxyType(
    {
        "a link to a file outside": Oddity(lambda path, out: path.symlink_to(out), _LEAVES),
        "a link to the machine's passwords": Oddity(
            lambda path, _: path.symlink_to("/etc/passwd"), _LEAVES
        ),
        "a link outside by way of folders": Oddity(
            lambda path, out: path.symlink_to(os.path.relpath(out, path.parent)), _LEAVES
        ),
        "a link to a folder outside": Oddity(
            lambda path, out: path.symlink_to(out.parent), _LINKED_FOLDER, "odd"
        ),
        "a link to the folder it is in": Oddity(
            lambda path, _: path.symlink_to("."), _LINKED_FOLDER, "odd"
        ),
        "a link to nothing": Oddity(
            lambda path, _: path.symlink_to("nowhere"),
            _unreadable(errno.ENOENT),
        ),
        "a link to itself": Oddity(lambda path, _: path.symlink_to(path.name), _LOOP),
        "a link to an endless device": Oddity(
            lambda path, _: path.symlink_to("/dev/zero"), _LEAVES
        ),
        "a pipe": Oddity(lambda path, _: os.mkfifo(path), _NO_FILE),
        "a socket": Oddity(_socket, _NO_FILE),
        "3 GB of nothing": Oddity(_sparse, _TOO_LARGE),
        "a name that is not UTF-8": Oddity(
            _post,
            "its name is not valid UTF-8; rename it",
            os.fsdecode(b"odd-\xff.md"),
            "odd-\\xff.md",
        ),
        "a folder whose name is not UTF-8": Oddity(
            lambda path, out: _post(path / "in.md", out),
            "its name is not valid UTF-8; rename it",
            os.fsdecode(b"odd-\xff"),
            "odd-\\xff",
        ),
        "folders deeper than a path may be long": Oddity(
            _deep,
            _unreadable(errno.ENAMETOOLONG),
            "odd",
            "odd" + f"/{_LONG}" * _TOO_DEEP,
        ),
        "a hidden file": Oddity(_post, None, ".odd.md"),
        "a hidden folder": Oddity(_post, None, ".odd/a.md"),
        "an installed package": Oddity(_post, None, "node_modules/p/README.md"),
        "a file of another kind": Oddity(_post, None, "odd.txt"),
        "a suffix with a space after it": Oddity(_post, None, "odd.md "),
    }
)
"""What is never read, by what it is."""

CLOSED: Mapping[str, Oddity] = MappingProxyType(
    {
        "a file without permissions": Oddity(
            lambda path, out: _closed(path, path, out),
            _unreadable(errno.EACCES),
        ),
        "a folder without permissions": Oddity(
            lambda path, out: _closed(path, path / "a.md", out),
            _unreadable(errno.EACCES),
            "odd",
        ),
    }
)
"""What the superuser may read nevertheless."""


def _pipe(path: Path, _outside: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folder(path: Path, _outside: Path) -> None:
    path.unlink()
    path.mkdir()


def _link(path: Path, outside: Path) -> None:
    path.unlink()
    path.symlink_to(outside)


BETWEEN: Mapping[str, tuple[Callable[[Path, Path], None], str]] = MappingProxyType(
    {
        "deleted": (
            lambda path, _: path.unlink(),
            _unreadable(errno.ENOENT),
        ),
        "a folder in its place": (_folder, _unreadable(errno.EISDIR)),
        "a pipe in its place": (_pipe, _NO_FILE),
        "a link outside in its place": (_link, _LOOP),
        "grown to 3 GB": (
            _sparse,
            _TOO_LARGE,
        ),
    }
)
"""What may become of a post after it was listed and before it is read, and what is then said."""
