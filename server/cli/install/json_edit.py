"""One change in a client's JSON text: text, path and value in, the text with that change out.

Every other character stays, comments and commas at the end with them. The parser reads a
copy in which those are blanked, so that its places are places in the text itself. No library
for it: those that keep comments in Python take all of JSON5, or run on Node.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

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


_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')


def strict(text: str) -> str:
    """Blank out comments and last commas."""
    return _blanked(_LAST_COMMA, without_comments(text))


def without_comments(text: str) -> str:
    """Blank out comments alone."""
    return _blanked(_COMMENT, text)


def _blanked(unwanted: re.Pattern[str], text: str) -> str:
    return unwanted.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)


_SPACE = " \t\r\n"
_INDENT = "  "
"""What the clients themselves write, for a text that shows no other."""


def with_value(text: str, path: Sequence[str], value: Any) -> str:
    """Set what stands at `path`, with the objects on the way that are missing.

    `text` is JSON, with comments or without, or nothing but comments and white space.
    Raises ValueError if something else than an object stands on the way.
    """
    plain, style = strict(text), _style(text)
    if not plain.strip(_SPACE):
        return _begun(text, style, _nested(path, value))
    holder, member, missing = _down(plain, path)
    if member is None:
        return _added(text, style, holder, missing[0], _nested(missing[1:], value))
    return text if member.value == value else _replaced(text, style, holder, member, value)


def without_member(text: str, path: Sequence[str]) -> str:
    """Take out the member at `path`; returns `text` itself if there is none.

    Raises ValueError if something else than an object stands on the way.
    """
    plain = strict(text)
    if not plain.strip(_SPACE):
        return text
    holder, member, _ = _down(plain, path)
    return text if member is None else _removed(text, holder, member)


def _down(plain: str, path: Sequence[str]) -> tuple[JsonObject, Member | None, Sequence[str]]:
    """Go down as far as there are members: the last object, its member, what is left of `path`."""
    holder = object_at(plain, skip(plain, 0))
    for depth, key in enumerate(path[:-1]):
        member = holder.member(key)
        if member is None:
            return holder, None, path[depth:]
        holder = object_at(plain, member.value_start)
    return holder, holder.member(path[-1]), path[-1:]


@dataclass(frozen=True, slots=True)
class _Edit:
    """What comes in the place of `text[start:end]`."""

    start: int
    end: int
    written: str = ""


@dataclass(frozen=True, slots=True)
class _Style:
    """How the author lays the text out."""

    newline: str
    indent: str
    """Of one level."""

    def written(self, value: Any, indent: str | None) -> str:
        """Lay out a value whose line is indented by `indent`; `None` keeps it on one line."""
        if indent is None:
            return json.dumps(value, ensure_ascii=False)
        lines = json.dumps(value, ensure_ascii=False, indent=self.indent)
        return lines.replace("\n", self.newline + indent)


def _style(text: str) -> _Style:
    shown = re.search(r'^([ \t]+)"', text, re.MULTILINE)
    return _Style("\r\n" if "\r\n" in text else "\n", shown[1] if shown else _INDENT)


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _begun(text: str, style: _Style, value: Any) -> str:
    """Write the first value below whatever comments there are."""
    comments = text if text.strip(_SPACE) else ""
    gap = style.newline if comments and not comments.endswith("\n") else ""
    return comments + gap + style.written(value, "") + style.newline


def _added(text: str, style: _Style, holder: JsonObject, key: str, value: Any) -> str:
    """Put a new member last, below whatever comment stands there, with a comma as the others."""
    last = holder.members[-1] if holder.members else None
    comma = "," if last and "," in without_comments(text)[last.end : holder.end] else ""
    tail, outer = len(text[: holder.end].rstrip(_SPACE)), _indent(text, holder.start)
    if last and _is_one_line(text, holder):
        indent, before, after = None, " ", ""
    else:
        indent = _indent(text, last.start) if last else outer + style.indent
        before = style.newline + indent
        after = "" if "\n" in text[tail : holder.end] else style.newline + outer
    quoted = json.dumps(key, ensure_ascii=False)
    written = f"{before}{quoted}: {style.written(value, indent)}{comma}{after}"
    commas = [_Edit(last.end, last.end, ",")] if last and not comma else []
    return _edited(text, *commas, _Edit(tail, tail, written))


def _replaced(text: str, style: _Style, holder: JsonObject, member: Member, value: Any) -> str:
    indent = None if _is_one_line(text, holder) else _indent(text, member.start)
    return _edited(text, _Edit(member.value_start, member.end, style.written(value, indent)))


def _removed(text: str, holder: JsonObject, member: Member) -> str:
    comma = _comma_of(text, holder, member)
    start, end = _lines_of(text, member, comma)
    if not (text[holder.start + 1 : start] + text[end : holder.end]).strip(_SPACE):
        start, end = holder.start + 1, holder.end
    commas = [] if comma is None or start <= comma < end else [_Edit(comma, comma + 1)]
    return _edited(text, *commas, _Edit(start, end))


def _lines_of(text: str, member: Member, comma: int | None) -> tuple[int, int]:
    """Say what to cut: the member to its comma, with its lines if nothing else is on them."""
    start, end = len(text[: member.start].rstrip(_SPACE)), member.end
    if comma is not None and comma >= end and not text[end:comma].strip(_SPACE):
        end = comma + 1
    behind = text[end:].partition("\n")[0]
    if behind.strip(_SPACE) and "\n" in text[start : member.start]:
        # What stands behind must not join a line that may end in a comment.
        return member.start, end + len(behind) - len(behind.lstrip(" \t"))
    return start, end


def _comma_of(text: str, holder: JsonObject, member: Member) -> int | None:
    """Find the comma that goes with the member: the one after it, else the one before."""
    bare = without_comments(text)
    after = bare.find(",", member.end, skip(bare, member.end))
    earlier = holder.before(member)
    if after >= 0 or earlier is None:
        return after if after >= 0 else None
    return bare.find(",", earlier.end, member.start)


def _edited(text: str, *edits: _Edit) -> str:
    parts, place = [], 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        parts += [text[place : edit.start], edit.written]
        place = edit.end
    return "".join([*parts, text[place:]])


def _is_one_line(text: str, holder: JsonObject) -> bool:
    return "\n" not in text[holder.start : holder.end]


def _indent(text: str, place: int) -> str:
    """Give what the line of `place` begins with."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]
