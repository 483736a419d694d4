"""What counts as the name of a language in a file name, a folder or a field: text in, a tag out.

Two letters are easily something else (`ts`, `go`, `ml`), so only languages that blogs are
written in are known, and after the language only a script and a region: `it-security` and
`no-code` are topics.
"""

from __future__ import annotations

import re

_TAG = re.compile(
    "(?:af|ar|az|be|bg|bn|bs|ca|cs|cy|da|de|el|en|eo|es|et|eu|fa|fi|fil|fr|ga|gl|gu|he|hi|hr|hu|hy|id|"
    "is|it|ja|ka|kk|km|kn|ko|ky|lt|lv|mk|mn|mr|ms|my|nb|ne|nl|nn|no|pa|pl|pt|ro|ru|si|sk|sl|sq|sr|"
    "sv|sw|ta|te|th|tl|tr|uk|ur|uz|vi|yue|zh)"
    r"(?:-(?:hans|hant|latn|cyrl|arab))?(?:-(?:[a-z]{2}|\d{3}))?"
)
"""ISO 639 codes blogs are written in; without those that are file endings or topics (ts, ml)."""

TRADITIONAL = re.compile(r"-(?:hant|tw|hk|mo)\b")
"""In a tag of Chinese, what says that it is written in Traditional characters."""


def language_tag(text: str) -> str:
    """The BCP 47 tag in lower case that `text` spells (`zh_TW`, `en-US.UTF-8`), `""` if none."""
    tag = text.strip().lower().replace("_", "-").removesuffix(".utf-8")
    return tag if _TAG.fullmatch(tag) else ""
