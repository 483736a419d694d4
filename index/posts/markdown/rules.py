"""Rules for what site generators and editors add to Markdown: how it begins and what replaces it.

`index.posts.markdown.parser` applies them all in one pass, outside code, and the leftmost wins.
"""

import re
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import NamedTuple, TypeAlias

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
"""Noncharacters that stand for braces which are text, until every rule has been applied."""


class Replacement(NamedTuple):
    """What a reader sees of a piece of syntax."""

    words: str
    """Markdown; empty if nothing is seen."""
    end: int
    """Where the piece ends in the text."""


Reader: TypeAlias = Callable[[re.Match[str]], Replacement | None]
"""Replaces syntax whose beginning was found; `None` if it is no such syntax after all."""


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


def pad(words: str) -> str:
    """Put spaces around words that are not empty."""
    return f" {words} " if words else ""


def drop_match(match: re.Match[str]) -> Replacement:
    """Replace the match by nothing."""
    return Replacement("", match.end())


def protect_braces(source: str) -> str:
    """Mark braces as text, so that no rule takes them for syntax."""
    return source.replace("{", _OPEN).replace("}", _CLOSE)


def restore_braces(words: str) -> str:
    """Undo `protect_braces`."""
    return words.replace(_OPEN, "{").replace(_CLOSE, "}")


def find_closing(match: re.Match[str], closing: re.Pattern[str]) -> re.Match[str] | None:
    """Find what closes a beginning, which is not looked for behind the last that there is."""
    if match.end() > _find_last(match.string, closing):
        return None
    return closing.search(match.string, match.end())


@lru_cache(maxsize=8)
def _find_last(text: str, closing: re.Pattern[str]) -> int:
    return max((end.start() for end in closing.finditer(text)), default=-1)


_KINDS = ("info", "warn", "alert")
"""Of Qiita's `:::note` and Zenn's `:::message`, behind them; others write a title there."""


def _admonition(mark: re.Match[str]) -> Replacement:
    title = mark["label"] or mark["rest"] or printed_arguments(mark[0])
    indent, title = mark["indent"], title.strip()
    title = "" if title in _KINDS else title
    return Replacement(f"{indent}\n{indent}{title}\n{indent}" if title else indent, mark.end())


def _component_of_nuxt(opening: re.Match[str]) -> Replacement | None:
    """Drop a component's name where something closes one: `::before` alone is a word."""
    closing = _NUXT_END.search(opening.string, opening.end(), opening.end() + LONGEST_COMPONENT)
    return drop_match(opening) if closing else None


def _inline_component(mark: re.Match[str]) -> Replacement:
    return Replacement(mark["inline_words"] or "", mark.end())


def _callout(mark: re.Match[str]) -> Replacement:
    quote, title = mark["quote"], mark["callout_title"].strip()
    return Replacement(f"{quote}{title}\n{quote}" if title else quote, mark.end())


_NUXT_END = re.compile(r"^[ \t]*::[ \t]*$", re.MULTILINE)
"""Closes a component as Nuxt Content writes them (MDC): `::alert{type="info"}`."""
LONGEST_COMPONENT = 4096
"""Characters in which the end of one is looked for; a callout is a few paragraphs."""

ADMONITIONS = (
    Rule(
        r"^(?P<indent>[ \t>]*+):::++ *+(?:\{[^{}\n]*+\}|[\w-]*+)(?:\{[^{}\n]*+\})?"
        r"(?:\[(?P<label>[^\n]*)\](?:\{[^{}\n]*+\})?|(?P<rest>[^\n{}]*+))"
        r"(?:\{[^{}\n]*+\})?[ \t]*+$",
        _admonition,
    ),
    Rule(r"^[ \t]*::[a-z][\w-]*(?=[\[{])(?:\[[^\[\]\n]*\])?(?:\{[^{}\n]*\})?[ \t]*$", drop_match),
    Rule(r"^[ \t]*::[a-z][\w-]*[ \t]*$", _component_of_nuxt),
    Rule(_NUXT_END.pattern, drop_match),
    Rule(
        r"(?<![\w:]):[a-z][\w-]*(?:\[(?P<inline_words>[^\[\]\n]*)\])?\{[ ]*[\w-]+=[^{}\n]*\}",
        _inline_component,
    ),
    Rule(
        r"^(?P<quote>[ \t>]*> ?)\[![\w-]+(?:\|[^\[\]\n]*)?\][+-]?(?P<callout_title>[^\n]*)$",
        _callout,
    ),
    Rule(r"(?<![\w%])%%(?=[^%])(?:[^%]|%(?!%))*+%%(?![\w%])", drop_match),
)

_INDENTED = 4
"""Spaces MkDocs asks for."""
_OPENING = re.compile(
    r"( *)(?:(?:!!!|\?\?\?\+?) ?[\w-]++(?: ++[\w-]++)*+(?: ++\"([^\"]*)\")?"
    r"|===[!+]? +\"([^\"]*)\")[ \t]*"
)
_FENCE = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")


