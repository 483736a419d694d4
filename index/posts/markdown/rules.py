"""What site generators and editors add to Markdown, and what of it a reader sees.

`index.posts.markdown.parser` replaces it outside code in one pass; the leftmost wins, then the
first in the list.
"""

import re


def _braced(depth: int) -> str:
    """Match braces in so many braces; a style or a callback in a tag has two or three."""
    inner = rf"|{_braced(depth - 1)}" if depth else ""
    return rf"\{{(?:[^{{}}]++{inner})*+\}}"


_BRACED = _braced(4)
_PLAIN_ATTRIBUTES = r"(?:\"[^\"<]*\"|'[^'<]*'|[^<>{}\"'])*+"
_ATTRIBUTES = rf"(?:\"[^\"<]*\"|'[^'<]*'|{_BRACED}|[^<>{{}}\"'])*+"
_OUTPUT = r"(?:[^{}\n]|\n(?![ \t]*\n))*+"
"""Output is looked for in one paragraph: two braces in prose may be far apart."""
_ATTRIBUTE = r"(?:\{[^{}\n]*+\})?"

_ANYWHERE = (
    # Hugo and Zola: shortcodes shown, and run
    r"(?P<opens>\{\{[<%]?|\{%)\s*/\*(?P<shown>(?:[^*{]|\*(?!/)|\{(?!(?:\{[<%]?|%)\s*/\*))*+)\*/"
    r"\s*(?P<closes>[>%]?\}\}|%\})",
    r"\{\{[<%](?P<shortcode>(?:[^>%{]|[>%](?!\}\})|\{(?!\{[<%]))*+)[>%]\}\}",
    # Liquid and Nunjucks
    r"\{%-?\s*(?P<pair>raw|verbatim)\s*-?%\}"
    r"(?P<inner>(?:[^{]|\{(?!%-?\s*(?:end)?(?P=pair)\b))*+)\{%-?\s*end(?P=pair)\s*-?%\}",
    r"\{%-?\s*+(?P<tag>\w*+)(?P<rest>(?:[^%{]|%(?!\})|\{(?!%))*+)%\}",
    # Templates of Go
    r"\{\{ *raw +(?:\"(?P<raw>[^\"{}]*)\"|`(?P<raw_lines>[^`]*)`)\s*\}\}",
    rf"\{{\{{(?![<%])(?P<output>{_OUTPUT}(?:\{{{_OUTPUT}\}}{_OUTPUT})*+)\}}\}}",
    # kramdown
    r"\{::?/?(?:options|nomarkdown|toc)?(?: [^{}\n=]*+=[^{}\n]*+)?/?\}",
    # MDX
    r"\{(?P<space>' '|\" \")\}",
    rf"(?P<component></?[A-Z][\w.]*(?=[\s/>]){_ATTRIBUTES}>|(?<!\]: )</?>"
    rf"|<[a-z][\w-]*\s{_PLAIN_ATTRIBUTES}(?<==){_BRACED}{_ATTRIBUTES}>)",
)
_ADMONITION = (
    r"(?:(?:!!!|\?\?\?\+?) ?[\w-]++(?: ++[\w-]++)*+(?: ++(?=\"))?|===[!+]? +(?=\"))"
    r"(?:\"(?P<admonition>[^\"\n]*)\")?"
)
"""Or a tab of MkDocs, whose blocks are indented below it."""
_AT_A_LINE = (
    r" {0,3}(?:[*+-]|\d+\.) [^\n]*\n *\{: *toc *\}",
    rf"(?P<indent>[ \t>]*+)(?:::++ *+(?:\{{[^{{}}\n]*+\}}|[\w-]*+){_ATTRIBUTE}"
    rf"(?:\[(?P<label>[^\n]*)\]{_ATTRIBUTE}|(?P<title>[^\n{{}}]*+)){_ATTRIBUTE}[ \t]*+"
    r"|(?:(?<=>)|(?<=> ))\[![\w-]+(?:\|[^\[\]\n]*)?\][+-]?(?P<callout>[^\n]*)"
    rf"|{_ADMONITION}[ \t]*)$",
)
SYNTAX = re.compile(
    rf"(?=[{{<])(?:{'|'.join(_ANYWHERE)})|^(?=[ \t>:*+\-\d!?=])(?:{'|'.join(_AT_A_LINE)})",
    re.MULTILINE,
)
MDX = re.compile(rf"^ {{0,3}}</?[A-Z][\w.]*(?=[\s/>])|^[ \t>]*+{_ADMONITION}[ \t]*$", re.MULTILINE)
"""What text with components or admonitions holds at the start of a line."""

_ARGUMENT = re.compile(
    r"(?<![\w-])(?:title|caption|alt|label|summary|description|content)="
    r"\{?(?:\"([^\"]*)\"|'([^']*)'|`([^`$]*)`)",
    re.IGNORECASE,
)
_POSITIONAL = re.compile(r"(?<=\s)\"(?=[^\"=/\s]*+\s)([^\"=/]*+)\"(?=\s|$)")
"""A quoted argument of several words is read by people; one word is an id or an option."""


def read_syntax(found: re.Match[str]) -> str:
    """Return the Markdown of what a reader sees of a match of SYNTAX."""
    if found["opens"]:
        return f"{found['opens']} {found['shown'].strip()} {found['closes']}"
    if found["pair"]:
        return found["inner"]
    if found["space"]:
        return " "
    if found["tag"] in ("blockquote", "quote", "pullquote") and "=" not in found["rest"]:
        return " ".join(word for word in _arguments(found).split() if "://" not in word)
    if found["tag"] in ("post_link", "asset_link"):
        return _arguments(found).partition(" ")[2].strip("'\" ")
    if found["indent"] is not None:
        title = found["label"] or found["title"] or found["callout"]
        title = title or found["admonition"] or ""
        return title.strip() or _printed(found[0])
    if raw := found["raw"] or found["raw_lines"]:
        return raw
    words = _printed(found["shortcode"] or found["rest"] or found["output"] or found["component"])
    positional = _POSITIONAL.findall(found["shortcode"] or "")
    words = " ".join(filter(None, (words, *positional)))
    return f" {words} " if words else ""


def _arguments(found: re.Match[str]) -> str:
    return found["rest"].removesuffix("-").strip()


def _printed(source: str | None) -> str:
    """Join the arguments of a shortcode or component that generators print."""
    arguments = _ARGUMENT.finditer(source or "")
    return " ".join(filter(None, (argument[argument.lastindex or 0] for argument in arguments)))
