"""Decode a file, and split its text into front matter and body.

A file that is almost UTF-8 counts as damaged UTF-8. Other encodings are found by a byte order mark
or by the escapes of ISO 2022, else guessed from letter frequencies. Text stays verbatim, but line
endings become LF, a byte order mark is dropped, and NUL (CommonMark 2.3, insecure characters) and
invalid bytes become U+FFFD.

Front matter is a block in one of _FORMS, Pandoc's title block, Joplin's fields at the end, or lines
of `Name: value` (Pelican) or `.. name: value` (Nikola) of which the first has a usual name, or
lines of `name:: value` (Logseq), or MDX exports. It may follow comments (Quarto) or be in one.

The value of an invalid field is the text of its line; all other fields are read. A leading `---` is
a thematic break if no mapping follows or the first key is a sentence. Then the whole text is body.

YAML is read as strings, lists and mappings only. A title of `1.10`, `no`, `12:30` or `2024-01-02`
stays as written, and no tag can build an object. Merge keys (`<<`) are merged.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from textwrap import dedent
from typing import Any

import yaml

from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.ingest.foreign_files import BOMS
from blog_search_mcp.ingest.posts.paths import NAMES
from blog_search_mcp.ingest.posts.visibility import is_time, keeps_back

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
"""Bytes that do not occur in text. Tabs, line ends, form feeds and escapes (colors) do."""
_MAX_CONTROLS = 8, 0.02
"""Maximum _CONTROL bytes of a text: 8, plus 2 % of all its bytes. Images have over 5 %."""
_MAX_REPAIRS = 0.1
"""Maximum bad sequences per valid multi-byte character. Big5 read as UTF-8 has over 3."""
_GUESSED = tuple(NAMES["encodings"].split())
"""Encodings that may be guessed. Each East Asian family has only the superset that browsers use
(WHATWG). With all encodings of chardet, short texts are often taken for a rare one."""
_NOT_ASCII = re.compile("[^\x00-\x7f\ufffd]")
_LINE_END = re.compile("\r\n?")


def decode(data: bytes) -> tuple[str, str, int]:
    """Return the text, Python's name of its encoding, and the number of characters lost to U+FFFD.

    Lines end with LF. Raises UnreadablePost with the reason if the file is not text.
    """
    for mark, encoding in BOMS:
        if data.startswith(mark):
            return _decode_as(data[len(mark) :], encoding)
    for encoding in ("iso2022_jp_ext", "iso2022_kr") if b"\x1b$" in data else ():
        if not (shifted := _decode_as(data, encoding))[2]:
            return shifted
    if len(_CONTROL.findall(data)) > _MAX_CONTROLS[0] + len(data) * _MAX_CONTROLS[1]:
        raise UnreadablePost("it is a binary file; rename it, or name it in a .blogignore")
    text, encoding, repaired = _decode_as(data, "utf-8")
    if repaired <= len(_NOT_ASCII.findall(text)) * _MAX_REPAIRS + data.count(b"\0"):
        return text, encoding, repaired
    import chardet  # a blog in UTF-8 need not wait for this import

    guess = chardet.detect(data, include_encodings=_GUESSED, compat_names=False)
    return _decode_as(data, guess["encoding"] or "cp1252")


def _decode_as(data: bytes, encoding: str) -> tuple[str, str, int]:
    text = data.decode(encoding, errors="replace").replace("\x00", "\ufffd")
    written = data.count("\ufffd".encode()) if encoding == "utf-8" else 0
    repaired = text.count("\ufffd") - written
    return _LINE_END.sub("\n", text.lstrip("\ufeff")), encoding, repaired


MAX_CHARACTERS = 256 * 1024
"""Maximum characters of a block. Real posts have less than 10,000."""
MAX_ALIASES = 12
"""Maximum aliases in a block. Nested on 4 levels of three, 12 aliases repeat a value 81 times."""
MAX_DEPTH = 50
"""Maximum depth of nesting. libyaml's composer recurses in C and overflows the stack at 60,000."""
_END = r"[^\S\n]*+$"
_LAST = r"(?!\n[^\S\n]*+[\]}\"',])"
_UNOPENED = r"""\s*(?=(?:title|layout|date|tags|categories|author|published|id|permalink):[ \t])
    (?=(?:[\w-]+:.*\n|[ \t]*-[ ].*\n){2,}-{3,}"""
