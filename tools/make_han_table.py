"""Make index/data/traditional_to_simplified.txt from OpenCC's character table.

Run it with the package `opencc-python-reimplemented` 0.1.7 installed, which
carries OpenCC's TSCharacters.txt (Apache-2.0): each line is a Traditional
character, a tab, and its Simplified ones, the commonest first. The output is
two lines of equal length, character under character, for `str.maketrans`.
"""

from __future__ import annotations

import importlib.resources
from pathlib import Path

TARGET = Path(__file__).parents[1] / "index" / "data" / "traditional_to_simplified.txt"


def pairs(table: str) -> list[tuple[str, str]]:
    """Single characters that change, with their commonest Simplified form."""
    rows = [line.split("\t") for line in table.splitlines() if "\t" in line]
    commonest = [(row[0], row[1].split(" ")[0]) for row in rows]
    return [(old, new) for old, new in commonest if len(old) == len(new) == 1 and old != new]


def main() -> None:
    """Read the installed package's table and write ours."""
    source = importlib.resources.files("opencc") / "dictionary" / "TSCharacters.txt"
    found = pairs(source.read_text(encoding="utf-8"))
    lines = ("".join(old for old, _ in found), "".join(new for _, new in found))
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
