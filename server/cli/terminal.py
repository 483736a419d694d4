"""Print text on a terminal safely."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from io import TextIOWrapper

from blog_search_mcp.index.commands import complete_commands
from blog_search_mcp.server.settings import Settings

_PICTURES = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"},
    **dict.fromkeys((*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
}
"""Unicode's pictures for control characters, and a mark for what has none: a post may hold them,
a terminal obeys them. Marks that turn the direction of writing make a line read as another."""


def escape_controls(text: str) -> str:
    """Replace control characters by visible ones, so that a terminal obeys none."""
    return text.translate(_PICTURES)


def tell(sentence: str, settings: Settings) -> None:
    """Print a sentence on stderr, its commands with this run's folders."""
    sys.stderr.write(escape_controls(f"{with_folders(sentence, settings)}\n"))


def with_folders(sentence: str, settings: Settings) -> str:
    """Complete the commands in a sentence for this run's index and its posts."""
    if "`" not in sentence:
        return sentence
    from blog_search_mcp.index.posts.next_ingest import blog_of

    return complete_commands(sentence, blog_of(settings.index))


def print_lines(lines: Iterable[str]) -> None:
    """Print each on a line of its own on stdout, whatever the names of files in it hold."""
    print_text("\n".join(escape_controls(line).replace("\n", "\u240a") for line in lines))


def print_text(text: str) -> None:
    """Print `text` on stdout, with escapes for what its encoding cannot write."""
    escape_unencodable()
    sys.stdout.write(text + "\n")


def escape_unencodable() -> None:
    """Let stdout write escapes for what its encoding lacks: a path may be no text at all."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
