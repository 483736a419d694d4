"""Tables as the terminal shows them in, Markdown out; and a document with it put in its place."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from blog_search_mcp.index.errors import UsageError

MARK = "measured"
"""Between the lines `<!-- measured -->` and `<!-- /measured -->` a document holds what was measured
and nothing else; one that holds several things has a mark for each."""


def markdown(table: Table) -> str:
    """The table without its title."""
    header = [str(column.header) for column in table.columns]
    rules = ["--:" if column.justify == "right" else "---" for column in table.columns]
    rows = zip(*(column.cells for column in table.columns), strict=True)
    return "\n".join(map(_line, (header, rules, *(map(_plain, row) for row in rows))))


def inserted(document: str, measured: str, mark: str = MARK) -> str:
    """`document` with `measured` between its marks. Raises UsageError if it has none."""
    first, last = f"<!-- {mark} -->\n", f"<!-- /{mark} -->"
    before, begin, rest = document.partition(first)
    _, end, after = rest.partition(last)
    if not (begin and end):
        raise UsageError(f"The document lacks the lines {first.strip()} and {last}. Add them.")
    return f"{before}{first}\n{measured.strip()}\n\n{last}{after}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(cell: object) -> str:
    return Text.from_markup(str(cell)).plain
