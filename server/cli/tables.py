"""One table of a TOML file, edited as text so that comments and all else stay."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from contextlib import suppress


def edit_table(text: str, key: str, name: str, fields: Mapping[str, object]) -> str:
    """Write the table `[key.name]` anew, none without fields; all other text stays.

    What stands in the file in another way stays too. Raises ValueError.
    """
    kept, is_inside = list[str](), False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            with suppress(ValueError):  # for a line of an array
                is_inside = name in tomllib.loads(line).get(key, ())
        kept += [] if is_inside else [line]
    if not fields:
        return "".join(kept)
    before = "".join(kept).rstrip()
    return f"{before}\n\n" * bool(before) + write_table(key, name, fields)


def write_table(key: str, name: str, fields: Mapping[str, object]) -> str:
    """Write the table `[key.name]`. Raises ValueError."""
    lines = (f"{word} = {_write_value(value)}\n" for word, value in fields.items())
    return f"[{key}.{json.dumps(name)}]\n{''.join(lines)}"


def _write_value(value: object) -> str:
    """Write a value on one line, a text as in JSON. Raises ValueError for a time."""
    if isinstance(value, dict):
        inner = (f"{json.dumps(word)} = {_write_value(each)}" for word, each in value.items())
        return f"{{ {', '.join(inner)} }}"
    if isinstance(value, str | bool | int | float | list):
        return json.dumps(value, ensure_ascii=False)
    raise ValueError(f"{value} cannot be rewritten")
