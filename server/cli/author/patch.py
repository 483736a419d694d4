"""Write suggested links as a patch that `patch -p1` and `git apply` take in this folder."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.errors import ContentError
from blog_search_mcp.index.relations.linking.hrefs import Edit, put_links

if TYPE_CHECKING:
    from blog_search_mcp.server.tools.suggest_links import FoundLink


def write_patch(path: Path, links: Sequence[FoundLink]) -> str:
    """Return a unified diff that puts the links into a file. Raises ContentError.

    Paths in it are relative to the current folder for a file below it, else to the root.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ContentError(f"{path} cannot be patched: it cannot be read as UTF-8.") from error
    ends = "\r\n" if "\r\n" in text else "\n"
    edits = [
        Edit(each.suggestion.line, each.suggestion.column, each.suggestion.words, each.href)
        for each in links
    ]
    linked = put_links(text.replace("\r\n", "\n"), edits)
    if linked is None:
        raise ContentError(
            f"{path} has changed since it was indexed; `blog-ingest CONTENT --index INDEX` first."
        )
    name = _name(path)
    rows = difflib.unified_diff(
        _lines(text), _lines(linked.replace("\n", ends)), f"a/{name}", f"b/{name}"
    )
    return "".join(row if row.endswith("\n") else f"{row}\n{_NO_END}\n" for row in rows)


_NO_END = "\\ No newline at end of file"


def _lines(text: str) -> list[str]:
    """Split after each line feed alone, as patch does."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _name(path: Path) -> str:
    whole = path.resolve()
    here = Path.cwd()
    name = whole.relative_to(here if whole.is_relative_to(here) else whole.anchor).as_posix()
    return f"{name}\t" if " " in name else name
