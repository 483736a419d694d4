"""What every fast test of a folder is spared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from unittest import mock

import pytest

CALIBRATED = {"search", "embedders", "test_search_blog.py"}
"""Folders and files of tests by which a confidence is told."""


@pytest.fixture(scope="module", autouse=True)
def _quick(request: pytest.FixtureRequest) -> Iterator[None]:
    """Wait for no disk, start no process, and calibrate no blog whose searches none asks.

    Of a small ingest these are half; `tests/integration` and `tests/reliability` spare nothing.
    """
    from tests.support.front import uncalibrated

    is_calibrated = CALIBRATED & {*request.path.parts[-2:]}
    no_pool = mock.patch("blog_search_mcp.ingest.workers.WORTHWHILE", 1_000)
    with mock.patch("os.fsync"), no_pool, nullcontext() if is_calibrated else uncalibrated():
        yield
