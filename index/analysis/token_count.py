"""Estimate how many word pieces an embedder makes of a text.

Words and characters both fail on mixed posts: a Chinese post is one "word" and
an English one is five times its tokens in characters. A BERT word-piece
vocabulary spends one piece on a Han or kana character, about one on every five
letters of a word and one on a punctuation mark, so that is what is counted.
"""

import re
from itertools import islice

LETTERS_PER_PIECE = 5
"""English runs at 4.7 letters a word and 1.3 pieces a word in MiniLM's vocabulary, code at less."""

CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Han, kana and bopomofo, as the inside of a regular expression's set. Hangul, which the
analyser's has, is counted as letters."""

_DATA_URI = re.compile(r"data:[\w.+-]*/?[\w.+-]*(?:;[\w=-]+)*;base64,[A-Za-z0-9+/=]+")
_PIECE = re.compile(rf"[{CJK}]|[^\W_{CJK}]{{1,{LETTERS_PER_PIECE}}}|[^\w\s]|_")
_ODD = re.compile(rf"[^\W_{CJK}\x00-\x7f]|[^\S\x00-\x7f]")
"""Letters and spaces beyond ASCII: all else there is a piece for each character, as `?` is."""


LONGEST_PIECE = 10
"""Characters that a piece and the space behind it seldom exceed."""

_LETTER, _SIGN, _SPACE = b"a", b".", b" "
_KINDS = b"".join(
    _SPACE
    if code > 127 or not _PIECE.match(chr(code))
    else _LETTER
    if chr(code).isalnum()
    else _SIGN
    for code in range(256)
)
"""What each ASCII character is to `_PIECE`."""


def count_tokens(text: str) -> int:
    """Estimate the word pieces of `text`; an inlined file counts as one."""
    counted = _without_files(text)
    return len(_PIECE.findall(counted)) if _ODD.search(counted) else _count_ascii(counted)


def exceeds(text: str, most: int) -> bool:
    """Whether `text` is more than `most` word pieces; a long text is not counted to its end."""
    if len(text) <= most:
        return False
    counted = _without_files(text)
    if not _ODD.search(counted):
        enough = counted[: most * LONGEST_PIECE]
        return _count_ascii(enough) > most or (enough != counted and _count_ascii(counted) > most)
    pieces = _PIECE.finditer(counted)
    return next(islice(pieces, most, None), None) is not None


def _count_ascii(text: str) -> int:
    """As `_PIECE` counts, a few times as fast: each run of letters loses five, then the rest."""
    kinds = text.encode("ascii", "replace").translate(_KINDS)
    for letters in range(LETTERS_PER_PIECE, 0, -1):
        kinds = kinds.replace(_LETTER * letters, _SIGN)
    return kinds.count(_SIGN)


def _without_files(text: str) -> str:
    return _DATA_URI.sub("data", text) if ";base64," in text else text
