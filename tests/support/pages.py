"""Tables of the documentation."""

import re


def table_of(page: str, heading: str, first: str) -> list[list[str]]:
    """Return the body cells of the table under `heading` whose first column is `first`."""
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    table = re.search(rf"^\| {first} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", section, re.MULTILINE)
    assert table is not None, f"no table of {first} under {heading}"
    lines = table[1].replace(r"\|", "\0").splitlines()
    return [[cell.strip().replace("\0", "|") for cell in row[1:-1].split("|")] for row in lines]
