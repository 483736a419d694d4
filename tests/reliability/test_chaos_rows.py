"""The rows of the faults' table: kept between commands, and never mixed between commits."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from benchmarks.chaos.__main__ import as_markdown
from benchmarks.chaos.fault import Fault
from benchmarks.chaos.rows import Made, command_of, keep, kept

MADE = Made(
    "disks",
    "0123456789abcdef",
    "python -m benchmarks.chaos disks --runs 2 --seed 1",
    (Fault("disk full", "ENOSPC [28]", 1200, 1199, "“No space…” 1199", "answers"),),
)


def test_rows_are_taken_again_at_the_commit_they_were_made_at_and_no_other(tmp_path: Path) -> None:
    rows = tmp_path / "rows"
    assert kept("disks", MADE.commit, rows) is None
    keep(MADE, rows)
    assert kept("disks", MADE.commit, rows) == MADE
    assert kept("disks", "fedcba9876543210", rows) is None
    assert kept("wire", MADE.commit, rows) is None


def test_rows_of_files_not_committed_are_never_taken_again(tmp_path: Path) -> None:
    for commit in ("0123456789abcdef-dirty", ""):
        keep(replace(MADE, commit=commit), tmp_path)
        assert kept("disks", commit, tmp_path) is None


def test_the_document_has_each_group_with_its_command_and_each_fault() -> None:
    assert as_markdown([MADE]) == (
        "| Group | Kinds of faults | Runs | Held | Commit | Again |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| `disks` | 1 | 1,200 | 1,199 | `0123456789ab` "
        "| `python -m benchmarks.chaos disks --runs 2 --seed 1` |\n\n"
        "| Fault | How it is made | Runs | Held | What the reader saw | Lost | Group |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
        "| disk full | ENOSPC [28] | 1,200 | 1,199 | “No space…” 1199 | answers | `disks` |\n"
    )


def test_kinds_that_go_by_one_name_are_counted_together() -> None:
    rows = tuple(
        Fault(what, "", runs, runs, "") for what, runs in (("a: b", 2), ("a: c", 3), ("d: e", 4))
    )
    assert as_markdown([replace(MADE, faults=rows)]).splitlines()[2:4] == [
        "| `disks` | 3 | 9 | 9 | `0123456789ab` "
        "| `python -m benchmarks.chaos disks --runs 2 --seed 1` |",
        "| `disks`: a | 2 | 5 | 5 |  |  |",
    ]


def test_a_command_names_folders_without_what_leads_to_them() -> None:
    options = Namespace(blog=Path("/home/me/blog/posts"), nasty=Path("/x/hard"), runs=9, seed=1)
    assert command_of("nasty", options) == (
        "python -m benchmarks.chaos nasty --blog blog/posts --nasty hard --runs 9 --seed 1"
    )
    given = Namespace(blog=Path("content"), nasty=Path("/x/hard"), runs=9, seed=1)
    assert command_of("wire", given) == "python -m benchmarks.chaos wire --runs 9 --seed 1"
