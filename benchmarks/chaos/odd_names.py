"""Names that a post may have and few have, as data; shared by the tests and the group `files`."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from contextlib import suppress
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
