"""Tests of what becomes of files, by which no confidence is told."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _uncalibrated(uncalibrated: None) -> None:
    """Spare what only a search needs."""
