r"""Match paths against the lines of a `.gitignore`, as in `.blogignore`, MkDocs and Quarto.

A `\` counts as Windows' `/`. Before a special sign it also counts as an escape, and at the start of
a line only as an escape. All lines form one automaton over the names of a path, since a server
walks its folder every few seconds. Names are looked up; only globs are tried one by one.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from fnmatch import translate
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from pydantic_core import SchemaValidator, core_schema

MAX_COST = 100_000
"""Maximum cost of all lines. A name costs 1, a glob costs GLOB_COST plus its characters. At the
maximum the automaton takes 20 MB, and matching a name of a path takes .3 ms."""
GLOB_COST = 100


class Rules(NamedTuple):
    """An automaton whose states are numbers; 0 is the state before the first name of a path."""

    edges: dict[tuple[int, str], int]
    """Next state by state and name (`/` is put before a glob); `ANY` is any number of folders."""
    globs: dict[int, list[tuple[Callable[[str], object], int]]]
    """Globs by state, each as a function that matches a name and the next state."""
    lines: dict[tuple[int, bool], int]
    """Number of the last line that ends at a state, keyed by the state and whether the line names
    only folders. The number is negative if the line begins with `!`."""


ANY = "/**"
_MAGIC = re.compile(r"[*?\[]")
_ESCAPED = re.compile(r"\\([][*?!# ])")
_unescape = partial(_ESCAPED.sub, lambda escaped: "!" if escaped[1] == "!" else f"[{escaped[1]}]")
_BRACES = re.compile(r"\{([^{}]*)\}")
MAX_BRACES = 64
"""Maximum number of patterns that one pattern expands to."""
_CHOICE = re.compile(r"(?:([?+*!])|@)\(([^()]*+)\)")


def compile_expressions(expressions: Iterable[str]) -> Callable[[str], bool]:
    """Return a linear-time search for any of the expressions in a text. Raises SchemaError."""
    pattern = "|".join(map("(?:{})".format, expressions)) or r"[^\s\S]"
    schema = core_schema.str_schema(pattern=pattern, regex_engine="rust-regex")
    return SchemaValidator(schema).isinstance_python


def write_rules(globs: Iterable[str], form: str, folder: str = "") -> Iterator[str]:
    """Yield lines for another program's globs; a line may name more files than its glob.

    A glob that re-includes files, or names all but Markdown (`!(*.md)`), gives no line. If `form`
    begins with `/`, globs are relative to `folder`; with `**/` they match anywhere. If `form` ends
    with `*`, a `*` also matches folders, as in `fnmatch` and `globset`.
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
    """Expand each `{a,b}` of a pattern; more than MAX_BRACES patterns become `**`."""
    patterns = [pattern]
    while group := next(filter(None, map(_BRACES.search, patterns)), None):
        start, end, parts = *group.span(), group[1].split(",")
        patterns.remove(group.string)
        patterns += [f"{group.string[:start]}{part}{group.string[end:]}" for part in parts]
        if len(patterns) > MAX_BRACES:
            return ["**"]
    return patterns


def compile_rules(lines: Iterable[str]) -> Rules:
    """Compile lines. Raises ValueError for a line that names no file, or above MAX_COST."""
    rules, room = Rules({}, {}, {}), MAX_COST
    for number, parts, is_folder in _read_rule_lines(lines):
        state = 0
        for part in parts:
            if (state, part) not in rules.edges:
                room -= GLOB_COST + len(part) if part[0] == "/" else 1
                if room < 0:
                    raise ValueError("it names too much; name folders instead")
                after = rules.edges[state, part] = len(rules.edges) + 1
                if part[0] == "/" and part != ANY:
                    match = re.compile(translate(part[1:])).match
                    rules.globs.setdefault(state, []).append((match, after))
            state = rules.edges[state, part]
        rules.lines[state, is_folder] = number
    return rules


def decide(rules: Rules, path: str) -> bool | None:
    """Whether the last line naming a path excludes it; `None` without one. Folders end with `/`."""
    line = _find_line(rules, path, is_above=False)
    return line > 0 if line else None


def leaves_out(rules: Rules, path: str) -> bool:
    """Return whether the last line that names a path or a folder above it excludes it."""
    return _find_line(rules, path, is_above=True) > 0


def _read_rule_lines(lines: Iterable[str]) -> Iterator[tuple[int, list[str], bool]]:
    """Yield each line's number (negative with `!`), parts and `is_folder`. Raises ValueError."""
    stripped = ((number, line.rstrip()) for number, line in enumerate(lines, 1))
    for number, line in ((number, line) for number, line in stripped if line and line[0] != "#"):
        text = line.removeprefix("!")
        begin = 2 * bool(_ESCAPED.match(text))
        for rest in {_unescape(text[begin:]), text[begin:]}:
            path = (_unescape(text[:begin]) + rest).replace("\\", "/").replace("[^", "[!")
            names = [part for part in path.split("/") if part]
            parts = [f"/{name}" if _MAGIC.search(name) else name for name in names]
            if not parts:
                raise ValueError("a line names no file")
            if "/" not in path.rstrip("/"):
                parts.insert(0, ANY)
            if parts[-1] == ANY:
                parts[-1] = "/*"
            once = [part for part, after in pairwise([*parts, ""]) if not part == after == ANY]
            yield number if text == line else -number, once, path.endswith("/")


def _find_line(rules: Rules, path: str, *, is_above: bool) -> int:
    """Return the last line that names a path or, with `is_above`, a folder above it; 0 if none."""
    states, anywhere, last = {0}, set[int](), 0
    names = path.strip("/").split("/")
    for at, name in enumerate(names, 1):
        anywhere |= {rules.edges[key] for state in states if (key := (state, ANY)) in rules.edges}
        before = states | anywhere
        states = {rules.edges[key] for state in before if (key := (state, name)) in rules.edges}
        globs = (glob for state in before for glob in rules.globs.get(state, ()))
        states |= {after for match, after in globs if match(name)}
        if is_above or at == len(names):
            kinds = {False, at < len(names) or path.endswith("/")}
            ends = (rules.lines.get((state, kind), 0) for state in states for kind in kinds)
            last = max((last, *ends), key=abs)
    return last
