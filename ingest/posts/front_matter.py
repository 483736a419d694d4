"""A file's bytes as text, and the text as front matter and body.

UTF-8 is kept even with a few bad bytes, because a post that is almost UTF-8 is UTF-8 that was
damaged. Others are known by a byte order mark, or guessed by the letters of each language. Text
stays verbatim but for three things: line endings become LF, a byte order mark is dropped, and NUL
becomes U+FFFD as CommonMark asks (2.3, insecure characters).

Of front matter are read YAML between `---` lines (the last may be `...`) or as Hexo has it with
the last of them alone, TOML between `+++` lines, a JSON object, and the language named behind the
first `---` as Eleventy has it. Where there is none, lines of `Name: value` up to a blank one, a
title among them, are read, as Pelican has them.

A field that cannot be read costs itself alone, and is read as the words of its line. Where a
leading `---` opens no mapping it is a thematic break, and the whole text is body; so too where its
first key is a sentence.

YAML is read as strings, lists and mappings alone: a title of `1.10`, `no`, `12:30` or
`2024-01-02` stays as written, and no tag can build an object. Merge keys (`<<`) are merged.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import yaml

from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.ingest.foreign_files import BOMS
from blog_search_mcp.ingest.posts.visibility import is_time, keeps_back

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
"""Bytes that text does not hold; tabs, line ends, form feeds and escapes (colors) are text."""
_MAX_CONTROLS = 8, 0.02
"""Maximum number of _CONTROL bytes in a text, plus a share of its bytes; images and archives have
above 5 %."""
_MAX_REPAIRS = 0.1
"""Maximum bad sequences for each good multi-byte character; Big5 read as UTF-8 has above 3."""
_GUESSED = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "iso8859-2"),
    *("iso8859-5", "iso8859-6", "iso8859-7", "iso8859-9", "koi8-r", "koi8-u", "cp850", "cp852"),
    *("cp866", "gb18030", "big5hkscs", "cp932", "euc_jis_2004", "cp949"),
)
"""Encodings that may be guessed, of a family of East Asia the superset that browsers use (WHATWG
Encoding): with all that chardet knows a short text is often of one that nobody writes."""
_NOT_ASCII = re.compile("[^\x00-\x7f\ufffd]")
_LINE_END = re.compile("\r\n?")


def decode(data: bytes) -> tuple[str, str, int]:
    """Return bytes as text, Python's name of its encoding, and how many characters are U+FFFD now.

    Lines end with LF. Raises UnreadablePost, with the reason, for what is no text.
    """
    for mark, encoding in BOMS:
        if data.startswith(mark):
            return _decode_as(data[len(mark) :], encoding)
    if len(_CONTROL.findall(data)) > _MAX_CONTROLS[0] + len(data) * _MAX_CONTROLS[1]:
        raise UnreadablePost(
            "it is not text but a binary file; rename it, or name it in a .blogignore"
        )
    text, encoding, repaired = _decode_as(data, "utf-8")
    if repaired <= len(_NOT_ASCII.findall(text)) * _MAX_REPAIRS + data.count(b"\0"):
        return text, encoding, repaired
    import chardet  # which a blog in UTF-8 need not wait for

    guess = chardet.detect(data, include_encodings=_GUESSED, compat_names=False)
    return _decode_as(data, guess["encoding"] or "cp1252")


def _decode_as(data: bytes, encoding: str) -> tuple[str, str, int]:
    text = data.decode(encoding, errors="replace").replace("\x00", "\ufffd")
    written = data.count("\ufffd".encode()) if encoding == "utf-8" else 0
    repaired = text.count("\ufffd") - written
    return _LINE_END.sub("\n", text.lstrip("\ufeff")), encoding, repaired


MAX_CHARACTERS = 256 * 1024
"""Maximum length of a block in characters; that of real posts stays below 10,000."""
MAX_ALIASES = 12
"""Maximum number of aliases in a block; nested, so many make 81 times the values written."""
MAX_DEPTH = 50
"""Maximum depth of nesting: libyaml's composer recurses in C and overflows the stack at 60,000."""

