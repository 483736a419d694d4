"""The load benchmark: what it makes of what it saw, and one small run of it against the server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from benchmarks.load.clients import READ, SEARCH, Seen
from benchmarks.load.refusals import CLOSED, RIGHT
from benchmarks.load.report import Load, as_markdown, percentile
from benchmarks.served import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def load(errors: tuple[str, ...] = (), **answers: Counter[str]) -> Load:
    alone = Seen({SEARCH: [0.010], READ: [0.002]})
    together = Seen({SEARCH: [0.001 * n for n in range(1, 101)], READ: []}, list(errors))
    named = {kind.replace("_", " "): counts for kind, counts in answers.items()}
    right = {kind: Counter({answer: 2}) for kind, answer in RIGHT.items()}
    return Load("run", "abc", "2 cores", 22, 32, 60, alone, together, 1.02, right | named)


@pytest.mark.parametrize(
    ("share", "value"), [(0.0, 1.0), (0.5, 2.0), (0.51, 3.0), (0.95, 4.0), (1.0, 4.0)]
)
def test_a_percentile_is_a_value_that_was_seen(share: float, value: float) -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], share) == value


def test_every_call_and_every_refusal_is_counted() -> None:
    said = as_markdown(load()).splitlines()
    assert said[0].endswith("The server used 10.0 ms of processor time for a call.")
    assert said[4:7] == [
        "| 1 | `search_blog` | 1 | 0 | 10 | 10 | 10 |",
        "| 1 | `read_chunk` | 1 | 0 | 2 | 2 | 2 |",
        "| 32 | `search_blog` | 100 | 0 | 50 | 95 | 99 |",
    ]
    assert said[10:] == [
        "| foreign Host | 2 | 421 (2) |",
        "| foreign Origin | 2 | 403 (2) |",
        "| no token | 2 | 401 (2) |",
        "| wrong token | 2 | 401 (2) |",
        "| body of 5 MB | 2 | 413 (2) |",
        "| slow body | 2 | 408 (2) |",
        "| slow head | 2 | closed (2) |",
    ]


def test_a_run_holds_unless_a_call_failed_or_a_refusal_was_another() -> None:
    assert load().holds
    assert not load(errors=("a client left",)).holds
    assert not load(slow_body=Counter({"408": 3, CLOSED: 1})).holds
    assert not load(no_token=Counter()).holds


def test_a_real_server_answers_every_client_and_refuses_the_others(tmp_path: Path) -> None:
    (tmp_path / "soup.md").write_text("# Onion soup\n\nBoil an onion.\n\n## Salt\n\nA pinch.\n")
    small = ["--clients", "4", "--seconds", "1", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.load", str(tmp_path), *small],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert [phase["errors"] for phase in said["phases"]] == [0, 0]
    assert {row["tool"] for row in said["phases"][1]["tools"]} == {SEARCH, READ}
    assert {kind: [*counts] for kind, counts in said["refusals"].items()} == {
        kind: [answer] for kind, answer in RIGHT.items()
    }
