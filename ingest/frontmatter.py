"""The text of a file comes in; its front matter as fields and its body as text go out.

Three forms are read: YAML between `---` lines (the last may be `...`), TOML between `+++` lines,
and a JSON object at the start of the file, as Hugo has them; blank space before is allowed.
Broken front matter costs the metadata, never the text. Where a leading `---` opens no mapping
it is a thematic break, and the whole text is body; so too where its first key is a sentence.

YAML is read as strings, lists and mappings alone: a title of `1.10`, `no`, `12:30` or
`2024-01-02` stays as written, no tag can build an object, and aliases stay shared, so they
cost no memory. Merge keys (`<<`) are not merged: nested ones grow without bound.
"""

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from yaml import BaseLoader as _Loader
else:
    _Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

MAX_CHARACTERS = 256 * 1024
"""Longest block read; front matter of real posts stays below 10,000 characters."""
MAX_DEPTH = 50
"""Deepest YAML nesting read: libyaml's composer recurses in C and overflows the stack at 60,000."""

_OPENING = re.compile(r"\s*(---|\+\+\+)[ \t]*(?:\n|\Z)")
_YAML_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_TOML_END = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)
_NAME = r"[\w$@.:/-]+(?: [\w$@.:/-]+){0,2}"
"""A field's name; a longer run of words before a colon is a sentence."""
_YAML_KEY = re.compile(rf"""\s*(?:\#.*\n\s*)*["']?{_NAME}["']?[ \t]*:(?:\s|\Z)""")
_JSON_OPENING = re.compile(r'\s*(?=\{\s*(?:"|\}))')
_REST_OF_LINE = re.compile(r"[ \t]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file in two: what is said about the post, and the post."""

    fields: dict[str, object]
    """Keys as written. YAML values are str, None, list and dict; TOML and JSON have their own."""
    body: str
    """The text after the block, from the line after its end."""
    first_line: int
    """Line of the file on which `body` begins, from 1."""
    problem: str | None = None
    """Why the fields could not be read, in a sentence, else `None`."""


class _WordsLoader(_Loader):
    """Reads every scalar as a string, except an empty one, `~` and `null`."""


_WordsLoader.add_implicit_resolver(
    "tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]
)
_WordsLoader.add_constructor("tag:yaml.org,2002:null", lambda _loader, _node: None)


def split(text: str) -> FrontMatter:
    """Take the front matter off a text whose lines end with LF. Never raises."""
    opening = _OPENING.match(text)
    if opening and opening[1] == "---":
        return _fenced(text, opening, _YAML_END, _yaml)
    if opening:
        return _fenced(text, opening, _TOML_END, _toml)
    if json_opening := _JSON_OPENING.match(text):
        return _json(text, json_opening.end())
    return _all_body(text)


def _fenced(
    text: str,
    opening: re.Match[str],
    end: re.Pattern[str],
    parse: Callable[[str], object],
) -> FrontMatter:
    closing = end.search(text, opening.end())
    clearly_fields = opening[1] == "+++" or bool(_YAML_KEY.match(text, opening.end()))
    if closing is None:
        return _all_body(text, "it is never closed" if clearly_fields else None)
    block = text[opening.end() : closing.start()]
    try:
        fields = parse(_at_line(text, opening.end()) + block) if block.strip() else {}
    except ValueError as error:
        if not clearly_fields:
            return _all_body(text)
        return _after(text, closing.end(), {}, str(error))
    if not isinstance(fields, dict) or not _named(fields):
        return _all_body(text)
    return _after(text, closing.end(), fields)


def _named(fields: dict[object, object]) -> bool:
    return not fields or re.fullmatch(_NAME, str(next(iter(fields)))) is not None


def _json(text: str, start: int) -> FrontMatter:
    try:
        fields, end = json.JSONDecoder().raw_decode(text, start)
    except RecursionError:
        return _all_body(text, "it is nested too deeply")
    except ValueError as error:
        return _all_body(text, str(error))
    if not _REST_OF_LINE.match(text, end):
        return _all_body(text)
    return _after(text, end, fields)


def _yaml(block: str) -> object:
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


def _check_depth(block: str) -> None:
    depth = 0
    for event in yaml.parse(block, _WordsLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise ValueError("it is nested too deeply")


def _toml(block: str) -> object:
    _check_size(block)
    try:
        return tomllib.loads(block)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _check_size(block: str) -> None:
    if len(block) > MAX_CHARACTERS:
        raise ValueError(f"it is longer than {MAX_CHARACTERS} characters")


def _at_line(text: str, position: int) -> str:
    """Blank lines that make a parser's line numbers those of the file."""
    return "\n" * text.count("\n", 0, position)


def _after(
    text: str, end: int, fields: dict[object, object], reason: str | None = None
) -> FrontMatter:
    start = text.find("\n", end) + 1 or len(text)
    keyed = {str(key): value for key, value in fields.items()}
    return FrontMatter(keyed, text[start:], text.count("\n", 0, start) + 1, _problem(reason))


def _all_body(text: str, reason: str | None = None) -> FrontMatter:
    return FrontMatter({}, text, 1, _problem(reason))


def _problem(reason: str | None) -> str | None:
    return f"its front matter cannot be read: {reason}" if reason else None