_EXPORT = r"""export\s++(?:const|let|var)\s++
    (?i:\w{0,20}meta(?:data)?|front_?matter|article|post|page|info|attributes)\b[^=\n]*+=\s*+(?:[\w.]++\(\s*+)?\{"""
_EXPORTED = rf"(?:(?!```|~~~|{_EXPORT})[^\n]*+\n)*+{_EXPORT}"
_FORMS = {
    "yaml": (
        rf"\s*-{{3,}}[ ]*(?P<language>ya?ml|toml|json|js|javascript)?{_END}",
        rf"^(?:-{{3,}}|\.{{3}}){_END}",
    ),
    "toml": (rf"\s*\+{{3,}}{_END}", rf"^\+{{3,}}{_END}"),
    "js": (rf"\s*;{{3,}}{_END}", rf"^;{{3,}}{_END}"),
    "yaml_": (rf"{_UNOPENED}{_END})", rf"^-+{_END}"),
    "js_": (rf'\s*(?="[\w-]++":(?:(?!;;;).++\n)++;{{3,}}{_END})', rf"^;{{3,}}{_END}"),
    "js__": (r'\s*\{(?=\s*["}])(?!.*\}[^\S\n]*\w)', rf"\}}{_END}{_LAST}"),
    "mdx": (_EXPORTED, rf"\}}[^\n{{}},]*+${_LAST}"),
}
"""Patterns of a block's opening (perhaps with its language) and closing. Keys are languages, with
`_` for further forms. Hexo's fences are three or more `-`, or `;` around the members of a JSON
object. The opening fence may be missing. In YAML the block must then begin with a usual field and
have two lines: one above `---` is a heading (https://github.com/hexojs/hexo-front-matter). MDX
exports an object, before any code. A whole JSON object needs no fence."""
_OPENING = re.compile("|".join(f"(?P<{form}>{_FORMS[form][0]})" for form in _FORMS), re.M | re.X)
_CLOSINGS = {form: re.compile(closing, re.M) for form, (_, closing) in _FORMS.items()}
_EXPORT_LINES = re.compile(r"(?:(?:import|export)\s[^\n]*+\n|[^\S\n]*+\n)++")
_EXPORTED_FIELD = re.compile(r"^export (?:const|let|var) (\w+) = ([^\n{}]+?);?$", re.MULTILINE)
"""An MDX export of one field, as `export const date = "1"` (https://mdxjs.com/docs/using-mdx/)."""
_COMMENT = re.compile(r"\s*+(?:<!--|\{/\*)((?:(?!-->|\*/\}).)*+)(?:-->|\*/\})", re.DOTALL)
_COMMENTS = re.compile(rf"(?:{_COMMENT.pattern})*+", re.DOTALL)
_FIELD_NAME = r"[\w$@.:/-]+(?: [\w$@.:/-]+){0,2}"
"""A field's name of up to three words. A longer run of words before a colon is a sentence."""
_YAML_KEY = re.compile(rf"""\s*(?:\#.*\n\s*)*["']?(?:{_FIELD_NAME}|<<)["']?[ \t]*:(?:\s|\Z)""")
_LOOSE = re.compile(
    r"(?m)(?:[^\S\n]*+\n)*+(?:(?:[ \t]*+\.\. )?[A-Za-z][\w-]{0,40}+(?: [\w-]{1,20}+){0,2}+"
    r"(?:::?[^:\n][^\n]*+\n?(?:(?: {4}|\t)[^\S\n]*+(?!\.\. )\S[^\n]*+\n?)*+|:\n))++"
    r"(?=[\s#<![]|\Z|---[ \t]*$)"
)
_USUAL = frozenset(NAMES["usual"].split())
"""Names of usual fields. A second block needs one of them. A block without fences must begin with a
title or have two of them; one that begins with `name:: value` may have any names."""
_LOOSE_FIELD = re.compile(r"(?m)^(?:[ \t]*\.\. )?(\w[\w -]*)::?(.*(?:\n[ \t]+(?!\.\. )\S.*)*)")
"""A field without a fence, as in Pelican, MkDocs, Logseq and Nikola. Later lines of a value are
indented (https://docs.getpelican.com/en/stable/content.html#file-metadata,
https://getnikola.com/handbook.html#metadata-fields)."""
_TITLE_LINE = r"%(?=\s)((?:[^\n]*+\n[ \t]++(?=\S))*+[^\n]*+)(?:\n|\Z)"
_TITLE_BLOCK = re.compile(
    r"(?=%)(?!(?s:.*)\n(?:(?:```|~~~|:::)\{\w|\([\w-]++\)=))"
    rf"{_TITLE_LINE}(?:{_TITLE_LINE})?(?:{_TITLE_LINE})?(?!%)(?=(\s*\# )?)"
)
"""Pandoc's title, authors and date (https://pandoc.org/MANUAL.html#extension-pandoc_title_block).
In MyST, or above a top heading, lines with `%` are comments."""
_JOPLIN = re.compile(r"id: ?[0-9a-f]{32}\n(?:[a-z_]+:[^\n]*+\n)*?type_: ?\d+")
"""Fields at the end of a note that Joplin syncs (packages/lib/models/BaseItem.ts, `serialize`)."""
_JOPLIN_FIELD = re.compile(
    r"(?m)^(created_time|author|is_\w+t|encr\w+ed|deleted\w+|type_): *+(?!0$)(.*)"
)
_NOT_YAML = re.compile(
    r"(?m)(?<![^\s,])//.*|\bnew Date\(|(?<=[\"'`])\)|(?<=\w:)(?=[\"'\[{])|(?<=: )!|\\'"
    r"|(?<=[:=] )`[^`]*`|`|^[ \t]*(?:const|let|var)[ \t]+(?P<name>\w+)[ \t]*=|;(?=[ \t]*$)"
)
_AS_YAML = {"`": "'", "\\'": "''", "!": "not ", ";": ","}
"""Replacements for JavaScript signs that _NOT_YAML matches. Signs without one become blanks."""
_PAIR = re.compile(
    r"(?:^|[{,])[ \t]*(?:(?:export[ \t]+)?(?:const|let|var)[ \t]+)?[\"']?([\w$-]+)[\"']?[ \t]*"
    r"[:=][ \t]*([\"']?)([^\"'\n,;{}#]*)\2[ \t]*(?=[,;}#]|$)",
    re.MULTILINE,
)
"""A field with a value on one line, in any syntax."""
_FIELD_START = re.compile(r"^(?=[^\s#\]}-])", re.MULTILINE)
_FIELD_WORDS = re.compile(
    r"[\"']?([\w$@][\w$@./-]{0,40}(?: [\w$@./-]{1,40}){0,2})[\"']?[ \t]*[:=][ \t]*(.{0,1000})$",
    re.MULTILINE,
)
_LIST_ITEM = re.compile(r"^[ \t]*-[ \t]+(.+)$", re.MULTILINE)
"""An item of a list, with any signs in its text."""
_DOTTED_KEY = re.compile(rf"(?<![\w.\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}")
"""A TOML key of more than MAX_DEPTH parts; tomllib needs 3 GB for one of 30,000."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Front matter and body of a file."""

    fields: dict[str, object]
    """Values by key as written. YAML gives str, None, list and dict; TOML and JSON their types."""
    body: str
    """Text from the line after the end of the block; for MDX exports, the whole text."""
    first_line: int
    """Line of the file on which `body` begins, from 1."""
    problem: str | None = None
    """Reason why fields could not be read; `None` if all were read."""


