"""Tests of what becomes of files, by which no confidence is told."""

import pytest


@pytest.fixture(autouse=True)
def _uncalibrated(uncalibrated: None) -> None:
    """Spare what only a search needs."""
