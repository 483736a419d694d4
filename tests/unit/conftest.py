"""What every fast test of a folder is spared."""

from collections.abc import Iterator
from unittest import mock

import pytest


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    """Wait for no disk and start no process; `tests/integration` and others spare nothing."""
    no_pool = mock.patch("blog_search_mcp.ingest.workers.MIN_POOLED", 1_000)
    with mock.patch("os.fsync"), no_pool:
        yield
