"""What a content folder's author leaves out: names and `.blogignore` files in, yes or no out.

Hidden names and `node_modules` are never posts. A `.blogignore` (gitignore syntax, in any
folder) speaks for its folder and all below; the innermost one that knows a path decides.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from blog_search_mcp.index.content.read_file import LEAVES, cannot_read, read
from blog_search_mcp.index.errors import ContentError, UnreadablePost

IGNORE_FILE = ".blogignore"


@dataclass(frozen=True, slots=True)
class Ignores:
    """The `.blogignore` of one folder."""

    prefix: str
    """The folder's source with a `/` at the end, `""` for the content folder."""
    spec: GitIgnoreSpec


def ignores_in(root: Path, folder: Path, prefix: str) -> tuple[Ignores, ...]:
    """The folder's own, if it has any.

    Raises ContentError if it cannot be read: going on without it could publish what the author
    meant to keep out.
    """
    path = folder / IGNORE_FILE
    try:
        if not (path.exists() or path.is_symlink()):
            return ()
        text = read(_inside(root, path)).decode("utf-8-sig", "surrogateescape")
        return (Ignores(prefix, GitIgnoreSpec.from_lines(text.splitlines())),)
    except (OSError, RuntimeError) as error:
        raise _unusable(prefix, cannot_read(error)) from error
    except (UnreadablePost, ValueError, re.error) as error:
        raise _unusable(prefix, error) from error


def left_out(name: str, source: str, is_folder: bool, ignores: tuple[Ignores, ...]) -> bool:
    """Whether the author leaves it out; `ignores` are those that apply, outermost first."""
    if name.startswith(".") or name == "node_modules":
        return True
    path = source + "/" if is_folder else source
    for each in reversed(ignores):
        decision = each.spec.check_file(path[len(each.prefix) :]).include
        if decision is not None:
            return decision
    return False


def _inside(root: Path, path: Path) -> Path:
    if not path.is_symlink():
        return path
    target = path.resolve(strict=True)
    if not target.is_relative_to(root):
        raise UnreadablePost(LEAVES)
    return target


def _unusable(prefix: str, reason: object) -> ContentError:
    return ContentError(f"{prefix}{IGNORE_FILE} cannot be used: {reason}. Correct or delete it.")
