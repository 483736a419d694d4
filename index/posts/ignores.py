"""Lines of a `.gitignore`, as `.blogignore`, MkDocs and Quarto have them: which paths they name.

Each line becomes a regular expression of atomic groups: whatever stands between two stars is
matched where it first fits, which is enough for a glob, so that the time grows with the length of
the path alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

_SIGN = re.compile(r"\\.|\[[!^]?[^\[\]]+\]|\*+|.", re.DOTALL)


class Rule(NamedTuple):
    """One line."""

    pattern: re.Pattern[str]
    leaves_out: bool
    """Whether what it names is left out, or with `!` taken in again."""


Rules: TypeAlias = tuple[Rule, ...]


def compile_rules(lines: Iterable[str]) -> Rules:
    """Compile the lines. Raises ValueError or re.error for one that is no rule."""
    stripped = (line.rstrip() for line in lines)
    return tuple(_compile(line) for line in stripped if line and line[0] != "#")


def decide(rules: Rules, path: str) -> bool | None:
    """Return whether a path is left out, by the last rule that names it; `None` if none does.

    A folder's path ends with `/`.
    """
    return next((rule.leaves_out for rule in reversed(rules) if rule.pattern.match(path)), None)


def leaves_out(rules: Rules, path: str) -> bool:
    """Return whether the last rule that names a path, or a folder that it is in, leaves it out."""
    ends = (at + 1 for at, letter in enumerate(path[:-1]) if letter == "/")
    places = [path[:end] for end in (*ends, len(path))]
    naming = (rule for rule in reversed(rules) if any(map(rule.pattern.match, places)))
    return next((rule.leaves_out for rule in naming), False)


def _compile(line: str) -> Rule:
    path = line.removeprefix("!")
    parts = [part for part in path.split("/") if part]
    if not parts:
        raise ValueError("a line names no file")
    if "/" not in path.rstrip("/"):
        parts.insert(0, "**")
    if parts[-1] == "**":
        parts[-1] = "*"
    expression, closing = "", ""
    for part, following in zip(parts, [*parts[1:], ""], strict=True):
        if part == "**":
            expression += f"{closing}(?>(?:[^/]++/)*?"
            closing = ")"
        else:
            between = "" if not following else "/"
            expression += f"(?=[^/]){_translate(part)}{between}"
    end = "/" if path.endswith("/") else "/?"
    return Rule(re.compile(f"{expression}{end}\\Z{closing}"), not line.startswith("!"))


def _translate(part: str) -> str:
    """Write one part between two `/`: pieces between stars, of which the last must end it."""
    pieces = [""]
    for sign in _SIGN.findall(part):
        if sign.startswith("*"):
            pieces.append("")
        else:
            pieces[-1] += _translate_sign(sign)
    first, *others = pieces
    if not others:
        return first
    return first + "".join(f"(?>[^/]*?{piece})" for piece in others[:-1]) + f"[^/]*{others[-1]}"


def _translate_sign(sign: str) -> str:
    if sign == "?":
        return "[^/]"
    if sign.startswith("[") and len(sign) > 1:
        letters = re.sub(r"([\\&~|])", r"\\\1", re.sub("^!", "^", sign[1:-1]))
        return f"(?!/)[{letters}]"
    if sign == "[":
        raise ValueError("a class of letters cannot be read")
    return re.escape(sign.removeprefix("\\") or sign)
