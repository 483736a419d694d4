"""Traditional and Simplified Chinese as one script: text in, Simplified text out.

Search compares characters, so a reader who types 内存 must meet 記憶體's 記 as 记;
one character at a time is enough for that, and unlike phrase conversion it
never changes a text's length.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_TABLE = Path(__file__).parent / "data" / "traditional_to_simplified.txt"


def simplified(text: str) -> str:
    """`text` with every Traditional character as its commonest Simplified one."""
    return text.translate(_table())


@cache
def _table() -> dict[int, int]:
    traditional, simple = _TABLE.read_text(encoding="utf-8").splitlines()
    return str.maketrans(traditional, simple)
