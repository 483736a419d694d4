"""Decide which files the author leaves out.

Hidden names and `node_modules` are never posts. A `.blogignore` (gitignore syntax, in any
folder) applies to its folder and all below; the innermost one that matches a path decides.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from blog_search_mcp.index.content.read_file import LEAVES, describe_failure, read_file
from blog_search_mcp.index.errors import ContentError, UnreadablePost

IGNORE_FILE = ".blogignore"


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The `.blogignore` of one folder."""

    prefix: str
    """The folder's source with a `/` at the end, `""` for the content folder."""
    spec: GitIgnoreSpec


def read_ignore_file(root: Path, folder: Path, prefix: str) -> IgnoreFile | None:
    """Read the `.blogignore` of a folder, `None` if it has none.

    Raises ContentError if it cannot be read: going on without it could publish what the author
    meant to keep out.
    """
    path = folder / IGNORE_FILE
    try:
        if path.is_symlink():
            path = path.resolve(strict=True)
            if not path.is_relative_to(root):
                raise UnreadablePost(LEAVES)
        elif not path.exists():
            return None
        text = read_file(path).decode("utf-8-sig", "surrogateescape")
        return IgnoreFile(prefix, GitIgnoreSpec.from_lines(text.splitlines()))
    except (OSError, RuntimeError) as error:
        raise _unusable(prefix, describe_failure(error)) from error
    except (UnreadablePost, ValueError, re.error) as error:
        raise _unusable(prefix, error) from error


def is_ignored(name: str, source: str, is_folder: bool, ignores: tuple[IgnoreFile, ...]) -> bool:
    """Whether the author leaves it out; `ignores` are those that apply, outermost first."""
    if name.startswith(".") or name == "node_modules":
        return True
    path = source + "/" if is_folder else source
    for ignore in reversed(ignores):
        decision = ignore.spec.check_file(path[len(ignore.prefix) :]).include
        if decision is not None:
            return decision
    return False


def _unusable(prefix: str, reason: object) -> ContentError:
    return ContentError(f"{prefix}{IGNORE_FILE} cannot be used: {reason}. Correct or delete it.")