_BLOCK_START = re.compile(r"\s*(---|\+\+\+)(yaml|toml|json|js)?[ \t]*(?:\n|\Z)")
_BLOCK_END = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE),
    "+++": re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE),
}
_FIELD_NAME = r"[\w$@.:/-]+(?: [\w$@.:/-]+){0,2}"
"""A field's name; a longer run of words before a colon is a sentence."""
_YAML_KEY = re.compile(rf"""\s*(?:\#.*\n\s*)*["']?(?:{_FIELD_NAME}|<<)["']?[ \t]*:(?:\s|\Z)""")
_JSON_OPENING = re.compile(r'\s*(?=\{\s*(?:"|\}))')
_UNOPENED = re.compile(
    r"\s*(?=(?:title|layout|date|tags|categories|author):[ \t])"
    r"(?:[\w-]+:.*\n|[ \t]*- .*\n){2,}(?=---[ \t]*$)",
    re.MULTILINE,
)
"""Hexo's block without a first line; two lines at least, since one above `---` is a heading."""
_LOOSE = re.compile(
    r"(?:[A-Za-z][\w-]{0,40}::?[^:\n][^\n]*+\n?(?:(?: {4}|\t)[^\S\n]*+\S[^\n]*+\n?)*+"
    r"|[A-Za-z][\w-]{0,40}:\n)++(?=\s|\Z|---[ \t]*$)",
    re.MULTILINE,
)
_USUAL_NAMES = """title date created modified author authors tags aliases category categories
    description hide keywords slug status summary template"""
