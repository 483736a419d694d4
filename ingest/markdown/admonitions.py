"""Rules for admonitions, callouts and comments of Docusaurus, MkDocs, Obsidian and GitHub.

The title an author gave stays, on a line of its own; the kind (`note`, `warning`) goes. MkDocs
indents what stands in an admonition or a tab like code; `dedent_admonitions` takes it out.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from blog_search_mcp.ingest.markdown.rules import Replacement, Rule, drop_match


def _admonition(mark: re.Match[str]) -> Replacement:
    indent, title = mark["indent"], (mark["label"] or mark["rest"] or "").strip()
    return Replacement(f"{indent}\n{indent}{title}\n{indent}" if title else indent, mark.end())


def _callout(mark: re.Match[str]) -> Replacement:
    quote, title = mark["quote"], mark["callout_title"].strip()
    return Replacement(f"{quote}{title}\n{quote}" if title else quote, mark.end())


ADMONITIONS = (
    Rule(
        r"^(?P<indent>[ \t>]*):::+ *(?:\{[^{}\n]*\}|[\w-]*)(?:\{[^{}\n]*\})?"
        r"(?:\[(?P<label>[^\n]*)\](?:\{[^{}\n]*\})?|(?P<rest>[^\n{}]*))(?:\{[^{}\n]*\})?[ \t]*$",
        _admonition,
    ),
    Rule(r"^[ \t]*::[a-z][\w-]*(?=[\[{])(?:\[[^\[\]\n]*\])?(?:\{[^{}\n]*\})?[ \t]*$", drop_match),
    Rule(
        r"^(?P<quote>[ \t>]*> ?)\[![\w-]+(?:\|[^\[\]\n]*)?\][+-]?(?P<callout_title>[^\n]*)$",
        _callout,
    ),
    Rule(r"(?<![\w%])%%(?=[^%])(?:[^%]|%(?!%))*+%%(?![\w%])", drop_match),
)

_INDENTED = 4
"""Spaces MkDocs asks for."""
_OPENING = re.compile(
    r"( *)(?:(?:!!!|\?\?\?\+?) ?[\w-]+(?: [\w -]+?)?(?: +\"([^\"]*)\")?"
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
