"""Rules for MDX: imports, exports, components, expressions and comments.

A component's tags go and its children stay; of its attributes those that components print stay.
A passage does not name its dialect, so an expression is dropped only beside components, imports
or exports, and where it can be nothing but JavaScript: `{name}` may be text.
"""

from __future__ import annotations

import re

from blog_search_mcp.ingest.markdown.rules import (
    Replacement,
    Rule,
    drop_match,
    pad,
    printed_arguments,
)

MAX_SCRIPT = 4000
"""Characters of an `export` in which its end is looked for."""
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


_SCRIPT_MARK = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|[([{]|[)\]}]|\n")


def _export(opening: re.Match[str]) -> Replacement:
    """Read up to the end of the line on which all brackets are closed, else of the paragraph."""
    script, start, depth = opening.string, opening.end(), 0
    for mark in _SCRIPT_MARK.finditer(script, opening.start(), start + MAX_SCRIPT):
        if mark[0] in "([{":
            depth += 1
        elif mark[0] in ")]}":
            depth -= 1
        elif mark[0] == "\n" and depth <= 0 and mark.start() >= start:
            return Replacement("", mark.start())
    end = script.find("\n\n", start) if depth > 0 else script.find("\n", start)
    return Replacement("", len(script) if end < 0 else end)


def _comment(opening: re.Match[str]) -> Replacement | None:
    end = opening.string.find("*/}", opening.end(), opening.end() + MAX_COMMENT)
    return Replacement("", end + 3) if end >= 0 else None


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
    Rule(
        r"^import\s+(?:type\s+)?(?:[\w*{}\s,$]{1,300}?\sfrom\s+)?"
        r"[\"'][^\"'\n]+[\"'];?[ \t]*(?://[^\n]*)?$",
        drop_match,
    ),
    Rule(
        r"^export\s+(?:(?:const|let|var)\s+[\w${}\[\], ]+=|(?:default\s+)?(?:async\s+)?function\b"
        r"|default\s+(?:\w+;?[ \t]*$|[({]|class\b)|class\s+\w+|\{[^\n]*\}|\*\s+from\s)",
        _export,
    ),
    Rule(rf"</?[A-Z][\w.]*(?=[\s/>]){_ATTRIBUTES}>|</?>", _component),
    Rule(rf"<[a-z][\w-]*\s{_PLAIN_ATTRIBUTES}(?<==){_BRACED}{_ATTRIBUTES}>", _component),
)

EXPRESSIONS = (
    Rule(r"\{(?:' '|\" \")\}", _expression),
    Rule(rf"(?<![\w\\$^/}})\]]){_BRACED}", _expression),
)
"""For passages that look like MDX: in others, braces and what they hold are words."""
