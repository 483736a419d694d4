"""The table of before and after, and what is said where there is no before."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools.before_and_after.__main__ import NoCommit, find_commit, heading, row


def git(repository: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", "-C", str(repository), *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of two commits."""
    made = tmp_path / "made"
    made.mkdir()
    git(made, "init", "--quiet")
    for message in ("one", "two"):
        git(made, "commit", "--quiet", "--allow-empty", "--message", message)
    return made


def test_a_row_is_one_line_of_as_many_cells_as_the_heading() -> None:
    assert [*heading(), row(("1", "a pipe", "a | b", "two\nlines"))] == [
        "| number | thing | before | after |",
        "| --: | --- | --- | --- |",
        "| 1 | a pipe | a \\| b | two lines |",
    ]


def test_a_commit_is_found_by_the_beginning_of_its_hash(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD~1")
    assert find_commit(first[:9], repository) == first


def test_a_shallow_clone_is_told_what_to_run(repository: Path, tmp_path: Path) -> None:
    first = git(repository, "rev-parse", "HEAD~1")[:9]
    clone = tmp_path / "clone"
    git(repository, "clone", "--quiet", "--depth", "1", repository.as_uri(), str(clone))
    with pytest.raises(NoCommit) as raised:
        find_commit(first, clone)
    assert str(raised.value) == (
        f"This clone is shallow and lacks the commit {first}. Run `git fetch --unshallow` first."
    )


def test_a_commit_that_is_none_is_told(repository: Path) -> None:
    with pytest.raises(NoCommit, match=r"^There is no commit 0000000 here\. Run `git log`"):
        find_commit("0000000", repository)
