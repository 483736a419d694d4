"""Coerce the values of front matter fields: to text, to one line, to the leaves of a list."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import TypeAlias

Fields: TypeAlias = Mapping[str, object]

_NAME_KEYS = ("label", "name", "title")
"""Keys under which a mapping names what it stands for."""


def normalize_names(fields: Fields) -> dict[str, object]:
    """Put fields under lower-case names without `_` or `-`: `publish_date` is `publishDate`."""
    return {re.sub(r"[_-]", "", name).lower(): value for name, value in fields.items()}


def first_text(known: Fields, names: Iterable[str]) -> str:
    """Return the first of the fields that holds words, `""` if none does."""
    return next(filter(None, (to_text(known.get(name)) for name in names)), "")


def to_text(value: object) -> str:
    """Make one line of text of any value: a list's items, or a mapping's name or first entry."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(filter(None, (to_line(item) for item in value if isinstance(item, str))))
    if isinstance(value, dict):
        key = next(filter(value.__contains__, (*_NAME_KEYS, *value)), "")
        entry = value.get(key)
        return to_line(entry if isinstance(entry, str) else str(key))
    return to_line(value.isoformat() if isinstance(value, date) else str(value))


def to_line(words: str) -> str:
    """Put words on one line, without control characters or halves of a surrogate pair."""
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
