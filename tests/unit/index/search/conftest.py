"""Every search is tried in a folder's index and in one on a Milvus server."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.stores import Address, parse_address
from tests.support.blog import Blog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.support.blog import MakeBlog

_NUMBERS = count(1)


@pytest.fixture(params=["folder", pytest.param("milvus", marks=pytest.mark.slow)])
def address(request: pytest.FixtureRequest) -> Callable[[], Address | None]:
    """Makes the address of another index, `None` for one in a folder."""
    if request.param == "folder":
        return lambda: None
    server = request.getfixturevalue("milvus_address")
    return lambda: parse_address(f"{server}/search_{next(_NUMBERS)}")


@pytest.fixture
def blog(address: Callable[[], Address | None], tmp_path: Path) -> Iterator[MakeBlog]:
    """As everywhere, in both stores."""
    made: list[Blog] = []

    def make(posts: Mapping[str, str]) -> Blog:
        folder = tmp_path / f"blog-{len(made)}"
        made.append(Blog(folder / "content", folder / "index", address=address()))
        made[-1].content.mkdir(parents=True)
        made[-1].write(posts)
        made[-1].ingest()
        return made[-1]

    yield make
    for each in made:
        for live in each.live:
            live.close()


Kept = dict[tuple[str, tuple[tuple[str, str], ...]], tuple[Path, Address | None]]


@pytest.fixture(scope="session")
def kept_places() -> Kept:
    """By store and posts, where each blog is that tests share."""
    return {}


@pytest.fixture
def kept_blog(
    request: pytest.FixtureRequest,
    kept_places: Kept,
    address: Callable[[], Address | None],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[MakeBlog]:
    """As everywhere, in both stores."""
    made: list[Blog] = []
    store = str(request.node.callspec.params["address"])

    def make(posts: Mapping[str, str]) -> Blog:
        key = store, tuple(sorted(posts.items()))
        is_new = key not in kept_places
        if is_new:
            kept_places[key] = tmp_path_factory.mktemp("kept"), address()
        folder, there = kept_places[key]
        made.append(Blog(folder / "content", folder / "index", address=there))
        if is_new:
            made[-1].content.mkdir(parents=True)
            made[-1].write(posts)
            made[-1].ingest()
        return made[-1]

    yield make
    for each in made:
        for live in each.live:
            live.close()
