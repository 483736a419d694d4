"""Fixtures that any test may ask for; what they need is imported when one does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

# A busy machine is no failure; on CI, Hypothesis's own profile also draws the same examples.
settings.register_profile("patient", settings.default, deadline=None)
settings.load_profile("patient")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def blog(tmp_path: Path) -> Iterator[MakeBlog]:
    """Writes posts, by source, and ingests them."""
    from tests.support.blog import Blog

    made: list[Blog] = []

    def make(posts: Mapping[str, str]) -> Blog:
        folder = tmp_path / f"blog-{len(made)}"
        made.append(Blog(folder / "content", folder / "index"))
        made[-1].content.mkdir(parents=True)
        made[-1].write(posts)
        made[-1].ingest()
        return made[-1]

    yield make
    for each in made:
        for live in each.live:
            live.close()
