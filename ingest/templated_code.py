"""Markdown comes in with `{% highlight %}` and its like; the same lines go out with fences.

Code that Jekyll, Hexo and Hugo take between tags is no code to a Markdown parser: a comment in it
would be a heading. Lines stay in place, so that a block's lines are those of the post.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_FENCE = "~" * 24
"""Longer than any fence in the code it encloses."""

_MARK = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)$"
    r"|^(?P<indent> {0,3})(?:\{%-? *(?P<end>end)?(?P<liquid>highlight|codeblock)\b[^{}\n]*%\}"
    r"|\{\{[<%] *(?P<close>/ *)?(?P<hugo>highlight|mermaid)\b[^\n]*[>%]\}\})[ \t]*$",
    re.MULTILINE,
)
_NAMES = ("highlight", "codeblock", "mermaid")
_CLOSING = re.compile(r"endhighlight|endcodeblock|/ *(?:highlight|mermaid)")


def fenced(markdown: str) -> str:
    """Write code between tags that stand alone on their lines as a fence.

    What stands in a fence already is left as it is, and so is a tag that is never closed.
    """
    if not any(word in markdown for word in _NAMES) or not _CLOSING.search(markdown):
        return markdown
    marks = list(_MARK.finditer(markdown))
    last = {_name(mark): mark.start() for mark in marks if _is_closing(mark)}
    pieces, written, inside = [], 0, ""
    for mark in marks:
        if not (_ends(mark, inside) if inside else _begins(mark, last)):
            continue
        if name := _name(mark):
            pieces += [markdown[written : mark.start()], mark["indent"], _FENCE]
            written = mark.end()
        inside = "" if inside else name or mark["fence"]
    return "".join([*pieces, markdown[written:]])


def _name(mark: re.Match[str]) -> str:
    return mark["liquid"] or mark["hugo"] or ""


def _is_closing(mark: re.Match[str]) -> bool:
    return bool(mark["end"] or mark["close"])


def _begins(mark: re.Match[str], last: Mapping[str, int]) -> bool:
    if mark["fence"]:
        return True
    return not _is_closing(mark) and last.get(_name(mark), -1) > mark.start()


def _ends(mark: re.Match[str], inside: str) -> bool:
    if mark["fence"]:
        return mark["fence"].startswith(inside) and not mark["info"].strip()
    return _is_closing(mark) and _name(mark) == inside
