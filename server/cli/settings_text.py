"""Change one entry in the text of a settings file (JSON or TOML); all other text stays as it is."""

import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

_TOKEN = re.compile(r"[^\s,:]")
_decode = json.JSONDecoder().raw_decode


def _list_members(text: str, begin: int) -> Iterator[tuple[str, int, int, int]]:
    """Yield name, begin, begin of the value and end of each member of the object at `begin`.

    The closing bracket is the last one, without a name.
    """
    at = next(_TOKEN.finditer(text, begin + 1)).start()
    while text[at] == '"':
        name, end = _decode(text, at)
        value = next(_TOKEN.finditer(text, end)).start()
        _, end = _decode(text, value)
        yield name, at, value, end
        at = next(_TOKEN.finditer(text, end)).start()
    yield "", at, at, at


def replace_in_json(text: str, field: str, name: str, fields: dict[str, Any]) -> str:
    """Return JSON with `fields` as the member `name` of its object `field`, or without that member.

    Raises ValueError if one of the names is there twice.
    """
    text = text if text.strip() else "{}\n"
    unit = re.search(r'^([ \t]+)"', text, re.MULTILINE)
    step = unit[1] if unit else "  "
    begin, value, indent = text.index("{"), {name: fields}, step
    inner = [at for word, _, at, _ in _list_members(text, begin) if word == field]
    if len(inner) == 1 and text[inner[0]] == "{":
        begin, field, value, indent = inner[0], name, fields, 2 * step
    *members, (_, close, _, _) = _list_members(text, begin)
    own = [place for place, member in enumerate(members) if member[0] == field]
    if len(own) > 1:
        raise ValueError(f"{field!r} stands in it twice")
    starts, ends = [at for _, at, _, _ in members], [begin + 1, *(end for *_, end in members)]
    if own and not value:
        is_last = own[0] == len(members) - 1
        first, end = (ends[own[0]], ends[-1]) if is_last else starts[own[0] : own[0] + 2]
        return text[:first] + text[close if is_last and not own[0] else end :]
    line_end = "\r\n" if "\r\n" in text else "\n"
    dumped = json.dumps(value, indent=step, ensure_ascii=False, allow_nan=False)
    dumped = dumped.replace("\n", line_end + indent)
    if own:
        return text[: members[own[0]][2]] + dumped + text[ends[own[0] + 1] :]
    line = f"{line_end}{indent}{json.dumps(field, ensure_ascii=False)}: {dumped}"
    rest = text[ends[-1] :] if members else line_end + indent[len(step) :] + text[close:]
    return f"{text[: ends[-1]]}{',' if members else ''}{line}{rest}"


def replace_in_toml(text: str, field: str, name: str, fields: dict[str, Any]) -> str:
    """Return TOML without the table `field.name`, with a new one, if any, at the end.

    Comments stay, and so does an entry that is written as an inline or dotted table.
    """
    kept, loose, is_inside = list[str](), list[str](), False
    for line in text.split("\n"):
        if line.strip()[:1] in ("", "#"):
            loose.append(line)
            continue
        if line.lstrip().startswith("["):
            with suppress(ValueError):  # a line of an array is no TOML document
                is_inside = name in tomllib.loads(line.strip()).get(field, ())
        kept += filter(str.strip, loose) if is_inside else loose
        kept += [] if is_inside else [line]
        loose = []
    text = "\n".join(kept + loose)
    if not fields:
        return text
    gap = "\n" * (2 - text.endswith("\n")) if text.strip() else ""
    table = gap + format_table(field, name, fields)
    return text + (table.replace("\n", "\r\n") if "\r\n" in text else table)


def format_table(field: str, name: str, fields: dict[str, Any]) -> str:
    """Return the table of an entry in TOML. Raises TypeError for a date."""
    lines = (f"{word} = {_format_value(value)}\n" for word, value in fields.items())
    return f"[{field}.{json.dumps(name)}]\n{''.join(lines)}"


def _format_value(value: object) -> str:
    """Return a TOML value on one line. Values except tables look as in JSON. Raises TypeError."""
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    inner = (f"{json.dumps(word)} = {_format_value(value[word])}" for word in value)
    return f"{{ {', '.join(inner)} }}"
