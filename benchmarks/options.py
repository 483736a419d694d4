"""What the command lines share: numbers, folders, the cache, tables, the status of a failure."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from blog_search_mcp.index.errors import BlogSearchError, UsageError

FAILED, WRONG_USAGE = 1, 2


def folder(value: str) -> Path:
    """Read a path, whose `~` the shell may have left."""
    return Path(value).expanduser()


def count(value: str) -> int:
    """Read a whole number from 1. Raises ArgumentTypeError."""
    if not (value.isascii() and value.isdigit() and int(value)):
        raise argparse.ArgumentTypeError(f"{value!r} is not a whole number from 1.")
    return int(value)


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Return the user's cache folder (XDG base directories)."""
    cache = environment.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "blog-search-mcp" / "benchmarks"


def report_failure(error: BlogSearchError) -> int:
    """Print the error on stderr and return the exit status."""
    sys.stderr.write(f"{error}\n")
    return WRONG_USAGE if isinstance(error, UsageError) else FAILED


def table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> str:
    """Write a table in Markdown; the columns with the indexes `right` are aligned to the right."""
    aligned = set(right)
    rules = ["--:" if number in aligned else "---" for number in range(len(header))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rules, *rows))
