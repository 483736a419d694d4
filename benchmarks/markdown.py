"""Markdown tables, and replacing what was measured in a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from blog_search_mcp.index.errors import UsageError


def table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> str:
    """Write a table; the columns with the indexes `right` are aligned to the right."""
    aligned = set(right)
    rules = ["--:" if number in aligned else "---" for number in range(len(header))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rules, *rows))


def replace_marked(document: str, measured: str) -> str:
    """Put `measured` between the marks of `document`. Raises UsageError if it has none."""
    first, last = "<!-- measured -->\n", "<!-- /measured -->"
    before, begin, rest = document.partition(first)
    _, end, after = rest.partition(last)
    if not (begin and end):
        raise UsageError(f"The document lacks the lines {first.strip()} and {last}. Add them.")
    return f"{before}{first}\n{measured.strip()}\n\n{last}{after}"
