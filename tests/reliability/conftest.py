"""Fixtures of the reliability tests: large counts with `--full`, and totals with `--totals`.

`make reliability` runs them with both. A test counts as one run unless it records more.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

RecordRuns: TypeAlias = Callable[[int, int], None]
"""Function of the number of faults made, and of those after which nothing was lost."""

FOLDER = Path(__file__).parent


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether the large counts are wanted."""
    return bool(request.config.getoption("--full"))


@pytest.fixture
def record_runs(record_property: Callable[[str, object], None]) -> RecordRuns:
    """Record that the test made its fault several times."""
    return lambda runs, held: record_property("runs", (runs, held))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(FOLDER):
            item.add_marker("reliability")
