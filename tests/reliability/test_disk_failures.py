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

from benchmarks.chaos.seccomp import available
from blog_search_mcp.index.vectors.writer import new_vectors
from tests.support.paths import ROOT

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Vectors
    from tests.support.blog import MakeBlog

SEVERAL = 8
"""Of the about 300 calls by which an ingest changes the disk; `make chaos` takes all."""

needs_seccomp = pytest.mark.skipif(
    not available(), reason="calls are refused by Linux's seccomp notifications"
)

REFUSING = """
import json, sys
from pathlib import Path
from benchmarks.chaos.groups.disks import held
from benchmarks.chaos.steps import refused_from, steps
folder, error, several = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
spread = lambda calls: range(1, calls + 1, calls // several)
made = steps(folder, lambda number: refused_from(number, error), spread).steps
print(json.dumps([[step.ran.refused, step.ran.said, held(step)] for step in made]))
"""

KILLING = """
import json, sys
from pathlib import Path
from benchmarks.chaos.steps import killed_at, steps
folder, several = Path(sys.argv[1]), int(sys.argv[2])
spread = lambda calls: range(1, calls + 1, calls // several)
made = steps(folder, killed_at, spread).steps
print(json.dumps([[step.ran.status, step.serves in ("before", "after"), step.mended]
                  for step in made]))
"""

READING = """
import errno, json, sys
from pathlib import Path
from benchmarks.chaos.steps import Small
from benchmarks.chaos.supervised import forked, supervised
small = Small(Path(sys.argv[1]))
small.write(0)
before = forked(small.again)[1]
ran = supervised(
    lambda _err: int(small.answers() != before), small.index, lambda *_: errno.EROFS
)
print(json.dumps([ran.status, bool(ran.refused)]))
"""


def program(code: str, *arguments: object) -> Any:
    ran = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@needs_seccomp
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_refuses_from_any_call_on_is_one_sentence_and_nothing_is_lost(
    error: int, tmp_path: Path
) -> None:
    """Told, the answers as before; the next ingest, with nothing in the way, goes through."""
    made = program(REFUSING, tmp_path, error, SEVERAL)
    assert len(made) >= SEVERAL
    assert [step for step in made if not step[2]] == []


@needs_seccomp
def test_a_kill_before_any_call_leaves_one_whole_index(tmp_path: Path) -> None:
    made = program(KILLING, tmp_path, SEVERAL)
    assert len(made) >= SEVERAL
    assert made == [[-9, True, True]] * len(made)


@needs_seccomp
def test_an_index_on_a_read_only_disk_gives_the_same_answers(tmp_path: Path) -> None:
    assert program(READING, tmp_path) == [0, True]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("count", [1, 1000])
def test_vectors_that_do_not_fit_are_an_error_however_few(count: int) -> None:
    rows = np.eye(1, 64, dtype=np.float32).repeat(count, axis=0)
    with pytest.raises(OSError, match="No space left") as raised:
        written(Path("/dev/full"), rows)
    assert raised.value.errno == errno.ENOSPC


def written(path: Path, rows: Vectors) -> None:
    with new_vectors(path, 64) as file:
        file.append(np.arange(len(rows), dtype=np.int64), rows)
        file.finish()


def bug(error: Exception) -> Any:
    def raising(*_arguments: object) -> None:
        raise error

    return raising


@pytest.mark.parametrize(
    ("place", "error"),
    [
        (
            "blog_search_mcp.index.vectors.writer.VectorFile.append",
            RuntimeError("a dimension of ours is wrong"),
        ),
        (
            "blog_search_mcp.index.vectors.writer.VectorFile.finish",
            ValueError("two lengths of ours differ"),
        ),
        (
            "blog_search_mcp.index.lexical.documents.terms_of",
            ValueError("a field of ours is wrong"),
        ),
        (
            "blog_search_mcp.index.store.catalog_writer.CatalogWriter.add",
            sqlite3.IntegrityError("two posts alike"),
        ),
        ("blog_search_mcp.index.search.calibration.calibrate", ValueError("no median of nothing")),
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


def test_a_statement_of_ours_that_sqlite_refuses_is_not_told_as_a_full_disk(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog({"soup.md": "# Soup\n\nBoil an onion.\n"})
    monkeypatch.setattr("blog_search_mcp.index.store.catalog_writer.SCHEMA", "CREATE TABLE")
    with pytest.raises(sqlite3.OperationalError, match="incomplete input"):
        made.ingest(rebuild=True)
    assert made.reader().manifest.generation == 1
