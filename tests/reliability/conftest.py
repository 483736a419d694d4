"""What the reliability tests share: large counts with `--full`, and totals with `--totals`.

`make reliability` runs them with both. A test counts as one run unless it records more.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.support.faults.ollama_stage import Stage, stage

RecordRuns: TypeAlias = Callable[[int, int], None]
"""Takes how often the fault was made, and how often nothing was lost and nobody misled."""

FOLDER = Path(__file__).parent


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether the large counts are wanted."""
    return bool(request.config.getoption("--full"))


@pytest.fixture
def record_runs(record_property: Callable[[str, object], None]) -> RecordRuns:
    """Record that the test made its fault several times."""
    return lambda runs, held: record_property("runs", (runs, held))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared corpora: BLOG_SHARED, or `shared` beside the repository."""
    folder = Path(os.environ.get("BLOG_SHARED") or FOLDER.parents[2] / "shared")
    if not (folder / "corpora" / "unpack").exists():
        pytest.skip(f"there are no shared corpora at {folder}; name them in BLOG_SHARED")
    return folder


@pytest.fixture
def new_stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    """A blog that was never ingested, on a stage of the module's STAGE."""
    with stage(tmp_path, request.module.STAGE) as made:
        yield made


@pytest.fixture(scope="module")
def good_index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of that blog, made with a server that was well."""
    with stage(tmp_path_factory.mktemp("good"), request.module.STAGE) as made:
        made.ingest()
        return made.index


@pytest.fixture
def indexed_stage(good_index: Path, new_stage: Stage) -> Stage:
    """The blog with that index."""
    shutil.copytree(good_index, new_stage.index)
    return new_stage


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(FOLDER):
            item.add_marker("reliability")
