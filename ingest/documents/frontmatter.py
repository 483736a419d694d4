"""The text of a file comes in; its front matter as fields and its body as text go out.

Read are YAML between `---` lines (the last may be `...`), TOML between `+++` lines and a JSON
object at the start of the file, as Hugo has them; the language named behind the first `---`, as
Eleventy has it; and as Hexo has them JSON fields between `;;;` lines and YAML fields with only a
`---` after them. Blank space before is allowed.

Broken front matter costs the metadata, never the text, and keeps back what says that the post is
a draft. Where a leading `---` opens no mapping it is a thematic break, and the whole text is
body; so too where its first key is a sentence.

YAML is read as strings, lists and mappings alone: a title of `1.10`, `no`, `12:30` or
`2024-01-02` stays as written, no tag can build an object, and aliases stay shared, so they
cost no memory. Merge keys (`<<`) are not merged: nested ones grow without bound.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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


_OPENING = re.compile(r"\s*(---|\+\+\+|;;;)(yaml|toml|json)?[ \t]*(?:\n|\Z)")
_YAML_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_TOML_END = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)
_HEXO_END = re.compile(r"^;;;[ \t]*$", re.MULTILINE)
_NAME = r"[\w$@.:/-]+(?: [\w$@.:/-]+){0,2}"
"""A field's name; a longer run of words before a colon is a sentence."""
_YAML_KEY = re.compile(rf"""\s*(?:\#.*\n\s*)*["']?{_NAME}["']?[ \t]*:(?:\s|\Z)""")
_JSON_OPENING = re.compile(r'\s*(?=\{\s*(?:"|\}))')
_UNOPENED = re.compile(
    r"\s*(?=(?:title|layout|date|tags|categories|author):[ \t])"
    r"(?:[\w-]+:.*\n|[ \t]*- .*\n){2,}(?=---[ \t]*$)",
    re.MULTILINE,
)
"""Hexo's block without a first line; two lines at least, since one above `---` is a heading."""
_KEPT_BACK = re.compile(
    r"^[ \t]*[\"']?(?:draft[\"']?[ \t]*[:=][ \t]*[\"']?(?:true|yes|on|1)"
    r"|publish(?:ed)?[\"']?[ \t]*[:=][ \t]*[\"']?(?:false|no|off|0)"
    r"|status[\"']?[ \t]*[:=][ \t]*[\"']?(?:draft|private))[\"']?[ \t]*(?:,|\#.*)?$",
    re.MULTILINE | re.IGNORECASE,
)
_Parse: TypeAlias = Callable[[str], object]
_FENCES: dict[str, tuple[re.Pattern[str], _Parse]] = {
    "---": (_YAML_END, from_yaml),
    "+++": (_TOML_END, from_toml),
    ";;;": (_HEXO_END, from_json),
}
_LANGUAGES: dict[str | None, _Parse] = {
    "yaml": from_yaml,
    "toml": from_toml,
    "json": from_json,
}
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


def split(text: str) -> FrontMatter:
    """Take the front matter off a text whose lines end with LF. Never raises."""
    if opening := _OPENING.match(text):
        return _fenced(text, opening)
    if unopened := _UNOPENED.match(text):
        return _unopened(text, unopened.end())
    if json_opening := _JSON_OPENING.match(text):
        return _json(text, json_opening.end())
    return _all_body(text)


def _fenced(text: str, opening: re.Match[str]) -> FrontMatter:
    end, parse = _FENCES[opening[1]]
    parse = _LANGUAGES.get(opening[2], parse)
    closing = end.search(text, opening.end())
    clearly_fields = opening[1] != "---" or bool(opening[2] or _YAML_KEY.match(text, opening.end()))
    if closing is None:
        return _all_body(text, "it is never closed" if clearly_fields else None)
    block = text[opening.end() : closing.start()]
    try:
        fields = parse(_at_line(text, opening.end()) + block) if block.strip() else {}
    except ValueError as error:
        return _broken(text, block, closing.end(), str(error), clearly_fields)
    if not isinstance(fields, dict) or not _named(fields):
        return _broken(text, block, closing.end(), "it is no list of fields", False)
    return _after(text, closing.end(), fields)


def _broken(text: str, block: str, end: int, reason: str, clearly_fields: bool) -> FrontMatter:
    """Keep of a block that cannot be read what says that the post is not published."""
    kept = _kept_back(block)
    if kept or clearly_fields:
        return _after(text, end, kept, _with_draft(reason, kept))
    return _all_body(text)


def _kept_back(block: str) -> dict[object, object]:
    """Make a draft's field of a line that says so, `{}` if there is none."""
    return {"draft": True} if _KEPT_BACK.search(block) else {}


def _with_draft(reason: str, kept: Mapping[object, object]) -> str:
    return f"{reason}; a line of it makes the post a draft" if kept else reason


def _unopened(text: str, end: int) -> FrontMatter:
    block = text[:end]
    try:
        fields = from_yaml(block)
    except ValueError as error:
        return _broken(text, block, end, str(error), False)
    return _after(text, end, fields) if isinstance(fields, dict) else _all_body(text)


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
    """Leave all as body; where it tried to be front matter, any line of it can make a draft."""
    kept = _kept_back(text[:MAX_CHARACTERS]) if reason else {}
    fields = {str(key): value for key, value in kept.items()}
    return FrontMatter(fields, text, 1, _problem(_with_draft(reason, kept) if reason else None))


def _problem(reason: str | None) -> str | None:
    return f"its front matter cannot be read: {reason}" if reason else None
