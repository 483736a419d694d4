"""The rows of a group, kept in a file: hours of runs in, and again one table at the end out.

A group whose rows are kept is not made again at the same commit, so the long groups can run one
by one, over blogs of their own. Rows of other commits, or of files not yet committed, are not
taken: a table says what one program does.
"""

from __future__ import annotations

import json
import shlex
from argparse import Namespace
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.chaos.fault import Fault


@dataclass(frozen=True, slots=True)
class Made:
    """A group of faults that was made."""

    group: str
    commit: str
    """As `git describe` has it: ends in `-dirty` if files were changed; empty without git."""
    command: str
    """The command line that makes it again."""
    faults: tuple[Fault, ...]

    @property
    def runs(self) -> int:
        """Of all its faults."""
        return sum(fault.runs for fault in self.faults)

    @property
    def held(self) -> int:
        """Of these runs."""
        return sum(fault.held for fault in self.faults)


def keep(made: Made, folder: Path) -> None:
    """Write the rows into `folder`, in place of older ones of this group."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(asdict(made), ensure_ascii=False, indent=1)
    _file(folder, made.group).write_text(f"{text}\n", encoding="utf-8")


def kept(group: str, commit: str, folder: Path) -> Made | None:
    """What was made of `group` at `commit`, `None` if that is not in `folder`."""
    path = _file(folder, group)
    if not commit or commit.endswith("-dirty") or not path.exists():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    made = Made(**{**found, "faults": tuple(Fault(**row) for row in found["faults"])})
    return made if made.commit == commit else None


def command_of(group: str, options: Namespace) -> str:
    """The command line that makes `group` again, folders without what leads to them."""
    said = ["python", "-m", "benchmarks.chaos", group]
    if options.blog != Path("content"):
        said += ["--blog", "/".join(options.blog.parts[-2:])]
    if options.nasty is not None and group == "nasty":
        said += ["--nasty", options.nasty.name]
    return shlex.join([*said, "--runs", str(options.runs), "--seed", str(options.seed)])


def _file(folder: Path, group: str) -> Path:
    return folder / f"{group}.json"
