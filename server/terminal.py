"""What a command says to the person who typed it."""

from __future__ import annotations

import sys
from io import TextIOWrapper

_PICTURES = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"},
    **dict.fromkeys((*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
}
"""Unicode's pictures for control characters, and a mark for what has none: a post may hold them,
a terminal obeys them. Marks that turn the direction of writing make a line read as another."""


def harmless(text: str) -> str:
    """Return `text` as a terminal may have it: it shows control characters and obeys none."""
    return text.translate(_PICTURES)


def say(text: str) -> None:
    """Print `text` on stdout, with escapes for what the terminal or the text's own path cannot."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a path may be no text at all
    sys.stdout.write(text + "\n")
