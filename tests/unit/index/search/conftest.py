"""Every search is tried in a folder's index and in one on a Milvus server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.stores import Address, parse_address
from tests.support.blog import Blog
from tests.support.milvus_server import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.support.blog import MakeBlog

Place = tuple[Path, Address | None]


@pytest.fixture(params=["folder", pytest.param("milvus", marks=pytest.mark.slow)])
def address(request: pytest.FixtureRequest) -> Callable[[str], Address | None]:
    """Makes the address of an index of that name, `None` for one in a folder."""
    if request.param == "folder":
        return lambda _name: None
    server = request.getfixturevalue("milvus").address
    return lambda name: parse_address(f"{server}/{name}")


@pytest.fixture
def blogs() -> Iterator[list[Blog]]:
    """The blogs of a test, which are closed after it."""
    made: list[Blog] = []
    yield made
    for each in made:
        for live in each.live:
            live.close()


def _open(place: Place, posts: Mapping[str, str] | None, made: list[Blog]) -> Blog:
    """Return the blog at a place; `posts` are ingested first, if any."""
    folder, there = place
    made.append(Blog(folder / "content", folder / "index", address=there))
    if posts is not None:
        made[-1].content.mkdir(parents=True)
        made[-1].write(posts)
        made[-1].ingest()
    return made[-1]


@pytest.fixture
def blog(address: Callable[[str], Address | None], blogs: list[Blog], tmp_path: Path) -> MakeBlog:
    """As everywhere, in both stores."""

    def make(posts: Mapping[str, str]) -> Blog:
        name = f"blog{len(blogs)}"
        return _open((tmp_path / name, address(name)), posts, blogs)

    return make


@pytest.fixture(scope="session")
def kept_places() -> dict[tuple[str, tuple[tuple[str, str], ...]], Place]:
    """By store and posts, where each blog is that tests share."""
    return {}


@pytest.fixture
def kept_blog(
    request: pytest.FixtureRequest,
    kept_places: dict[tuple[str, tuple[tuple[str, str], ...]], Place],
    address: Callable[[str], Address | None],
    blogs: list[Blog],
    tmp_path_factory: pytest.TempPathFactory,
) -> MakeBlog:
    """As everywhere, in both stores."""
    store = str(request.node.callspec.params["address"])

    def make(posts: Mapping[str, str]) -> Blog:
        key = store, tuple(sorted(posts.items()))
        if known := kept_places.get(key):
            return _open(known, None, blogs)
        place = tmp_path_factory.mktemp("kept"), address(f"{SHARED}{len(kept_places)}")
        kept_places[key] = place
        return _open(place, posts, blogs)

    return make
