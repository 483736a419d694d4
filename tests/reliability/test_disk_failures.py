"""A disk that says no, to whichever library writes at that moment: one sentence, nothing lost."""

from __future__ import annotations

import errno
import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from blog_search_mcp.index.vectors import memmap_writer
from tests.reliability.conftest import RecordRuns
from tests.support.faults.seccomp import available
from tests.support.paths import ROOT
from tests.support.python import run_python
from tests.unit.index.vectors.written import write

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

needs_seccomp = pytest.mark.skipif(
    not available(), reason="calls are refused by Linux's seccomp notifications"
)


@needs_seccomp
@pytest.mark.parametrize("fault", ["ENOSPC", "EROFS", "KILL"])
def test_a_refusal_or_kill_at_any_call_is_reported_and_loses_nothing(
    fault: str, tmp_path: Path, full: bool, record_runs: RecordRuns
) -> None:
    """About 300 calls change the disk; the next ingest, with nothing in the way, goes through."""
    count = 0 if full else 8
    module = "tests.support.faults.disk_calls"
    ran = run_python("-m", module, tmp_path, fault, count, timeout=None)
    assert ran.returncode == 0, ran.stderr
    runs = json.loads(ran.stdout)
    assert len(runs) >= 7
    broken = [run for run in runs if not run["holds"]]
    record_runs(len(runs), len(runs) - len(broken))
    assert broken == []


READING = """
import errno, sys
from pathlib import Path
from tests.support.faults.disk_calls import SmallBlog
from tests.support.faults.supervised import forked, supervised
small = SmallBlog(Path(sys.argv[1]))
small.write(0)
before = forked(small.ingest_and_search)[1]
ran = supervised(
    lambda _err: int(small.search() != before), small.index, lambda *_: errno.EROFS
)
print(ran.status, bool(ran.refused))
"""


@needs_seccomp
def test_an_index_on_a_read_only_disk_gives_the_same_answers(tmp_path: Path) -> None:
    command = [sys.executable, "-c", READING, str(tmp_path)]
    assert subprocess.check_output(command, cwd=ROOT, text=True) == "0 True\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("count", [1, 1000])
def test_vectors_that_do_not_fit_are_an_error_however_few(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memmap_writer, "rows_path", lambda *_: Path("/dev/full"))
    rows = np.eye(1, 64, dtype=np.float32).repeat(count, axis=0)
    with pytest.raises(OSError, match="No space left") as raised:
        write(tmp_path, 1, np.arange(count), rows)
    assert raised.value.errno == errno.ENOSPC


def bug(error: Exception) -> Any:
    def raising(*_arguments: object) -> None:
        raise error

    return raising


@pytest.mark.parametrize(
    ("place", "error"),
    [
        (
            "blog_search_mcp.index.vectors.memmap_writer.MemmapWriter.add",
            RuntimeError("a dimension of ours is wrong"),
        ),
        (
            "blog_search_mcp.index.vectors.memmap_writer.MemmapWriter.commit",
            ValueError("two lengths of ours differ"),
        ),
        (
            "blog_search_mcp.index.search.calibration.measure_reach",
            ValueError("no median of nothing"),
        ),
    ],
)
def test_a_bug_of_ours_is_not_told_as_a_full_disk(
    place: str, error: Exception, blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog({"soup.md": "# Soup\n\nBoil an onion.\n"})
    made.write({f"{number}.md": f"# Soup {number}\n\nA leek.\n" for number in range(9)})
    monkeypatch.setattr(place, bug(error))
    with pytest.raises(type(error)) as raised:
        made.ingest()
    assert raised.value is error
    assert [folder.name for folder in made.layout.generations.iterdir()] == ["000001"]


@pytest.mark.parametrize(
    ("place", "error"),
    [
        (
            "blog_search_mcp.index.lexical.documents.terms_of",
            ValueError("a field of ours is wrong"),
        ),
        (
            "blog_search_mcp.index.store.catalog_writer.CatalogWriter.add",
            sqlite3.IntegrityError("two posts alike"),
        ),
    ],
)
def test_a_bug_of_ours_in_writing_a_post_is_told_of_each_post_as_what_it_is(
    place: str, error: Exception, blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog({"soup.md": "# Soup\n\nBoil an onion.\n"})
    names = [f"{number}.md" for number in range(9)]
    made.write({name: f"# Soup {name}\n\nA leek.\n" for name in names})
    monkeypatch.setattr(place, bug(error))
    skipped = made.ingest().skipped
    assert [skip.source for skip in skipped] == names
    assert all(f"fails ({type(error).__name__}: {error})" in skip.reason for skip in skipped)
    assert list(made.manifest.posts) == ["soup.md"]


def test_a_statement_of_ours_that_sqlite_refuses_is_not_told_as_a_full_disk(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog({"soup.md": "# Soup\n\nBoil an onion.\n"})
    monkeypatch.setattr("blog_search_mcp.index.store.catalog_writer.SCHEMA", "CREATE TABLE")
    with pytest.raises(sqlite3.OperationalError, match="incomplete input"):
        made.ingest(rebuild=True)
    assert made.reader().manifest.generation == 1
