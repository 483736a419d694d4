r"""Match paths against the lines of a `.gitignore`, as `.blogignore`, MkDocs and Quarto have them.

A `\` is Windows' `/`; before a sign with a meaning it also takes that away, alone at the beginning.
Each `*` and `**` but the last is an atomic group, so that no pattern tries an earlier choice again.
"""

import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from functools import partial
from itertools import groupby
from typing import TypeAlias

Rules: TypeAlias = tuple[tuple[bool, re.Pattern[str]], ...]
"""Patterns of neighboring lines, the last first, and whether these lines leave out what they name.
A pattern matches the start of a path that it names, or whose folder it names."""

MOST = 100_000
"""Maximum cost of all lines: the characters of their patterns, and `GLOB` for each `*`. To read
them then takes a second at most, and a path a few milliseconds."""
GLOB = 100
_ANY = "**"
_FOLDERS = "(?:[^/]+/)*?"
_SIGN = re.compile(r"\[!?\]?[^\]]*\]|.", re.DOTALL)
_ESCAPED = re.compile(r"\\([][*?!# ])")
_unescape = partial(_ESCAPED.sub, lambda escaped: "!" if escaped[1] == "!" else f"[{escaped[1]}]")
_BRACES = re.compile(r"\{([^{}]*)\}")
MAX_BRACES = 64
"""Maximum number of patterns that the alternatives of one pattern make."""
_CHOICE = re.compile(r"(?:([?+*!])|@)\(([^()]*+)\)")


def write_rules(globs: Iterable[str], form: str, folder: str = "") -> Iterator[str]:
    """Yield the lines for globs of another program; what lines cannot say names more than it.

    None is of a glob that takes others back or that names all but Markdown, as `!(*.md)` does.
    A `form` that begins with `/` takes them as relative to `folder`, one with `**/` anywhere; in
    one that ends with `*` a `*` also stands for folders, as in `fnmatch` and `globset`.
    """
    above = re.compile(rf"^(?:(?:\./|/|\*\*/)?{re.escape(folder)}/|\./)")
    for glob in globs:
        plain = _CHOICE.sub(lambda m: "*" if m[1] else f"{{{m[2].replace('|', ',')}}}", glob)
        negated = glob.rpartition("!(")[2]
        is_of_others = "md" in negated != glob and negated.find(")") == len(negated) - 1
        is_none = is_of_others or re.match(r"!(?!\()", glob)
        for path in () if is_none else expand_braces(above.sub("", plain, 1)):
            path = re.sub(r"(?<![^/])\*(?!\*)", "**/*", path) if form.endswith("*") else path
            yield form.removesuffix("*") + path.lstrip("/")


def expand_braces(pattern: str) -> list[str]:
    """Return the patterns without `{a,b}` that a pattern stands for; too many become `**`."""
    patterns = [pattern]
    while group := next(filter(None, map(_BRACES.search, patterns)), None):
        start, end, parts = *group.span(), group[1].split(",")
        patterns.remove(group.string)
        patterns += [f"{group.string[:start]}{part}{group.string[end:]}" for part in parts]
        if len(patterns) > MAX_BRACES:
            return [_ANY]
    return patterns


def compile_rules(lines: Iterable[str]) -> Rules:
    """Read the lines. Raises ValueError for one that names nothing, and beyond `MOST`."""
    rules, room = list[tuple[bool, re.Pattern[str]]](), MOST
    for is_out, group in groupby(_read_lines(lines), key=lambda line: line[0]):
        patterns: dict[str, list[str]] = {"": [], _FOLDERS: []}
        for _, start, pattern in group:
            room -= len(pattern) + GLOB * pattern.count("[^/]*")
            if room < 0:
                raise ValueError("it names too much; name folders instead")
            patterns[start].append(pattern)
        parts = (f"{start}(?:{'|'.join(each)})" for start, each in patterns.items() if each)
        rules.append((is_out, re.compile("|".join(parts))))
    return tuple(reversed(rules))


def decide(rules: Rules, path: str) -> bool | None:
    """Return whether the last line that names a path leaves it out; `None` without one.

    A folder's path ends with `/`.
    """
    return next((is_out for is_out, pattern in rules if pattern.fullmatch(path)), None)


def leaves_out(rules: Rules, path: str) -> bool:
    """Return whether the last line that names a path, or a folder that it is in, leaves it out."""
    return next((is_out for is_out, pattern in rules if pattern.match(path)), False)


def _read_lines(lines: Iterable[str]) -> Iterator[tuple[bool, str, str]]:
    """Yield whether a line leaves out, and start and rest of its pattern. Raises ValueError."""
    for line in filter(None, map(str.rstrip, lines)):
        if line[0] == "#":
            continue
        text = line.removeprefix("!")
        begin = 2 * bool(_ESCAPED.match(text))
        for rest in {_unescape(text[begin:]), text[begin:]}:
            path = (_unescape(text[:begin]) + rest).replace("\\", "/").replace("[^", "[!")
            names = [name for name in path.split("/") if name]
            if not names:
                raise ValueError("a line names no file")
            if names[-1] == _ANY:
                names[-1] = "*"
            runs = [[*run] for is_any, run in groupby(names, _ANY.__eq__) if not is_any]
            *above, last = ("/".join(map(_write_name, run)) for run in runs)
            end = "/" if path.endswith("/") else r"(?:/|\Z)"
            if "/" not in path.rstrip("/") or (names[0] == _ANY and not above):
                yield text == line, _FOLDERS, last + end
                continue
            first = "" if names[0] == _ANY or not above else f"{above.pop(0)}/"
            middle = "".join(f"(?>{_FOLDERS}{run}/)" for run in above)
            is_below = len(runs) > 1
            yield text == line, "", first + middle + _FOLDERS * is_below + last + end


def _write_name(name: str) -> str:
    """Write the pattern of a name with globs; each `*` takes as little as it can."""
    pieces = [""]
    for sign in _SIGN.findall(name):
        if sign == "*":
            pieces.append("")
        else:
            is_glob = sign[0] in "?["
            pieces[-1] += f"(?!/){translate(sign)[:-2]}" if is_glob else re.escape(sign)
    first, *others = pieces
    if not others:
        return first
    middle = "".join(f"(?>[^/]*?{piece})" for piece in others[:-1])
    return f"{first or '(?=[^/])'}{middle}[^/]*{others[-1]}"
