"""`python -m benchmarks.chaos`: makes the faults and prints the table of docs/reliability.md.

The exit status is 1 if any run of any fault did not hold.
"""

from __future__ import annotations

import argparse
import pkgutil
import sys
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import cast

from rich.table import Table

from benchmarks.chaos import groups
from benchmarks.chaos.fault import Fault, Group, Options
from benchmarks.markdown import inserted, markdown
from benchmarks.options import count, failure
from benchmarks.provenance import commit
from index.errors import BlogSearchError

NAMES = tuple(sorted(module.name for module in pkgutil.iter_modules(groups.__path__)))


def main() -> int:
    """Make the faults that were asked for; the exit status."""
    options = _parser().parse_args()
    try:
        made = {name: _made(name, options) for name in options.groups or NAMES}
        document = as_markdown(made, options)
        if options.write is not None:
            before = options.write.read_text(encoding="utf-8")
            options.write.write_text(inserted(before, document), encoding="utf-8")
    except BlogSearchError as error:
        return failure(error)
    sys.stdout.write(document)
    return int(any(fault.held < fault.runs for group in made.values() for fault in group))


def as_markdown(made: Mapping[str, tuple[Fault, ...]], options: argparse.Namespace) -> str:
    """The groups in numbers, every fault, and what it was made with."""
    titles = ("Fault", "How it is made", "Runs", "Held", "What the reader saw", "Lost", "Group")
    table = Table(*titles)
    for name, group in made.items():
        for row in group:
            runs, held = f"{row.runs:,}", f"{row.held:,}"
            table.add_row(row.what, row.made, runs, held, row.seen, row.lost, f"`{name}`")
    again = f"`python -m benchmarks.chaos GROUP --blog CONTENT --seed {options.seed}`"
    told = f"Commit `{commit()}`. Again: {again}."
    return f"{markdown(_in_numbers(made))}\n\n{told}\n\n{markdown(table)}\n"


def _in_numbers(made: Mapping[str, tuple[Fault, ...]]) -> Table:
    table = Table("Group", "Kinds of faults", "Runs", "Held")
    for name, group in made.items():
        runs, held = sum(row.runs for row in group), sum(row.held for row in group)
        table.add_row(f"`{name}`", f"{len(group):,}", f"{runs:,}", f"{held:,}")
    return table


def _made(name: str, options: argparse.Namespace) -> tuple[Fault, ...]:
    group = cast("Group", import_module(f"benchmarks.chaos.groups.{name}"))
    with tempfile.TemporaryDirectory() as work:
        given = Options(options.blog, options.nasty, Path(work), options.runs, options.seed)
        return group.faults(given, lambda said: _say(f"{name}: {said}"))


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
    parser.add_argument("--write", type=Path, metavar="FILE", help="renew the table in FILE too")
    return parser


if __name__ == "__main__":
    sys.exit(main())
