"""Read, lay out and replace a client's settings file.

Where the path is a link, its target is what changes.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from blog_search_mcp.index.errors import ClientSettingsError
from blog_search_mcp.index.store.disk import read_regular
from blog_search_mcp.server.cli.files import replace_file

BACKUP = ".before-blog-search-mcp"
"""Ends the name of the copy beside the file: what was there before the last change."""
_LARGEST = 256 * 1024**2
"""Bytes of a file that is read: Claude Code keeps a history in its own."""
_BOM = "\ufeff"
"""Windows editors begin a file with it; JSON does not allow it."""
_COMMENT = re.compile(r'("(?:[^"\\]|\\.?)*+(?:"|\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.?)*+(?:"|\Z))|,(?=\s*[}\]])')


def strip_comments(text: str) -> str:
    """Blank out comments and trailing commas; every other character keeps its line and column."""
    for unwanted in (_COMMENT, _TRAILING_COMMA):
        text = unwanted.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)
    return text


def parse_settings(text: str) -> dict[str, Any]:
    """Return the object that `text` holds, an empty one for nothing. Raises ValueError."""
    root = json.loads(text) if text.strip() else {}
    if not isinstance(root, dict):
        raise ValueError("it is not a JSON object")
    return root


def format_settings(root: dict[str, Any], before: str) -> str:
    """Write `root` with the indent, escapes and line ends of the text `before`. Raises ValueError.

    A text that shows no indent gets two spaces, what the clients themselves write.
    """
    shown = re.search(r'^([ \t]+)"', before, re.MULTILINE)
    one_line = "\n" not in before.strip() and before.strip() not in {"", "{}"}
    text = json.dumps(
        root,
        indent=None if one_line else shown[1] if shown else "  ",
        ensure_ascii=before.isascii() and "\\u" in before,
        allow_nan=False,
    )
    end = before[len(before.rstrip()) :] if before.strip() else "\n"
    return (text.replace("\n", "\r\n") if "\r\n" in before else text) + end


def update_file(path: Path, edit: Callable[[str], str]) -> bool:
    """Replace the file's text by `edit` of it, and tell whether anything had to change.

    A file that is not there has an empty text; one that changed before it is replaced is read and
    edited anew. Raises ClientSettingsError, with the file as it was, if it cannot be read, parsed
    or written, and any BlogSearchError that `edit` raises.
    """
    try:
        before = _read(path)
        text = (before or b"").decode()
        bom = _BOM if text.startswith(_BOM) else ""
        after = (bom + edit(text.removeprefix(_BOM))).encode()
        if after == (before or b""):
            return False
        _write(path, before, after)
    except _Changed:
        return update_file(path, edit)
    except OSError as error:
        raise ClientSettingsError(
            f"{path} cannot be changed: {error.strerror}. Correct that and run this again."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ClientSettingsError(
            f"{path} cannot be used and was left as it is: {error}. Correct it and run this again."
        ) from error
    return True


class _Changed(Exception):
    """The file is no longer what was read."""


def read_settings_text(path: Path) -> str:
    """Read the file's text. Raises OSError, also for what is no file, or UnicodeError."""
    return read_regular(path, _LARGEST).decode("utf-8-sig")


def _read(path: Path) -> bytes | None:
    try:
        return read_regular(path, _LARGEST)
    except FileNotFoundError:
        return None


def _write(path: Path, before: bytes | None, after: bytes) -> None:
    """Write the file and, if there was one, its copy. Raises _Changed if it is not `before`."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)

    def keep_owner(written: Path) -> None:
        if before is not None:
            status = target.stat()
            if sys.platform != "win32":
                os.chown(written, status.st_uid, status.st_gid)
            written.chmod(stat.S_IMODE(status.st_mode))

    def finish(written: Path) -> None:
        if _read(path) != before:
            raise _Changed
        keep_owner(written)

    if before is not None:
        replace_file(path.with_name(path.name + BACKUP), before, keep_owner)
    replace_file(target, after, finish)