def has_indented_admonition(markdown: str) -> bool:
    """Whether a passage may hold an admonition or a tab as MkDocs writes them."""
    return any(mark in markdown for mark in ("!!!", "???", '=== "', '===! "', '===+ "'))


def dedent_admonitions(markdown: str, code_lines: Collection[int]) -> str:
    """Write admonitions and tabs as their title and, as paragraphs, what stands in them.

    `code_lines` are the lines, from 0, on which none can begin.
    """
    lines: list[str] = []
    within: list[int] = []
    fence = ""
    for number, line in enumerate(markdown.split("\n")):
        depth = len(line) - len(line.lstrip(" "))
        while within and line.strip() and depth < within[-1] + _INDENTED:
            within.pop()
        taken = _INDENTED * len(within)
        is_code = bool(fence) if within else number in code_lines
        fence = _fence_after(line, fence) if within else ""
        mark = None if is_code else _OPENING.fullmatch(line)
        if mark:
            lines += ["", f"{mark[1][taken:]}{mark[2] or mark[3] or ''}", ""]
            within.append(depth)
        else:
            lines.append(line[min(depth, taken) :])
    return "\n".join(lines)


def _fence_after(line: str, fence: str) -> str:
    """Return the fence that is open after a line, `""` if none is; `fence` is open before it."""
    words = line.strip()
    if fence:
        return "" if words.startswith(fence) and not words.strip(fence[0]) else fence
    opening = _FENCE.match(words)
    return opening[0] if opening else ""


MAX_COMMENT = 20_000
"""Characters of a comment in which its end is looked for."""

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


_LEFT_OPEN = re.compile(r".*([(\[{])[ \t]*$", re.MULTILINE)
_CLOSING = {"(": "\n)", "[": "\n]", "{": "\n}"}
_EXPORT_END = re.compile(r"\n(?:\n|export\s)|\Z")


def _export(opening: re.Match[str]) -> Replacement:
    """Read up to a blank line or an export, where MDX goes back to Markdown.

    What stands between a bracket that a line leaves open and the line that begins by closing it
    may have both.
    """
    text, end = opening.string, opening.end() - 1
    while line := _LEFT_OPEN.match(text, end):
        closing = text.find(_CLOSING[line[1]], end, end + MAX_COMMENT)
        if closing < 0:
            break
        end = closing + 2
    ending = _EXPORT_END.search(text, end)
    return Replacement("", ending.start() if ending else len(text))


def _comment(opening: re.Match[str]) -> Replacement | None:
    end = opening.string.find("*/}", opening.end(), opening.end() + MAX_COMMENT)
    return Replacement("", end + 3) if end >= 0 else None


def _unseen(tag: re.Match[str]) -> Replacement | None:
    closing = f"</{tag['unseen']}>"
    end = tag.string.find(closing, tag.end(), tag.end() + MAX_COMMENT)
    return Replacement("", end + len(closing)) if end >= 0 else None


def _component(tag: re.Match[str]) -> Replacement:
    return Replacement(pad(printed_arguments(tag[0])), tag.end())


_LITERAL = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'|`([^`$]*)`")
_SCRIPT = re.compile(
    r"/\*.*\*/|\.\.\.\w.*|.*(?:=>|</|/>).*"
    r"|[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*|\[[^\[\]]*\])*(?:\.[A-Za-z_$][\w$]*|\([^()]*\))",
    re.DOTALL,
)


def _expression(braces: re.Match[str]) -> Replacement | None:
    inner = braces[0][1:-1].strip()
    if literal := _LITERAL.fullmatch(inner):
        return Replacement(literal[literal.lastindex or 0] or " ", braces.end())
    return Replacement("", braces.end()) if _SCRIPT.fullmatch(inner) else None