def split_front_matter(text: str) -> FrontMatter:
    """Split a text whose lines end with LF into front matter and body. Never raises.

    Tools may have written blocks above the author's. Then the author's fields replace the tools',
    except fields of the tools that keep the post back.
    """
    front = _split_first(text)
    for _ in range(3):
        above = _COMMENTS.match(front.body)
        is_block = above and front.first_line > 1 and _OPENING.match(front.body, above.end())
        below = _split_first(front.body) if is_block else FrontMatter({}, "", 1)
        if _USUAL.isdisjoint(map(str.lower, below.fields)):
            break
        kept = {name: value for name, value in front.fields.items() if keeps_back(name, value)}
        fields, line = front.fields | below.fields | kept, front.first_line + below.first_line - 1
        front = FrontMatter(fields, below.body, line, front.problem or below.problem)
    return front


def _split_first(text: str) -> FrontMatter:
    """Split off the block at the start of the text, in a comment there, or after comments."""
    at = 0
    for _ in range(8):  # at most eight comments
        # Empty lines replace the lines above, so that a parser counts the file's lines.
        if front := _split_form("\n" * text.count("\n", 0, at) + text[at:]):
            return front
        if not (comment := _COMMENT.match(text, at)):
            break
        at = comment.end()
        if inside := _split_form("\n" * text.count("\n", 0, comment.start(1)) + comment[1]):
            return _make_front_matter(text, at, inside.fields, inside.problem)
    return FrontMatter({}, text, 1)


