r"""Lines of a `.gitignore`, as `.blogignore`, MkDocs and Quarto have them: which paths they name.

A `\` is Windows' `/`; before a sign with a meaning it also takes that away, alone at the beginning.
"""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple, TypeAlias


class Rule(NamedTuple):
    """One line."""

    parts: tuple[str, ...]
    """A glob of one name each; `**` stands for any number of folders."""
    is_folder: bool
    """Whether it names folders alone."""
    leaves_out: bool
    """Whether what it names is left out, or with `!` taken in again."""


Rules: TypeAlias = tuple[Rule, ...]

_ESCAPED = re.compile(r"\\([][*?!# ])")
_unescape = partial(_ESCAPED.sub, lambda escaped: "!" if escaped[1] == "!" else f"[{escaped[1]}]")


def compile_rules(lines: Iterable[str]) -> Rules:
    """Read the lines. Raises ValueError for one that names nothing."""
    stripped = (line.rstrip() for line in lines)
    kept = (line for line in stripped if line and line[0] != "#")
    return tuple(rule for line in kept for rule in _compile(line))


def decide(rules: Rules, *paths: str) -> bool | None:
    """Return whether the last rule that names one of the paths leaves it out; `None` without one.

    A folder's path ends with `/`.
    """
    naming = (rule for rule in reversed(rules) if any(_names(rule, path) for path in paths))
    return next((rule.leaves_out for rule in naming), None)


def leaves_out(rules: Rules, path: str) -> bool:
    """Return whether the last rule that names a path, or a folder that it is in, leaves it out."""
    ends = (at + 1 for at, letter in enumerate(path[:-1]) if letter == "/")
    return bool(decide(rules, *(path[:end] for end in (*ends, len(path)))))


def _compile(line: str) -> Iterator[Rule]:
    name = line.removeprefix("!")
    begin = 2 * bool(_ESCAPED.match(name))
    for rest in {_unescape(name[begin:]), name[begin:]}:
        path = (_unescape(name[:begin]) + rest).replace("\\", "/").replace("[^", "[!")
        parts = [part for part in path.split("/") if part]
        if not parts:
            raise ValueError("a line names no file")
        if "/" not in path.rstrip("/"):
            parts.insert(0, "**")
        if parts[-1] == "**":
            parts[-1] = "*"
        yield Rule(tuple(parts), path.endswith("/"), not line.startswith("!"))


def _names(rule: Rule, path: str) -> bool:
    if rule.is_folder and not path.endswith("/"):
        return False
    names = path.strip("/").split("/")
    reached = {0}  # how many of the names, from the first on, the parts may stand for
    for part in rule.parts:
        if part == "**":
            reached = {*range(min(reached, default=len(names) + 1), len(names) + 1)}
        else:
            inside = (at for at in reached if at < len(names))
            reached = {at + 1 for at in inside if fnmatchcase(names[at], part)}
    return len(names) in reached
