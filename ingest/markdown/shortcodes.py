r"""Rules for template syntax in Markdown: what Hugo, Zola, Jekyll, Hexo, Eleventy and kramdown add.

A tag goes and what it encloses stays, but for comments; the arguments that generators print
(`title`, `caption`, …) stay too. What is written to appear as it is (`{{</* x */>}}`,
`{% raw %}`) keeps its braces.
"""

from __future__ import annotations

import re

from blog_search_mcp.ingest.markdown.rules import (
    Replacement,
    Rule,
    drop_match,
    find_closing,
    pad,
    printed_arguments,
    protect_braces,
)

_LIQUID_NAME = re.compile(r"\{%-?\s*(\w*)\s*([^{}]*?)\s*-?%\}")
_LIQUID_END = {
    name: re.compile(rf"\{{%-?\s*end{name}\s*-?%\}}")
    for name in ("comment", "raw", "verbatim", "highlight", "codeblock")
}
_LOGIC = {"assign", "capture", "case", "cycle", "elsif", "for", "if", "set", "unless", "when"}


def _liquid(tag: re.Match[str]) -> Replacement:
    parts = _LIQUID_NAME.match(tag[0])
    name, arguments = parts.groups() if parts else ("", "")
    if name in _LIQUID_END and (end := find_closing(tag, _LIQUID_END[name], f"end{name}")):
        inner = tag.string[tag.end() : end.start()]
        return Replacement(_enclosed(name, inner), end.end())
    if arguments.startswith("/*") and arguments.endswith("*/"):
        return Replacement(protect_braces(f"{{% {arguments[2:-2].strip()} %}}"), tag.end())
    return Replacement("" if name in _LOGIC else _liquid_words(name, arguments), tag.end())


def _enclosed(name: str, inner: str) -> str:
    """Nothing of a comment, raw text as it is, and code between more backticks than it holds."""
    if name in ("raw", "verbatim"):
        return protect_braces(inner)
    return f"{'`' * 12} {inner.strip()} {'`' * 12}" if name != "comment" and inner.strip() else ""


def _liquid_words(name: str, arguments: str) -> str:
    if name in ("blockquote", "quote", "pullquote") and "=" not in arguments:
        return " ".join(word for word in arguments.split() if "://" not in word)
    if name in ("post_link", "asset_link"):
        return arguments.partition(" ")[2].strip("'\" ")
    return pad(printed_arguments(arguments))


_POSITIONAL = re.compile(r"(?<=\s)\"([^\"=/]*\s[^\"=/]*)\"(?=\s|$)")
"""A quoted argument of several words is read by people; one word is an id or an option."""


def _shortcode(tag: re.Match[str]) -> Replacement:
    inner = tag[0][3:-3].strip()
    if inner.startswith("/*") and inner.endswith("*/"):
        return Replacement(
            protect_braces(f"{tag[0][:3]} {inner[2:-2].strip()} {tag[0][-3:]}"), tag.end()
        )
    words = [printed_arguments(inner), *_POSITIONAL.findall(inner)]
    return Replacement(pad(" ".join(filter(None, words))), tag.end())


def _output(tag: re.Match[str]) -> Replacement:
    inner = tag[0][2:-2].strip()
    if inner.startswith("/*") and inner.endswith("*/"):
        return Replacement(protect_braces(f"{{{{ {inner[2:-2].strip()} }}}}"), tag.end())
    return Replacement(pad(printed_arguments(inner)), tag.end())


def _quoted(tag: re.Match[str]) -> Replacement:
    return Replacement(protect_braces(tag["raw_words"] or tag["raw_lines"] or ""), tag.end())


_KRAMDOWN_END = re.compile(r"\{:/(?:comment)?\}")


def _kramdown_comment(tag: re.Match[str]) -> Replacement | None:
    end = find_closing(tag, _KRAMDOWN_END, "{:/")
    return Replacement("", end.end()) if end else None


_IN_OUTPUT = r"(?:[^{}\n]|\n(?![ \t]*\n))*+"
"""Output is looked for in one paragraph: two braces in prose may be far apart."""

SHORTCODES = (
    Rule(r"\{\{[<%](?:[^>%{]|[>%](?!\}\})|\{(?!\{[<%]))*+[>%]\}\}", _shortcode),
    Rule(r"\{%(?:[^%{]|%(?!\})|\{(?!%))*+%\}", _liquid),
    Rule(r"\{\{ *raw +(?:\"(?P<raw_words>[^\"{}]*)\"|`(?P<raw_lines>[^`]*)`)\s*\}\}", _quoted),
    Rule(rf"\{{\{{(?![<%]){_IN_OUTPUT}(?:\{{{_IN_OUTPUT}\}}{_IN_OUTPUT})*+\}}\}}", _output),
    Rule(r"\{#(?![\w-]+[ }])(?:[^#{]|#(?!\}))*+#\}", drop_match),
    Rule(r"^ {0,3}(?:[*+-]|\d+\.) [^\n]*\n *\{: *toc *\}", drop_match),
    Rule(r"\{::comment\}", _kramdown_comment),
    Rule(r"\{::?/?(?:options|nomarkdown|toc)?(?: [^{}\n]*=[^{}\n]*)?/?\}", drop_match),
)