def _split_form(text: str) -> FrontMatter | None:
    """Split off the block at the start, after empty lines; return `None` if there is none."""
    if "\ntype_:" in text[-40:] and (item := _split_joplin(text)):
        return item
    if opening := _OPENING.match(text):
        form, start, is_named = opening.lastgroup or "", opening.end(), bool(opening["language"])
        language = opening["language"] or form.rstrip("_")
        is_certain = is_named or language != "yaml" or bool(_YAML_KEY.match(text, start))
        if closing := _CLOSINGS[form].search(text, start):
            return _split_block(text, language, start, closing, is_certain=is_certain)
        return _salvage(text, "it is never closed", "", None, "", is_certain=is_certain)
    if loose := _LOOSE.match(text):
        fields = {name: " ".join(value.split()) for name, value in _LOOSE_FIELD.findall(loose[0])}
        names = [*map(str.lower, fields)]
        is_page = len(_USUAL.intersection(names)) > (names[0] != "title")
        if loose[0].lstrip().startswith(".. "):  # in Nikola these tags keep a post back
            tags = re.split(r"[,\s]+", fields.get("tags", "").lower())
            fields |= dict.fromkeys({"draft", "private"}.intersection(tags), "true")
        is_page = is_page and (len(names) > 1 or not text.startswith("---", loose.end()))
        if is_page or loose[0].partition(" ")[0].endswith("::"):
            return _make_front_matter(text, loose.end() - 1, fields)
    exports = _EXPORT_LINES.match(text)
    pairs = _EXPORTED_FIELD.findall(exports[0]) if exports else []
    if not _USUAL.isdisjoint(name.lower() for name, _ in pairs):
        return FrontMatter(_read_apart("\n".join(map(": ".join, pairs)), "mdx"), text, 1)
    if (block := _TITLE_BLOCK.match(text)) and (block[2] is not None or not block[4]):
        author = re.sub(r"\n[ \t]+", "; ", block[2] or "")
        values = (" ".join((words or "").split()) for words in (block[1], author, block[3]))
        titled = dict(zip(("title", "author", "date"), values, strict=True))
        return _make_front_matter(text, block.end() - 1, titled)
    return None


def _split_joplin(text: str) -> FrontMatter | None:
    """Split a note that Joplin syncs: title, text and fields, separated by blank lines."""
    head, _, tail = text.rstrip().rpartition("\n\n")
    if not _JOPLIN.fullmatch(tail):
        return None
    title, _, body = head.partition("\n")
    fields = dict(_JOPLIN_FIELD.findall(tail))
    return FrontMatter({"title": title, "joplin_type": fields.pop("type_", "0"), **fields}, body, 2)


def _split_block(
    text: str, language: str, start: int, closing: re.Match[str], *, is_certain: bool
) -> FrontMatter | None:
    """Read the fields between `start` and `closing`; the body begins on the next line.

    With `is_certain` the block can only be fields; without it, it may be body text.
    """
    block = text[start : closing.start()]
    after = None if language == "mdx" else closing.end()  # exports are cut from the body later
    above = "\n" * text.count("\n", 0, start)  # so that a parser counts the file's lines
    try:
        fields = parse_fields(above + block, language) if block.strip() else {}
    except ValueError as error:
        return _salvage(text, str(error), block, after, language, is_certain=is_certain)
    is_named = isinstance(fields, dict) and re.fullmatch(_FIELD_NAME, str(next(iter(fields), "x")))
    if isinstance(fields, dict) and (is_named or not start):
        return _make_front_matter(text, after, fields)
    return _salvage(text, "it is no list of fields", block, after, language, is_certain=False)


