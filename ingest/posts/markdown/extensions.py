"""Replace syntax of site generators and editors by the words that readers see.

`ingest.posts.markdown.parser` replaces this syntax outside code in one pass. The leftmost match
wins. If two patterns match at one place, the pattern listed first wins.
"""

import re

from blog_search_mcp.index.text.languages import CJK
from blog_search_mcp.ingest.posts.paths import PATTERNS


def _braced(depth: int) -> str:
    """Return a pattern of braces with up to `depth` levels inside, as in a tag's style."""
    inner = rf"|{_braced(depth - 1)}" if depth else ""
    return rf"\{{(?:[^{{}}]++{inner})*+\}}"


_BRACED = _braced(4)
_PLAIN_ATTRIBUTES = r"(?:\"[^\"<]*\"|'[^'<]*'|[^<>{}\"'])*+"
_TAG_ATTRIBUTES = rf"(?:\"[^\"<]*\"|'[^'<]*'|{_BRACED}|[^<>{{}}\"'])*+"
_OUTPUT = r"(?:[^{}\n]|\n(?![ \t]*\n))*+"
"""Output of a template, within one paragraph: braces in prose may be far apart."""
_IN_BRACES = r"(?:\{[^{}\n]*+\})?"
_ANYWHERE = (
    # Hugo and Zola: shortcodes that are shown, and shortcodes that are run
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
    rf"(?P<component></?(?:[A-Z][\w.]*|[a-z]+(?:-\w+)+)(?=[\s/>]){_TAG_ATTRIBUTES}>|(?<!\]: )</?>"
    rf"|<[a-z][\w-]*\s{_PLAIN_ATTRIBUTES}(?<==){_BRACED}{_TAG_ATTRIBUTES}>)",
)
LABEL = re.compile(
    r"(?:(?:!!!|\?\?\?\+?) ?[\w-]++(?: ++[\w-]++)*+(?: ++(?=\"))?|===[!+]? +(?=\"))"
    r"(?:\"(?P<label>[^\n]*)\")?[ \t]*$",
    re.MULTILINE,
)
"""First line of an admonition or a tab of MkDocs."""
_AT_A_LINE = (
    r" {0,3}(?:[*+-]|\d+\.) [^\n]*\n *\{: *toc *\}",
    r"(?:\t| {4})[ \t]*+(?=</?[A-Za-z])",  # indent that makes code once the tag above is removed
    rf"(?P<indent>[ \t>]*+)(?:::++ *+(?:\{{[^{{}}\n]*+\}}|[\w-]*+){_IN_BRACES}"
    rf"(?:\[(?P<label>[^\n]*)\]{_IN_BRACES}|(?P<title>[^\n{{}}]*+)){_IN_BRACES}[ \t]*+"
    r"(?:\n[ \t]*:[a-z][\w-]*:[^\n]*)*+"
    r"|(?:(?<=>)|(?<=> ))\[![\w-]+(?:\|[^\[\]\n]*)?\][+-]?(?P<callout>[^\n]*))$",
)
SYNTAX = re.compile(
    rf"(?=[{{<])(?:{'|'.join(_ANYWHERE)})|^(?=[ \t>:*+\-\d])(?:{'|'.join(_AT_A_LINE)})",
    re.MULTILINE,
)
MDX = re.compile(r"^ {0,3}</?[A-Z][\w.]*(?=[\s/>])", re.MULTILINE)
"""Tag of a component at the start of a line."""
_ARGUMENT = re.compile(
    r"(?:(?<![\w@:#.-])([\w@:#.-]+)(?:(\s*=\s*)|\s*:\s*))?[{(\[]{0,3}"
    r"(?:\"([^\"]*)\"|'([^']*)'|`([^`$]*)`)"
)
_SHOWN = re.compile(r"title|caption|alt|label|summary|description|content", re.IGNORECASE)
"""Names of arguments whose values, if set with `=`, are always shown."""
_UNSHOWN = re.compile(PATTERNS["arguments not shown"], re.IGNORECASE)
_NO_PROSE = re.compile(r"[={}<>;|\\]|://|\w/\w+/")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_CJK_WORD = re.compile(f"[{CJK}]{{2}}")
_CONTROL_TAGS = re.compile(PATTERNS["tags of control"])
"""Tags whose arguments are only for the template."""


def read_syntax(match: re.Match[str]) -> str:
    """Return the words that a reader sees of a match of SYNTAX, as Markdown."""
    if match["opens"]:
        return f"{match['opens']} {match['shown'].strip()} {match['closes']}"
    if match["pair"]:
        return match["inner"]
    if match["space"]:
        return " "
    if match["tag"] in ("blockquote", "quote", "pullquote") and "=" not in match["rest"]:
        words = match["rest"].removesuffix("-").split()
        return " ".join(word for word in words if "://" not in word)
    if match["tag"] in ("post_link", "asset_link"):
        return match["rest"].removesuffix("-").strip().partition(" ")[2].strip("'\" ")
    if match["indent"] is not None:
        title = match["label"] or match["title"] or match["callout"]
        return (title or "").strip() or _join_seen(match[0])
    if raw := match["raw"] or match["raw_lines"]:
        return raw
    if match["tag"] and _CONTROL_TAGS.fullmatch(match["tag"]):
        return ""
    words = _join_seen(match["shortcode"] or match["rest"] or match["output"] or match["component"])
    return f" {words} " if words else ""


def _join_seen(source: str | None) -> str:
    """Join the arguments that readers see: _SHOWN ones, and prose unless _UNSHOWN has its name."""
    words = []
    for name, is_set, *values in _ARGUMENT.findall(source or ""):
        value = "".join(values)
        several = sum(bool(_LETTERS.search(word)) for word in value.split()) > 1
        is_prose = (several or _CJK_WORD.search(value)) and not _NO_PROSE.search(value)
        if (is_set and _SHOWN.fullmatch(name)) or (is_prose and not _UNSHOWN.match(name)):
            words.append(value)
    return " ".join(filter(None, words))
