"""`python -m benchmarks.chaos`: makes the faults and prints the table of docs/reliability.md.

The exit status is 1 if any run of any fault did not hold.
"""

from __future__ import annotations

import argparse
import pkgutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import cast

from rich.markup import escape
from rich.table import Table

from benchmarks.chaos import groups
from benchmarks.chaos.fault import Fault, Group, Options
from benchmarks.chaos.rows import Made, command_of, keep, kept
from benchmarks.markdown import inserted, markdown
from benchmarks.options import count, failure
from benchmarks.provenance import commit
from blog_search_mcp.index.errors import BlogSearchError

NAMES = tuple(sorted(module.name for module in pkgutil.iter_modules(groups.__path__)))


def main() -> int:
    """Make the faults that were asked for; the exit status."""
    options = _parser().parse_args()
    try:
        made = [_made(name, options) for name in options.groups or NAMES]
        document = as_markdown(made)
        if options.write is not None:
            before = options.write.read_text(encoding="utf-8")
            options.write.write_text(inserted(before, document), encoding="utf-8")
    except BlogSearchError as error:
        return failure(error)
    sys.stdout.write(document)
    return int(any(group.held < group.runs for group in made))


def as_markdown(made: Sequence[Made]) -> str:
    """The groups in numbers, each with what makes it again, and every fault."""
    titles = ("Fault", "How it is made", "Runs", "Held", "What the reader saw", "Lost", "Group")
    table = Table(*titles)
    for group in made:
        for row in group.faults:
            runs, held = f"{row.runs:,}", f"{row.held:,}"
            cells = (row.what, row.made, runs, held, row.seen, row.lost, f"`{group.group}`")
            table.add_row(*map(escape, cells))
    return f"{markdown(_in_numbers(made))}\n\n{markdown(table)}\n"


def _in_numbers(made: Sequence[Made]) -> Table:
    """Each group, and below it the kinds that go by one name: `hard inputs: links` and others."""
    table = Table("Group", "Kinds of faults", "Runs", "Held", "Commit", "Again")
    for each in made:
        said = (f"`{each.commit[:12]}`", f"`{each.command}`")
        table.add_row(f"`{each.group}`", *_numbers(each.faults), *said)
        names = Counter(row.what.partition(": ")[0] for row in each.faults if ": " in row.what)
        for name in (name for name, kinds in names.items() if kinds > 1):
            own = [row for row in each.faults if row.what.startswith(f"{name}: ")]
            table.add_row(f"`{each.group}`: {name}", *_numbers(own), "", "")
    return table


def _numbers(rows: Sequence[Fault]) -> tuple[str, str, str]:
    runs, held = sum(row.runs for row in rows), sum(row.held for row in rows)
    return f"{len(rows):,}", f"{runs:,}", f"{held:,}"


def _made(name: str, options: argparse.Namespace) -> Made:
    """The group's rows; at this commit made once, if they are kept."""
    if options.rows is not None and (found := kept(name, commit(), options.rows)) is not None:
        return found
    group = cast("Group", import_module(f"benchmarks.chaos.groups.{name}"))
    before = commit()
    with tempfile.TemporaryDirectory() as work:
        given = Options(options.blog, options.nasty, Path(work), options.runs, options.seed)
        faults = group.faults(given, lambda said: _say(f"{name}: {said}"))
    made = Made(name, before, command_of(name, options), faults)
    if options.rows is not None:
        keep(made, options.rows)
    return made


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.chaos", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of: {', '.join(NAMES)}")
    parser.add_argument("--blog", type=Path, default=Path("content"), metavar="CONTENT")
    parser.add_argument("--nasty", type=Path, metavar="DIR", help="a folder of hard inputs")
    parser.add_argument("--runs", type=count, default=200, metavar="N", help="of random faults")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=Path, metavar="DIR", help="keep each group's rows there")
    parser.add_argument("--write", type=Path, metavar="FILE", help="renew the table in FILE too")
    return parser


if __name__ == "__main__":
    sys.exit(main())
