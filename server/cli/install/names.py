"""Names of our entries in a client's settings: one for each index, and none that is taken."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.stores import Location
from blog_search_mcp.server.cli.install.entries import Entry, expand_home
from blog_search_mcp.server.settings import DEFAULT_NAME

_LONGEST = 50
"""Characters of a folder in a name, which has 64 at most."""


def choose_name(entries: Iterable[Entry], indexes: Sequence[Location]) -> str:
    """Return the name of the entry over these indexes, or a free one for a new entry.

    The first is DEFAULT_NAME, others have the blog's folder in it.
    """
    everywhere = [entry for entry in entries if not entry.project]
    if own := names_over(everywhere, indexes):
        return own[0]
    taken = {entry.name for entry in everywhere if not entry.is_ours or entry.indexes}
    folder = _folder_name(indexes[0])
    digest = hashlib.sha256(os.fsencode(str(indexes[0]))).hexdigest()[:8]
    names = (DEFAULT_NAME, f"{DEFAULT_NAME}-{folder}" if folder else "", f"{DEFAULT_NAME}-{digest}")
    return next(name for name in names if name and name not in taken)


def find_name(entries: Iterable[Entry], indexes: Sequence[Location] = ()) -> str | None:
    """Return the name of our entry over these indexes, or of the only one if none are given.

    Returns `None` if there is no such entry. Raises UsageError if there are several.
    """
    ours = [entry for entry in entries if entry.is_ours and not entry.project]
    names = names_over(ours, indexes) if indexes else [entry.name for entry in ours]
    if len(names) > 1:
        raise UsageError(
            f"Several entries are meant: {', '.join(map(repr, names))}. Say which with --name."
        )
    return names[0] if names else None


def names_over(entries: Iterable[Entry], indexes: Sequence[Location]) -> list[str]:
    """Return the names of our entries that have exactly these indexes."""
    wanted = set(map(_identify, indexes))
    return [
        entry.name
        for entry in entries
        if entry.is_ours and set(map(_identify, entry.indexes)) == wanted
    ]


def _identify(index: str | Location) -> str:
    folder = str(index)
    return os.path.normcase(os.path.realpath(expand_home(folder)))


def _folder_name(index: Location) -> str:
    """Name the blog by its index, or by what holds one that is called as all are."""
    hidden = index.name.startswith(".")
    own = index.name.partition("-")[2].partition("-")[2] if hidden else index.name
    name = own or (index.parts[-2] if index.parts[1:] else "")
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")[:_LONGEST]
