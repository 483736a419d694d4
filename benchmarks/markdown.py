"""Tables as the terminal shows them in, Markdown out; and a document with it put in its place."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from index.errors import UsageError

BEGIN, END = "<!-- measured -->\n", "<!-- /measured -->"
"""Between these lines a document holds what was measured and nothing else."""


def markdown(table: Table) -> str:
    """The table without its title."""
    header = [str(column.header) for column in table.columns]
    rules = ["--:" if column.justify == "right" else "---" for column in table.columns]
    rows = zip(*(column.cells for column in table.columns), strict=True)
    return "\n".join(map(_line, (header, rules, *(map(_plain, row) for row in rows))))


def inserted(document: str, measured: str) -> str:
    """`document` with `measured` between its marks. Raises UsageError if it has none."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise UsageError(f"The document lacks the lines {BEGIN.strip()} and {END}. Add them.")
    return f"{before}{BEGIN}\n{measured.strip()}\n\n{END}{after}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(cell: object) -> str:
    return Text.from_markup(str(cell)).plain
