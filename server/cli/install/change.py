"""What `install` and `uninstall` make of a settings file: its text in, the new text out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.server.cli.install.entries import Entry, read_entries
from blog_search_mcp.server.cli.install.json_edit import with_value, without_member

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blog_search_mcp.server.cli.install.clients import ClientFile


def with_entry(text: str, file: ClientFile, name: str, fields: Mapping[str, Any]) -> str:
    """Set the fields of our entry `name`, and leave what else a person has put into it.

    Raises ValueError, which names the place, if `text` cannot be read, and UsageError if
    another server has the name.
    """
    _ours(text, file, name)
    for key, value in fields.items():
        text = with_value(text, (file.key, name, key), value)
    return text


def without_entry(text: str, file: ClientFile, name: str) -> str:
    """Take our entry `name` out; returns `text` itself if there is none. Raises as `with_entry`."""
    return without_member(text, (file.key, name)) if _ours(text, file, name) else text


def _ours(text: str, file: ClientFile, name: str) -> Entry | None:
    """Find the entry that counts in every folder."""
    entries = (entry for entry in read_entries(file, text) if not entry.project)
    found = next((entry for entry in entries if entry.name == name), None)
    if found is not None and not found.is_ours:
        raise UsageError(
            f"The entry {name!r} in {file.path} starts another server. "
            "Give ours another name with --name."
        )
    return found
