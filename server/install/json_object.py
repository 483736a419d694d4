"""Where the members of a JSON object stand: a text and a place in, spans out.

The standard decoder tells where each key and value ends (`raw_decode`); between them valid
JSON has nothing but white space, colons and commas.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_DECODER = json.JSONDecoder()
_BETWEEN = re.compile(r"[ \t\r\n:,]*")


@dataclass(frozen=True, slots=True)
class Member:
    """One key with its value; places are offsets in characters."""

    key: str
    start: int
    """Of the key's quote."""
    value_start: int
    end: int
    """Just past the value."""
    value: Any


@dataclass(frozen=True, slots=True)
class JsonObject:
    """An object by the places of its braces and members."""

    start: int
    end: int
    """Of the closing brace."""
    members: tuple[Member, ...]

    def member(self, key: str) -> Member | None:
        """Find the member that counts: where a key stands twice, the last one."""
        return next((member for member in reversed(self.members) if member.key == key), None)

    def before(self, member: Member) -> Member | None:
        """Find the member that stands before this one."""
        place = self.members.index(member)
        return self.members[place - 1] if place else None


def object_at(plain: str, start: int) -> JsonObject:
    """Read the object that begins at `start` of the valid JSON `plain`.

    Raises ValueError if something else than an object stands there.
    """
    if plain[start] != "{":
        raise ValueError(f"what stands at {_line_and_column(plain, start)} is not an object")
    members = []
    place = skip(plain, start + 1)
    while plain[place] != "}":
        key, key_end = _DECODER.raw_decode(plain, place)
        value_start = skip(plain, key_end)
        value, end = _DECODER.raw_decode(plain, value_start)
        members.append(Member(key, place, value_start, end, value))
        place = skip(plain, end)
    return JsonObject(start, place, tuple(members))


def skip(plain: str, place: int) -> int:
    """Go on to where the next key, value or brace begins."""
    found = _BETWEEN.match(plain, place)
    return found.end() if found else place


def _line_and_column(text: str, place: int) -> str:
    line = text.count("\n", 0, place) + 1
    return f"line {line} column {place - text.rfind(chr(10), 0, place)}"