def parse_fields(block: str, language: str, loader: type[Any] | None = None) -> object:
    """Parse YAML (by `loader`), TOML, JSON or JS. Raises ValueError and the errors of `loader`."""
    if len(block) > MAX_CHARACTERS:
        raise ValueError(f"it is longer than {MAX_CHARACTERS} characters")
    try:
        if language == "json" and loader:  # a program's JSON is strict
            return json.loads(block)
        block = re.sub(r"[^\S\t\n]", " ", block)
        if language in ("json", "js", "javascript", "mdx"):
            block = block if block.lstrip().startswith("{") else f"{{{block}\n}}"
            with suppress(ValueError):
                return json.loads(block)
            block = _NOT_YAML.sub(_write_yaml, block)
        if language != "toml":
            return _parse_yaml(block, loader or StringLoader)
        if _DOTTED_KEY.search(block):
            raise ValueError("it is nested too deeply")
        fields = tomllib.loads(block)
        repr(fields)  # raises ValueError for a number with more digits than Python writes
        return fields
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _write_yaml(sign: re.Match[str]) -> str:
    if sign[0][1:].endswith("`"):
        return json.dumps(sign[0][1:-1])
    return f"{sign['name']}: " if sign["name"] else _AS_YAML.get(sign[0], " ")


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
    depth = aliases = 0
    for event in events:
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        aliases += isinstance(event, yaml.AliasEvent)
        if depth > MAX_DEPTH or aliases > MAX_ALIASES:
            raise ValueError(f"it is nested too deeply, or has more than {MAX_ALIASES} aliases")


class StringLoader(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    """YAML loader that reads each scalar as a string, except an empty one, `~` and `null`."""

    flatten_mapping = yaml.constructor.SafeConstructor.flatten_mapping

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Merge the mappings under `<<` into the mapping."""
        self.flatten_mapping(node)
        merged: dict[Any, Any] = super().construct_mapping(node, deep)
        return merged


StringLoader.add_implicit_resolver(
    "tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]
)
StringLoader.add_constructor("tag:yaml.org,2002:null", lambda _loader, _node: None)
StringLoader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile("^<<$"), ["<"])


def _salvage(
    text: str, reason: str, block: str, after: int | None, language: str, *, is_certain: bool
) -> FrontMatter | None:
    """Read an invalid block's valid fields; `None` if it may be body text and keeps no post back.

    `block` ends at `after`. If it is empty, all is body, and only `salvage_fields` reads the start.
    """
    salvaged = salvage_fields(block or text[:MAX_CHARACTERS])
    kept_back = {name: value for name, value in salvaged.items() if keeps_back(name, value)}
    if not (kept_back or is_certain):
        return None
    read = _read_apart(block, language) if is_certain else {}
    problem = f"{'a line of ' if read else ''}its front matter cannot be read: {reason}"
    problem += "; a line of it keeps the post back" if kept_back else ""
    return _make_front_matter(text, after, salvaged | read | kept_back, problem)


def _read_apart(block: str, language: str) -> dict[Any, object]:
    """Parse each field of a block by itself; an invalid one gets the text of its line as value.

    Fields below a TOML table belong to the table and are skipped.
    """
    fields: dict[Any, object] = {}
    if language in ("json", "js", "javascript", "mdx"):
        block = dedent(re.sub(r"\A\s*\{|\}\s*\Z", "", block).strip("\n"))
    parts = _FIELD_START.split(block) if len(block) <= MAX_CHARACTERS else []
    for part in takewhile(lambda part: not part.startswith("["), parts):
        parsed: object = None
        with suppress(ValueError):
            parsed = parse_fields(part.expandtabs(2), language)
        if isinstance(parsed, dict):
            fields |= parsed
        elif words := _FIELD_WORDS.match(part):
            items = [item.strip(" \"'") for item in _LIST_ITEM.findall(part)]
            value = re.sub(r"^\[([^\[\]]*)\]?$", r"\1", words[2])
            fields[words[1]] = value.strip(" \"'|>") or items
    return fields


def salvage_fields(text: str) -> dict[str, object]:
    """Find likely fields, in any syntax, that keep a post back or give its times.

    If a name occurs twice, a value that keeps the post back wins, else the first value.
    """
    fields: dict[str, object] = {}
    for pair in _PAIR.finditer(text):
        name, value = pair[1], pair[3].strip()
        if keeps_back(name, value):
            fields[name] = value
        elif is_time(name):
            fields.setdefault(name, value)
    return fields


def _make_front_matter(
    text: str, after: int | None, fields: Mapping[Any, object], problem: str | None = None
) -> FrontMatter:
    """Return front matter with the lines below `after` as body; `None` takes the whole text."""
    start = 0 if after is None else text.find("\n", after) + 1 or len(text)
    keyed = {str(key): value for key, value in fields.items()}
    return FrontMatter(keyed, text[start:], text.count("\n", 0, start) + 1, problem)
