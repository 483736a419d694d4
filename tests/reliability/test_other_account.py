"""Posts and indexes of another account: each command does its work or says what it may not do.

The oracle is the exit status, what the command says, that it is no traceback, and that the owner
finds in the index what it held.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.support.front import command
from tests.support.paths import ROOT

SETPRIV = shutil.which("setpriv")
"""Of util-linux: starts a process of root that is bound by permissions as any other account is."""

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or SETPRIV is None,
    reason="only root gives files to another account",
)

OTHER = 65534
"""An account that owns nothing on most systems."""

POSTS = {
    "soup.md": "# Soup\n\nBoil an onion.\n",
    "tea.md": "# Tea\n\nA zebrafinch drinks a leaf.\n",
}


COMMANDS = """
import json
import sys
from tests.support.front import command
for line in sys.stdin:
    ran = command(*json.loads(line))
    print(json.dumps([ran.status, ran.out + ran.err]), flush=True)
"""
"""Runs the commands that it is told, a line each."""

Commands: TypeAlias = "subprocess.Popen[str]"


@pytest.fixture(scope="module")
def bound() -> Iterator[Commands]:
    """A process that is bound by permissions, and runs commands."""
    assert SETPRIV is not None
    start = [SETPRIV, "--bounding-set=-all", "--inh-caps=-all", sys.executable, "-c", COMMANDS]
    pipe = subprocess.PIPE
    with subprocess.Popen(start, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield process
        process.kill()


@dataclass(frozen=True, slots=True)
class Place:
    """A blog, whose commands are bound by permissions if they are not the owner's."""

    folder: Path
    process: Commands

    @property
    def content(self) -> Path:
        return self.folder / "content"

    @property
    def index(self) -> Path:
        return self.folder / "home" / "index"

    def run(self, *arguments: str | Path, bound: bool) -> tuple[int, str]:
        """Run a command: the exit status, and what it says on either stream."""
        words = [*map(str, arguments)]
        if bound:
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            self.process.stdin.write(f"{json.dumps(words)}\n")
            self.process.stdin.flush()
            status, said = json.loads(self.process.stdout.readline())
        else:
            ran = command(*words)
            status, said = ran.status, ran.out + ran.err
        assert "Traceback" not in said, said
        return status, said

    def ingest(self, *options: str, bound: bool = True) -> tuple[int, str]:
        embedded = ("--embedder", "embedded", *options)
        return self.run("ingest", self.content, "--index", self.index, *embedded, bound=bound)

    def search(self, query: str, *, bound: bool = True) -> tuple[int, str]:
        return self.run("search", "--index", self.index, "--", query, bound=bound)

    def is_found(self, *, bound: bool = True) -> bool:
        status, said = self.search("zebrafinch", bound=bound)
        return status == 0 and "tea.md" in said

    def write(self, source: str, text: str) -> None:
        (self.content / source).write_text(text, "utf-8")

    def ingest_as_other(self) -> None:
        """Ingest, and give what that made to the other account."""
        before = {*self.index.rglob("*")}
        assert self.ingest(bound=False)[0] == 0
        for path in {*self.index.rglob("*"), *([] if before else [self.index])} - before:
            os.chown(path, OTHER, OTHER)


@pytest.fixture
def place(tmp_path: Path, bound: Commands) -> Place:
    made = Place(tmp_path, bound)
    made.content.mkdir()
    made.index.parent.mkdir()
    for source, text in POSTS.items():
        made.write(source, text)
    return made


def close(path: Path, mode: int) -> None:
    """Give a file or folder to the other account, with this mode."""
    os.chown(path, OTHER, OTHER)
    path.chmod(mode)


def test_an_index_that_may_not_be_made_is_said(place: Place) -> None:
    close(place.index.parent, 0o755)
    status, said = place.ingest()
    assert (status, said.count("\n")) == (1, 1)
    assert "permission" in said
    assert not place.index.exists()


def test_an_index_of_another_account_is_searched_and_not_changed(place: Place) -> None:
    place.ingest_as_other()
    before = {path: path.stat().st_mtime_ns for path in place.index.rglob("*.*")}
    assert place.is_found()
    place.write("kite.md", "# Kite\n\nA kite flies.\n")
    for options in ((), ("--rebuild",)):
        status, said = place.ingest(*options)
        assert (status, said.count("\n")) == (1, 1)
        assert "permission" in said.lower()
    assert {path: path.stat().st_mtime_ns for path in place.index.rglob("*.*")} == before
    assert place.is_found()
    place.ingest_as_other()
    assert "kite.md" in place.search("kite")[1]


def test_an_index_that_may_not_be_read_is_said(place: Place) -> None:
    place.ingest_as_other()
    place.index.chmod(0o700)
    for status, said in (place.search("zebrafinch"), place.ingest()):
        assert status == 1
        assert "index cannot be used" in said
    place.index.chmod(0o755)
    (place.index / "generations").chmod(0o700)
    for status, said in (place.search("zebrafinch"), place.ingest()):
        assert status == 1
        assert "index cannot be used" in said
    assert place.is_found(bound=False)


def test_a_file_of_the_index_that_may_not_be_read_is_said(place: Place) -> None:
    place.ingest_as_other()
    for name in ("chunks.db", "vectors/directory.npz", "lexical/posts/meta.json"):
        path = place.index / "generations" / "000001" / name
        path.chmod(0o600)
        for status, said in (place.search("zebrafinch"), place.ingest()):
            assert (status, said.count("\n")) == (1, 1)
            assert f"This account may not read the index's {name}. Give it" in said
        path.chmod(0o644)
    assert place.is_found()
