"""Han, kana and hangul, written without spaces to cut at: a run in, its characters out.

A character may be several code points: half-width kana and decomposed text write the marks
of voice (`ﾊﾞ`) and the parts of a syllable apart. The long mark at the end of a katakana word
is written by some and left out by others, サーバー here and サーバ there, so it belongs to the
character before it and is not spelled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""As the inside of a regular expression's set; the dot between foreign words (・) parts them."""

SHORTEST = 4
"""Characters of a katakana word with a long mark at its end from which on some leave it out:
コピー and キー always have theirs. Lucene's JapaneseKatakanaStemFilter draws the line there."""

_APART = re.compile("[\u1100-\u11ff\u3099\u309a\uff9e\uff9f]")
_CHARACTER = re.compile(
    "[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|.[\u3099\u309a\uff9e\uff9f]?", re.DOTALL
)
_LONG = "\u30fc\uff70"
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc\u31f0-\u31ff\uff66-\uff9d]")


def characters(run: str) -> list[str]:
    """The characters of `run`, which they make up together."""
    found = _CHARACTER.findall(run) if _APART.search(run) else list(run)
    return list(_ended(found)) if any(mark in run for mark in _LONG) else found


def as_spelled(character: str) -> str:
    """A character of `characters` without the long mark that ends a word."""
    return character[:-1] if len(character) > 1 and character[-1] in _LONG else character


def _ended(found: Sequence[str]) -> Iterator[str]:
    """The same characters, the one before a last long mark together with it."""
    last = [_is_last(found, place) for place in range(len(found))]
    for place, character in enumerate(found):
        if not last[place]:
            yield character + (found[place + 1] if True in last[place + 1 : place + 2] else "")


def _is_last(found: Sequence[str], place: int) -> bool:
    """Whether the character is a long mark that ends a word long enough to lack it."""
    before = found[max(place + 1 - SHORTEST, 0) : place]
    after = found[place + 1 : place + 2]
    return (
        found[place] in _LONG
        and len(before) == SHORTEST - 1
        and all(map(_KATAKANA.match, before))
        and not any(map(_KATAKANA.match, after))
    )
