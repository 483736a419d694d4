"""Print what thirteen faults do to an earlier commit and to this tree, as a Markdown table.

`python -m tools.before_and_after [--before COMMIT] [--only 1,3]`

The commit is checked out into a temporary worktree. Each fault is made once for each tree, with the
libraries that are installed here and a stand-in of Ollama; the reliability tests make the same
faults, and more of each, of this tree alone.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tools.before_and_after.trials import TRIALS, outcome

ROOT = Path(__file__).resolve().parents[2]
BEFORE = "905c050"
"""Main before the first of these faults was mended."""


class NoCommit(Exception):
    """The earlier commit is not here; the message says what to run."""


def main() -> int:
    """Print the table, a row as soon as it is known."""
    parser = argparse.ArgumentParser(description="Compare thirteen faults before and after.")
    parser.add_argument("--before", default=BEFORE, metavar="COMMIT", help="default %(default)s")
    parser.add_argument("--only", default="", metavar="NUMBERS", help="separated by commas")
    options = parser.parse_args()
    numbers = [int(number) for number in options.only.split(",") if number] or list(TRIALS)
    try:
        with tempfile.TemporaryDirectory() as folder:
            _compare(options.before, numbers, Path(folder))
    except NoCommit as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def row(cells: Sequence[str]) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in map(_line, cells))} |"


def heading() -> Iterable[str]:
    """Return the two lines above the rows."""
    return row(("number", "thing", "before", "after")), "| --: | --- | --- | --- |"


def find_commit(name: str, repository: Path) -> str:
    """Return the commit's full hash. Raises NoCommit."""
    found = _git(repository, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if found.returncode == 0:
        return found.stdout.strip()
    if _git(repository, "rev-parse", "--is-shallow-repository").stdout.strip() == "true":
        raise NoCommit(
            f"This clone is shallow and lacks the commit {name}. Run `git fetch --unshallow` first."
        )
    raise NoCommit(f"There is no commit {name} here. Run `git log` and name one with --before.")


def _compare(before: str, numbers: Sequence[int], folder: Path) -> None:
    with _worktree(find_commit(before, ROOT), folder / "tree") as earlier:
        print("\n".join(heading()), flush=True)  # noqa: T201
        for number in numbers:
            trial = TRIALS[number]
            said = (
                outcome(trial, tree, folder / f"{number}-{name}")
                for name, tree in (("before", earlier), ("after", ROOT))
            )
            print(row((str(number), trial.thing, *said)), flush=True)  # noqa: T201


@contextmanager
def _worktree(commit: str, place: Path) -> Iterator[Path]:
    made = _git(ROOT, "worktree", "add", "--quiet", "--detach", str(place), commit)
    if made.returncode:
        raise NoCommit(f"git cannot check the commit out: {_line(made.stderr)}")
    try:
        yield place
    finally:
        _git(ROOT, "worktree", "remove", "--force", str(place))


def _git(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main())
