"""A front matter block comes in; its fields go out, or a sentence that says why not.

YAML is read as strings, lists and mappings alone: a title of `1.10`, `no`, `12:30` or
`2024-01-02` stays as written, no tag can build an object, and aliases stay shared, so they
cost no memory. Merge keys (`<<`) are not merged: nested ones grow without bound.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING, TypeAlias

import yaml

if TYPE_CHECKING:
    from yaml import BaseLoader as _Loader
else:
    _Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

MAX_CHARACTERS = 256 * 1024
"""Longest block read; front matter of real posts stays below 10,000 characters."""
MAX_DEPTH = 50
"""Deepest YAML nesting read: libyaml's composer recurses in C and overflows the stack at 60,000."""


class _WordsLoader(_Loader):
    """Reads every scalar as a string, except an empty one, `~` and `null`."""


_WordsLoader.add_implicit_resolver(
    "tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]
)
_WordsLoader.add_constructor("tag:yaml.org,2002:null", lambda _loader, _node: None)


def from_yaml(block: str) -> object:
    """Read YAML; scalars stay as written. Raises ValueError."""
    _check_size(block)
    try:
        _check_depth(block)
        return yaml.load(block, _WordsLoader)
    except yaml.MarkedYAMLError as error:
        line = f" (at line {error.problem_mark.line + 1})" if error.problem_mark else ""
        raise ValueError(f"{error.problem}{line}") from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise ValueError("it holds a character YAML does not allow") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def from_toml(block: str) -> object:
    """Read TOML with its own types. Raises ValueError."""
    _check_size(block)
    try:
        return tomllib.loads(block)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def from_json(block: str) -> object:
    """Read a JSON object, as Hexo has it without its braces. Raises ValueError."""
    _check_size(block)
    inner = block.strip().rstrip(",")
    try:
        return json.loads(inner if inner.startswith("{") else f"{{{inner}}}")
    except json.JSONDecodeError as error:
        raise ValueError(error.msg) from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _check_depth(block: str) -> None:
    depth = 0
    for event in yaml.parse(block, _WordsLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise ValueError("it is nested too deeply")


def _check_size(block: str) -> None:
    if len(block) > MAX_CHARACTERS:
        raise ValueError(f"it is longer than {MAX_CHARACTERS} characters")


Fields: TypeAlias = Mapping[str, object]

_CALLED = ("label", "name", "title")
"""Keys under which a mapping names what it stands for."""


def named(fields: Fields) -> dict[str, object]:
    """Fields under lower-case names without `_` or `-`: `publish_date` is `publishDate`."""
    return {re.sub(r"[_-]", "", name).lower(): value for name, value in fields.items()}


def first_text(known: Fields, names: Iterable[str]) -> str:
    """Give the first of the fields that holds words, `""` if none does."""
    return next(filter(None, (text(known.get(name)) for name in names)), "")


def text(value: object) -> str:
    """Make one line of text of any value: a list's items, or a mapping's name or first entry."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(filter(None, (line(item) for item in value if isinstance(item, str))))
    if isinstance(value, dict):
        key = next(filter(value.__contains__, (*_CALLED, *value)), "")
        entry = value.get(key)
        return line(entry if isinstance(entry, str) else str(key))
    return line(value.isoformat() if isinstance(value, date) else str(value))


def line(words: str) -> str:
    """Put text on one line, without control characters or halves of a surrogate pair."""
    shown = "".join(char if char.isprintable() or char > "\u007f" else " " for char in words)
    return " ".join(shown.encode("utf-8", "replace").decode().split())


def leaves(value: object) -> Iterator[object]:
    """Walk nested lists once each: a YAML alias repeats a list without repeating its cost."""
    waiting, seen = [value], set[int]()
    while waiting:
        item = waiting.pop()
        if not isinstance(item, list):
            yield item
        elif id(item) not in seen:
            seen.add(id(item))
            waiting.extend(reversed(item))