_USUAL = frozenset(_USUAL_NAMES.split())
"""Names of usual fields. A second block has at least one of them; a block without fences begins
with one and has a title or a second one."""
_LOOSE_FIELD = re.compile(r"^([A-Za-z][\w-]*)::?[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
"""Metadata without a fence, of Pelican, MkDocs and Logseq: lines up to a blank one, a value's
further ones indented (https://docs.getpelican.com/en/stable/content.html#file-metadata)."""
_PAIR = re.compile(
    r"(?:^|[{,])[ \t]*[\"']?([\w$-]+)[\"']?[ \t]*[:=][ \t]*([\"']?)([^\"'\n,;{}#]*)\2[ \t]*"
    r"(?=[,;}#]|$)",
    re.MULTILINE,
)
"""A field with a value of one line, whatever the language."""
_FIELD = re.compile(r"^(?=[^\s#\]}-])", re.MULTILINE)
"""Start of a field."""
_FIELD_WORDS = re.compile(
    r"[\"']?([\w$@][\w$@./-]{0,40}(?: [\w$@./-]{1,40}){0,2})[\"']?[ \t]*[:=][ \t]*(.{0,1000})$",
    re.MULTILINE,
)
_LIST_ITEM = re.compile(r"^[ \t]*-[ \t]+(.+)$", re.MULTILINE)
"""Name and words of a field, and an item of a list, whatever signs are in them."""
_DOTTED_KEY = re.compile(rf"(?<![\w.\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}")
"""A key of TOML of more than MAX_DEPTH parts: tomllib takes time and memory by their square, 3 GB
for 30,000."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Front matter and body of a file."""

    fields: dict[str, object]
    """Keys as written. YAML values are str, None, list and dict; TOML and JSON have their own."""
    body: str
    """The text after the block, from the line after its end."""
    first_line: int
    """Line of the file on which `body` begins, from 1."""
    problem: str | None = None
    """Reason why fields could not be read; `None` if all were read."""


def split_front_matter(text: str) -> FrontMatter:
    """Split a text whose lines end with LF into front matter and body. Never raises.

    A tool may have written a block above the author's. Then the second block's fields replace the
    first one's, except those that keep the post back.
    """
    front = _split_first(text)
    if front.first_line == 1 or not _BLOCK_START.match(front.body):
        return front
    below = _split_first(front.body)
    if _USUAL.isdisjoint(map(str.lower, below.fields)):
        return front
    kept = {name: value for name, value in front.fields.items() if keeps_back(name, value)}
    fields, line = front.fields | below.fields | kept, front.first_line + below.first_line - 1
    return FrontMatter(fields, below.body, line, front.problem or below.problem)


def _split_first(text: str) -> FrontMatter:
    if opening := _BLOCK_START.match(text):
        start, closing = opening.end(), _BLOCK_END[opening[1]].search(text, opening.end())
        language = opening[2] or ("toml" if opening[1] == "+++" else "yaml")
        is_certain = bool(opening[2]) or language == "toml" or bool(_YAML_KEY.match(text, start))
        if closing is not None:
            return _split_block(text, language, start, *closing.span(), is_certain=is_certain)
        return _salvage(text, "it is never closed") if is_certain else FrontMatter({}, text, 1)
    if unopened := _UNOPENED.match(text):
        return _split_block(text, "yaml", 0, unopened.end(), unopened.end(), is_certain=False)
    if json_opening := _JSON_OPENING.match(text):
        return _split_json(text, json_opening.end())
    if loose := _LOOSE.match(text):
        fields = {name: " ".join(value.split()) for name, value in _LOOSE_FIELD.findall(loose[0])}
        names = [*map(str.lower, fields)]
        is_page = names[0] in _USUAL and ("title" in names or len(_USUAL.intersection(names)) > 1)
        if (is_page and names[1:]) or loose[0].partition(" ")[0].endswith("::"):
            return _split_behind(text, loose.end() - 1, fields)
    return FrontMatter({}, text, 1)


def _split_block(
    text: str, language: str, start: int, end: int, after: int, *, is_certain: bool
) -> FrontMatter:
    """Read the fields of `text[start:end]`; the body begins on the line behind `after`.

    `is_certain` is whether the block can only be fields; otherwise it may be text.
    """
    block = text[start:end]
    above = "\n" * text.count("\n", 0, start)  # so that a parser counts the file's lines
    try:
        fields = parse_fields(above + block, language) if block.strip() else {}
    except ValueError as error:
        return _salvage(text, str(error), block, after, is_certain=is_certain)
    is_named = isinstance(fields, dict) and re.fullmatch(_FIELD_NAME, str(next(iter(fields), "x")))
    if isinstance(fields, dict) and (is_named or not start):
        return _split_behind(text, after, fields)
    return _salvage(text, "it is no list of fields", block, after, is_certain=False)


def _split_json(text: str, start: int) -> FrontMatter:
    try:
        fields, end = json.JSONDecoder().raw_decode(text, start)
    except (RecursionError, ValueError) as error:
        return _salvage(text, str(error))
    is_alone = not text[end:].partition("\n")[0].strip()
    return _split_behind(text, end, fields) if is_alone else FrontMatter({}, text, 1)


def parse_fields(block: str, language: str, loader: type[Any] | None = None) -> object:
    """Parse YAML, TOML or JSON, by default YAML as this module reads it.

    Raises ValueError, and what a `loader` raises.
    """
    if len(block) > MAX_CHARACTERS:
        raise ValueError(f"it is longer than {MAX_CHARACTERS} characters")
    try:
        if language == "json":
            return json.loads(block)
        if language != "toml":
            return _parse_yaml(block, loader or StringLoader)
        if _DOTTED_KEY.search(block):
            raise ValueError("it is nested too deeply")
        fields = tomllib.loads(block)
        repr(fields)  # raises ValueError for a number of more digits than Python writes
        return fields
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _parse_yaml(block: str, loader: type[Any]) -> object:
    try:
        _check_size(yaml.parse(block, loader))
        return yaml.load(block, loader)
    except yaml.MarkedYAMLError as error:
        line = f" (at line {error.problem_mark.line + 1})" if error.problem_mark else ""
        raise ValueError(f"{error.problem}{line}") from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise ValueError("it holds a character YAML does not allow") from error


def _check_size(events: Iterable[Any]) -> None:
    """Raise ValueError for too deep a nesting, or aliases that together make much of little."""
    depth = aliases = 0
    for event in events:
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        aliases += isinstance(event, yaml.AliasEvent)
        if depth > MAX_DEPTH or aliases > MAX_ALIASES:
            raise ValueError(f"it is nested too deeply, or has more than {MAX_ALIASES} aliases")


class StringLoader(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    """Reads every scalar as a string, except an empty one, `~` and `null`."""

    flatten_mapping = yaml.constructor.SafeConstructor.flatten_mapping

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Merge what `<<` names into the mapping."""
        self.flatten_mapping(node)
        merged: dict[Any, Any] = super().construct_mapping(node, deep)
        return merged


StringLoader.add_implicit_resolver(
    "tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]
)
StringLoader.add_constructor("tag:yaml.org,2002:null", lambda _loader, _node: None)
StringLoader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile("^<<$"), ["<"])


def _salvage(
    text: str, reason: str, block: str = "", after: int | None = None, *, is_certain: bool = True
) -> FrontMatter:
    """Read the valid fields of an invalid block, and those that keep the post back.

    `block` ends at `after`; without a block all is body and any line may be a field.
    """
    salvaged = salvage_fields(block or text[:MAX_CHARACTERS])
    kept_back = {name: value for name, value in salvaged.items() if keeps_back(name, value)}
    if not (kept_back or is_certain):
        return FrontMatter({}, text, 1)
    read = _read_apart(block, "toml" if text.startswith("+++") else "yaml") if is_certain else {}
    problem = f"{'a line of ' if read else ''}its front matter cannot be read: {reason}"
    problem += "; a line of it keeps the post back" if kept_back else ""
    return _split_behind(text, after, salvaged | read | kept_back, problem)


def _read_apart(block: str, language: str) -> dict[Any, object]:
    """Parse each field of a block by itself; an invalid one becomes the words of its line.

    Fields below a table of TOML belong to the table and are skipped.
    """
    fields: dict[Any, object] = {}
    parts = _FIELD.split(block) if len(block) <= MAX_CHARACTERS else []
    for part in takewhile(lambda part: not part.startswith("["), parts):
        parsed: object = None
        with suppress(ValueError):
            parsed = parse_fields(part.expandtabs(2), language)
        if isinstance(parsed, dict):
            fields |= parsed
        elif words := _FIELD_WORDS.match(part):
            items = [item.strip(" \"'") for item in _LIST_ITEM.findall(part)]
            value = words[2] if "]" in words[2] else words[2].lstrip("[")
            fields[words[1]] = value.strip(" \"'|>") or items
    return fields


def salvage_fields(text: str) -> dict[str, object]:
    """Find what may be fields that keep a post back or say when it is public, in any language.

    If a name occurs twice, a value that keeps the post back wins, else the first.
    """
    fields: dict[str, object] = {}
    for pair in _PAIR.finditer(text):
        name, value = pair[1], pair[3].strip()
        if keeps_back(name, value):
            fields[name] = value
        elif is_time(name):
            fields.setdefault(name, value)
    return fields


def _split_behind(
    text: str, after: int | None, fields: Mapping[Any, object], problem: str | None = None
) -> FrontMatter:
    """Make the body of the lines below `after`; `None` makes it of the whole text."""
    start = 0 if after is None else text.find("\n", after) + 1 or len(text)
    keyed = {str(key): value for key, value in fields.items()}
    return FrontMatter(keyed, text[start:], text.count("\n", 0, start) + 1, problem)
