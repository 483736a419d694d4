"""JSON with comments, as VS Code and Zed have it: a text in, the same text as strict JSON out.

What strict JSON does not know is blanked and not cut out, so that every other character
keeps its place: a complaint of the parser's names the author's own line and column, and an
edit can be made in the author's own text.
"""

from __future__ import annotations

import re

_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')


def strict(text: str) -> str:
    """Blank out comments and last commas."""
    return _blanked(_LAST_COMMA, without_comments(text))


def without_comments(text: str) -> str:
    """Blank out comments alone."""
    return _blanked(_COMMENT, text)


def _blanked(unwanted: re.Pattern[str], text: str) -> str:
    return unwanted.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)
