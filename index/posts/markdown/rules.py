"""Rules for what site generators and editors add to Markdown: how it begins and what replaces it.

`index.posts.markdown.parser` applies them all in one pass, outside code, and the leftmost wins.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
"""Noncharacters that stand for braces which are text, until every rule has been applied."""

Reader: TypeAlias = Callable[[re.Match[str]], tuple[str, int] | None]
"""Returns the Markdown of what a reader sees of a piece of syntax whose beginning was matched, and
where the piece ends in the text; `None` if it is no such syntax after all."""


class Rule(NamedTuple):
    """One kind of syntax."""

    opening: str
    """Regular expression, multi-line; its groups are named, and named once in all rules."""
    read: Reader


_ARGUMENT = re.compile(
    r"(?<![\w-])(?:title|caption|alt|label|summary|description|content)=\{?(?:\"([^\"]*)\"|'([^']*)'|`([^`$]*)`)",
    re.IGNORECASE,
)


def printed_arguments(source: str) -> str:
    """Join the arguments of a shortcode or component that generators print."""
    found = _ARGUMENT.finditer(source)
    return " ".join(filter(None, (argument[argument.lastindex or 0] for argument in found)))


def _pad(words: str) -> str:
    return f" {words} " if words else ""


def protect_braces(source: str) -> str:
    """Mark braces as text, so that no rule takes them for syntax."""
    return source.replace("{", _OPEN).replace("}", _CLOSE)


def restore_braces(words: str) -> str:
    """Undo `protect_braces`."""
    return words.replace(_OPEN, "{").replace(_CLOSE, "}")


def _drop(match: re.Match[str]) -> tuple[str, int]:
    return "", match.end()


def _component(tag: re.Match[str]) -> tuple[str, int]:
    return _pad(printed_arguments(tag[0])), tag.end()


def _drop_until(closing: str) -> Reader:
    """Make a reader that drops all up to what closes the syntax."""
    pattern = re.compile(closing)

    def read(opening: re.Match[str]) -> tuple[str, int] | None:
        end = _find_closing(opening, pattern)
        return ("", end.end()) if end else None

    return read


def _find_closing(match: re.Match[str], closing: re.Pattern[str]) -> re.Match[str] | None:
    """Find what closes a beginning, which is not looked for behind the last that there is."""
    if match.end() > _find_last(match.string, closing):
        return None
    return closing.search(match.string, match.end())


@lru_cache(maxsize=8)
def _find_last(text: str, closing: re.Pattern[str]) -> int:
    return max((end.start() for end in closing.finditer(text)), default=-1)


def _admonition(mark: re.Match[str]) -> tuple[str, int]:
    title = (mark["label"] or mark["rest"] or printed_arguments(mark[0])).strip()
    return _title_line(mark["indent"], title), mark.end()


def _callout(mark: re.Match[str]) -> tuple[str, int]:
    return _title_line(mark["quote"], mark["callout_title"].strip()), mark.end()


def _title_line(indent: str, title: str) -> str:
    return f"{indent}\n{indent}{title}\n{indent}" if title else indent


_ADMONITIONS = (
    Rule(
        r"^(?P<indent>[ \t>]*+)::++ *+(?:\{[^{}\n]*+\}|[\w-]*+)(?:\{[^{}\n]*+\})?"
        r"(?:\[(?P<label>[^\n]*)\](?:\{[^{}\n]*+\})?|(?P<rest>[^\n{}]*+))"
        r"(?:\{[^{}\n]*+\})?[ \t]*+$",
        _admonition,
    ),
    Rule(
        r"^(?P<quote>[ \t>]*> ?)\[![\w-]+(?:\|[^\[\]\n]*)?\][+-]?(?P<callout_title>[^\n]*)$",
        _callout,
    ),
    Rule(r"(?<![\w%])%%(?=[^%])(?:[^%]|%(?!%))*+%%(?![\w%])", _drop),
)

_DEPTH = 4
"""Braces in braces that are read; a style or a callback in a tag has two or three."""


def _braced(depth: int) -> str:
    inner = rf"|{_braced(depth - 1)}" if depth else ""
    return rf"\{{(?:[^{{}}]++{inner})*+\}}"


_BRACED = _braced(_DEPTH)
_PLAIN_ATTRIBUTES = r"(?:\"[^\"<]*\"|'[^'<]*'|[^<>{}\"'])*+"
_ATTRIBUTES = rf"(?:\"[^\"<]*\"|'[^'<]*'|{_BRACED}|[^<>{{}}\"'])*+"

_MDX = re.compile(
    r"^ {0,3}</?[A-Z][\w.]*(?=[\s/>])|^import\s[^\n]*[\"'];?[ \t]*$|^export (?:const|default) ",
    re.MULTILINE,
)


def looks_like_mdx(markdown: str) -> bool:
    """Whether a passage holds components, imports or exports at the start of a line."""
    return _MDX.search(markdown) is not None


LONGEST_EXPORT = 20_000
"""Characters of an export in which the line that closes its bracket is looked for."""
_LEFT_OPEN = re.compile(r".*[(\[{][ \t]*$", re.MULTILINE)
_CLOSED = re.compile(r"\n[)\]}][^\n]*")
_EXPORT_END = re.compile(r"(?=\n\n|\nexport\s)|\Z")


def _export(opening: re.Match[str]) -> tuple[str, int]:
    """Drop all up to the line that closes an open bracket, else a blank line or another export."""
    text, at = opening.string, opening.end() - 1
    is_open = _LEFT_OPEN.match(text, at)
    closed = _CLOSED.search(text, at, at + LONGEST_EXPORT) if is_open else None
    end = closed or _EXPORT_END.search(text, at)
    return "", end.end() if end else opening.end()


_COMPONENTS = (
    Rule(r"\{(?:' '|\" \")\}", lambda space: (" ", space.end())),
    Rule(r"\{/\*", _drop_until(r"\*/\}")),
    Rule(r"<script(?=[\s>])[^<>]*>", _drop_until("</script>")),
    Rule(r"<style(?=[\s>])[^<>]*>", _drop_until("</style>")),
    Rule(
        r"^import\s++(?:type\s++)?(?:[\w*{}\s,$]{1,300}?\sfrom\s++)?"
        r"[\"'][^\"'\n]+[\"'];?[ \t]*(?://[^\n]*)?$",
        _drop,
    ),
    Rule(
        r"^export\s++(?:(?:const|let|var)\s++[\w${}\[\], ]++="
        r"|(?:default\s+)?(?:async\s+)?function\b"
        r"|default\s+(?:\w+;?[ \t]*$|[({]|class\b)|class\s+\w+|\{[^\n]*\}|\*\s+from\s)",
        _export,
    ),
    Rule(rf"</?[A-Z][\w.]*(?=[\s/>]){_ATTRIBUTES}>|(?<!\]: )</?>", _component),
    Rule(rf"<[a-z][\w-]*\s{_PLAIN_ATTRIBUTES}(?<==){_BRACED}{_ATTRIBUTES}>", _component),
)

_LIQUID = re.compile(r"\{%-?\s*+(\w*+)\s*+([^{}]*+)")
_LIQUID_END = {
    name: re.compile(rf"\{{%-?\s*end{name}\s*-?%\}}") for name in ("comment", "raw", "verbatim")
}


def _liquid(tag: re.Match[str]) -> tuple[str, int]:
    """Read a tag; with an end, raw text stays as it is and a comment goes."""
    parts = _LIQUID.fullmatch(tag[0][:-2].removesuffix("-").rstrip())
    name, arguments = parts.groups() if parts else ("", "")
    if name not in _LIQUID_END or not (end := _find_closing(tag, _LIQUID_END[name])):
        return _liquid_words(name, arguments), tag.end()
    inner = "" if name == "comment" else tag.string[tag.end() : end.start()]
    return protect_braces(inner), end.end()


def _liquid_words(name: str, arguments: str) -> str:
    if name in ("blockquote", "quote", "pullquote") and "=" not in arguments:
        return " ".join(word for word in arguments.split() if "://" not in word)
    if name in ("post_link", "asset_link"):
        return arguments.partition(" ")[2].strip("'\" ")
    return _pad(printed_arguments(arguments))


_POSITIONAL = re.compile(r"(?<=\s)\"(?=[^\"=/\s]*+\s)([^\"=/]*+)\"(?=\s|$)")
"""A quoted argument of several words is read by people; one word is an id or an option."""


def _shortcode(tag: re.Match[str]) -> tuple[str, int]:
    words = [printed_arguments(tag[0]), *_POSITIONAL.findall(tag[0][3:-3])]
    return _pad(" ".join(filter(None, words))), tag.end()


def _escaped(tag: re.Match[str]) -> tuple[str, int]:
    return protect_braces(f"{tag['opens']} {tag['shown'].strip()} {tag['closes']}"), tag.end()


def _quoted(tag: re.Match[str]) -> tuple[str, int]:
    return protect_braces(tag["raw_words"] or tag["raw_lines"] or ""), tag.end()


_IN_OUTPUT = r"(?:[^{}\n]|\n(?![ \t]*\n))*+"
"""Output is looked for in one paragraph: two braces in prose may be far apart."""

_SHORTCODES = (
    Rule(
        r"(?P<opens>\{\{[<%]?|\{%)\s*/\*(?P<shown>(?:[^*{]|\*(?!/)|\{(?!(?:\{[<%]?|%)\s*/\*))*+)\*/"
        r"\s*(?P<closes>[>%]?\}\}|%\})",
        _escaped,
    ),
    Rule(r"\{\{[<%](?:[^>%{]|[>%](?!\}\})|\{(?!\{[<%]))*+[>%]\}\}", _shortcode),
    Rule(r"\{%(?:[^%{]|%(?!\})|\{(?!%))*+%\}", _liquid),
    Rule(r"\{\{ *raw +(?:\"(?P<raw_words>[^\"{}]*)\"|`(?P<raw_lines>[^`]*)`)\s*\}\}", _quoted),
    Rule(rf"\{{\{{(?![<%]){_IN_OUTPUT}(?:\{{{_IN_OUTPUT}\}}{_IN_OUTPUT})*+\}}\}}", _component),
    Rule(r"\{#(?![\w-]+[ }])(?:[^#{]|#(?!\}))*+#\}", _drop),
    Rule(r"^ {0,3}(?:[*+-]|\d+\.) [^\n]*\n *\{: *toc *\}", _drop),
    Rule(r"\{::comment\}", _drop_until(r"\{:/(?:comment)?\}")),
    Rule(r"\{::?/?(?:options|nomarkdown|toc)?(?: [^{}\n=]*+=[^{}\n]*+)?/?\}", _drop),
)

RULES = (*_SHORTCODES, *_COMPONENTS, *_ADMONITIONS)
