"""Programs that may map little memory: they work, or end with one sentence and the status 1."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.paths import ROOT
from tests.support.served import POSTS, indexed

if TYPE_CHECKING:
    from tests.reliability.conftest import RecordRuns

pytest.importorskip("resource", reason="Windows limits no address space")

SMALL = (60, 200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000)
"""MB; without a sentence there were SIGSEGV, a Rust abort or a traceback in each up to 1,600."""

ENOUGH = 2048


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("little")
    indexed(folder, POSTS)
    return folder


def run(place: Path, program: str, megabytes: int) -> subprocess.CompletedProcess[str]:
    index, server = str(place / "index"), [sys.executable, "-m", "blog_search_mcp.server"]
    fresh = str(place / f"new-{megabytes}")
    ingest = [sys.executable, "-m", "blog_search_mcp.ingest", str(place / "content")]
    command = {
        "ingest": [*ingest, "--index", fresh, "--embedder", "embedded"],
        "search": [*server, "search", "--index", index, "soup"],
        "doctor": [*server, "doctor", "--index", index],
        "serve": [*server, "--index", index],
    }[program]
    # Python's own preexec_fn forks with all threads of the tests, and gRPC's may abort the child.
    limited = ["sh", "-c", f'ulimit -v {megabytes << 10}; exec "$@"', "sh", *command]
    return subprocess.run(
        limited,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("program", ["ingest", "search", "doctor", "serve"])
def test_too_little_is_one_sentence(
    program: str, place: Path, full: bool, record_runs: RecordRuns
) -> None:
    sizes = SMALL if full else SMALL[::4]
    for megabytes in sizes:
        done = run(place, program, megabytes)
        said = (
            f"This process may map {megabytes:,} MB of memory and needs 2,048, most of which it "
            "will not use. Raise the limit: `ulimit -v unlimited`.\n"
        )
        assert (done.returncode, done.stdout, done.stderr) == (1, "", said), megabytes
    record_runs(len(sizes), len(sizes))


@pytest.mark.parametrize("program", ["ingest", "search", "doctor", "serve"])
def test_what_is_asked_for_is_enough(program: str, place: Path) -> None:
    done = run(place, program, ENOUGH)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
