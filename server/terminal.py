"""What a command says to the person who typed it."""

from __future__ import annotations

import sys
from io import TextIOWrapper


def say(text: str) -> None:
    """Print `text` on stdout, with escapes for what the terminal or the text's own path cannot."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a path may be no text at all
    sys.stdout.write(text + "\n")
