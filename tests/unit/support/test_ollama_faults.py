"""Every kind of fault that `python -m benchmarks.chaos ollama` makes, held here too."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.chaos.ollama.at_ingest import AT_INGEST
from benchmarks.chaos.ollama.kind import Kind
from benchmarks.chaos.ollama.later import AT_A_QUERY, AT_THE_NEXT_INGEST
from benchmarks.chaos.ollama.play import Play, good_index, plays


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return good_index(tmp_path_factory.mktemp("good"))


def played(kind: Kind, index: Path) -> Play:
    return next(play for each, play in plays(index) if each is kind)


@pytest.mark.parametrize(
    "kind", [*AT_INGEST, *AT_THE_NEXT_INGEST, *AT_A_QUERY], ids=lambda kind: kind.what
)
def test_a_fault_is_passed_over_or_said_and_never_spoils_an_index(
    kind: Kind, index: Path, tmp_path: Path
) -> None:
    assert played(kind, index)(kind, tmp_path / "blog").faults == ()


def test_no_two_kinds_have_one_name() -> None:
    names = [kind.what for kind in (*AT_INGEST, *AT_THE_NEXT_INGEST, *AT_A_QUERY)]
    assert len(set(names)) == len(names) >= 40