COMPONENTS = (
    Rule(r"\{/\*", _comment),
    Rule(r"<(?P<unseen>script|style)(?=[\s>])[^<>]*>", _unseen),
    Rule(
        r"^import\s++(?:type\s++)?(?:[\w*{}\s,$]{1,300}?\sfrom\s++)?"
        r"[\"'][^\"'\n]+[\"'];?[ \t]*(?://[^\n]*)?$",
        drop_match,
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

EXPRESSIONS = (
    Rule(r"\{(?:' '|\" \")\}", _expression),
    Rule(rf"(?<![\w\\$^/}})\]]){_BRACED}", _expression),
)
"""For passages that look like MDX: in others, braces and what they hold are words."""


_LIQUID_NAME = re.compile(r"\{%-?\s*+(\w*+)\s*+([^{}]*+)")
_LIQUID_END = {
    name: re.compile(rf"\{{%-?\s*end{name}\s*-?%\}}")
    for name in ("comment", "raw", "verbatim", "highlight", "codeblock")
}


def _liquid(tag: re.Match[str]) -> Replacement:
    """Read a tag; of one with an end, raw text as it is, and code between enough backticks."""
    parts = _LIQUID_NAME.fullmatch(tag[0][:-2].removesuffix("-").rstrip())
    name, arguments = parts.groups() if parts else ("", "")
    if name not in _LIQUID_END or not (end := find_closing(tag, _LIQUID_END[name])):
        return Replacement(_liquid_words(name, arguments), tag.end())
    inner = tag.string[tag.end() : end.start()]
    if name in ("raw", "verbatim"):
        return Replacement(protect_braces(inner), end.end())
    is_code = name != "comment" and inner.strip()
    return Replacement(f"{'`' * 12} {inner.strip()} {'`' * 12}" if is_code else "", end.end())


def _liquid_words(name: str, arguments: str) -> str:
    if name in ("blockquote", "quote", "pullquote") and "=" not in arguments:
        return " ".join(word for word in arguments.split() if "://" not in word)
    if name in ("post_link", "asset_link"):
        return arguments.partition(" ")[2].strip("'\" ")
    return pad(printed_arguments(arguments))


_POSITIONAL = re.compile(r"(?<=\s)\"(?=[^\"=/\s]*+\s)([^\"=/]*+)\"(?=\s|$)")
"""A quoted argument of several words is read by people; one word is an id or an option."""


def _shortcode(tag: re.Match[str]) -> Replacement:
    inner = tag[0][3:-3]
    words = [printed_arguments(inner), *_POSITIONAL.findall(inner)]
    return Replacement(pad(" ".join(filter(None, words))), tag.end())


def _escaped(tag: re.Match[str]) -> Replacement:
    shown = f"{tag['opens']} {tag['shown'].strip()} {tag['closes']}"
    return Replacement(protect_braces(shown), tag.end())


def _quoted(tag: re.Match[str]) -> Replacement:
    return Replacement(protect_braces(tag["raw_words"] or tag["raw_lines"] or ""), tag.end())


_KRAMDOWN_END = re.compile(r"\{:/(?:comment)?\}")


def _kramdown_comment(tag: re.Match[str]) -> Replacement | None:
    end = find_closing(tag, _KRAMDOWN_END)
    return Replacement("", end.end()) if end else None


_QUOTED = r"\"[^\"\n]*\"|'[^'\n]*'"
_BRACKETS = (
    r"(?<!\[)\\?\[(?:/(?P<closes_bracket>[a-z][\w-]*)|embed|gallery|"
    r"(?:gist|instagram|soundcloud|tweet|vimeo|youtube)[ =]https?://[^\s\[\]]+|"
    rf"[a-z][\w-]*(?:\s+[\w-]+=[^\s\[\]\"']+)*\s+[\w-]+=(?:{_QUOTED})[^\[\]\n]*)\\?\](?![(\[:])"
)
"""WordPress' shortcodes (`[caption id="a"]`, `[/caption]`, `[youtube https://…]`); exporters put
`\\` before brackets. `[[embed]]` is a link between notes."""


LONGEST_BRACKETED = 4096
"""Characters between the two ends of a WordPress shortcode; a caption is a few lines."""


def _bracketed(tag: re.Match[str]) -> Replacement | None:
    name = tag["closes_bracket"]
    first = max(tag.start() - LONGEST_BRACKETED, 0)
    if name and tag.string.find(f"[{name}", first, tag.start()) < 0:
        return None
    return _component(tag)


_IN_OUTPUT = r"(?:[^{}\n]|\n(?![ \t]*\n))*+"
"""Output is looked for in one paragraph: two braces in prose may be far apart."""

SHORTCODES = (
    Rule(
        r"(?P<opens>\{\{[<%]?|\{%)\s*/\*(?P<shown>(?:[^*{]|\*(?!/)|\{(?!(?:\{[<%]?|%)\s*/\*))*+)\*/"
        r"\s*(?P<closes>[>%]?\}\}|%\})",
        _escaped,
    ),
    Rule(r"\{\{[<%](?:[^>%{]|[>%](?!\}\})|\{(?!\{[<%]))*+[>%]\}\}", _shortcode),
    Rule(r"\{%(?:[^%{]|%(?!\})|\{(?!%))*+%\}", _liquid),
    Rule(r"\{\{ *raw +(?:\"(?P<raw_words>[^\"{}]*)\"|`(?P<raw_lines>[^`]*)`)\s*\}\}", _quoted),
    Rule(rf"\{{\{{(?![<%]){_IN_OUTPUT}(?:\{{{_IN_OUTPUT}\}}{_IN_OUTPUT})*+\}}\}}", _component),
    Rule(r"\{#(?![\w-]+[ }])(?:[^#{]|#(?!\}))*+#\}", drop_match),
    Rule(r"^ {0,3}(?:[*+-]|\d+\.) [^\n]*\n *\{: *toc *\}", drop_match),
    Rule(r"\{::comment\}", _kramdown_comment),
    Rule(_BRACKETS, _bracketed),
    Rule(r"\{::?/?(?:options|nomarkdown|toc)?(?: [^{}\n=]*+=[^{}\n]*+)?/?\}", drop_match),
)
