"""Fixtures that any test may ask for; what they need is imported when one does."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from unittest import mock

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from blog_search_mcp.index.milvus.client import Milvus
    from blog_search_mcp.index.stores import IndexAddress
    from tests.support.blog import Blog, MakeBlog

AddressOf: TypeAlias = "Callable[[str], IndexAddress | None]"
Place: TypeAlias = "tuple[Path, IndexAddress | None]"
"""Place of a blog: its folder, and the address of its index if that is elsewhere."""

# A busy machine is no failure; on CI, Hypothesis's own profile also draws the same examples.
settings.register_profile("patient", settings.default, deadline=None)
settings.register_profile("quick", settings.get_profile("patient"), max_examples=30)
"""Profile of `make test`; every other run draws more than three times as many examples."""
settings.load_profile("patient")


FAST = ("unit", "docs")
"""Folders of tests that `make test` runs; the others are marked slow."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage during imports, nor later among objects that live to the end."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what starts processes, breaks disks, needs an install or asks a Milvus."""
    here = Path(__file__).parent
    for item in items:
        is_within = item.path.is_relative_to(here)
        is_slow = is_within and item.path.relative_to(here).parts[0] not in FAST
        if is_slow or "milvus_address" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def address() -> AddressOf:
    """Function that returns the address of an index by its name, `None` for one in a folder."""
    return lambda _name: None


@pytest.fixture
def blogs() -> Iterator[list[Blog]]:
    """The blogs of a test, which are closed after it."""
    made: list[Blog] = []
    yield made
    for each in made:
        for live in each.live:
            live.close()


@pytest.fixture
def blog(address: AddressOf, blogs: list[Blog], tmp_path: Path) -> MakeBlog:
    """Writes posts, by source, and ingests them."""

    def make(posts: Mapping[str, str]) -> Blog:
        name = f"blog{len(blogs)}"
        return _open((tmp_path / name, address(name)), posts, blogs)

    return make


@pytest.fixture(scope="session")
def kept_places() -> dict[tuple[bool, tuple[tuple[str, str], ...]], Place]:
    """Places of the blogs that tests share, by whether they have an address and by posts."""
    return {}


@pytest.fixture
def kept_blog(
    kept_places: dict[tuple[bool, tuple[tuple[str, str], ...]], Place],
    address: AddressOf,
    blogs: list[Blog],
    tmp_path_factory: pytest.TempPathFactory,
) -> MakeBlog:
    """As `blog`, but posts are ingested once for all tests, none of which may change them."""
    from tests.support.milvus_server import SHARED

    def make(posts: Mapping[str, str]) -> Blog:
        there = address(f"{SHARED}{len(kept_places)}")
        key = there is not None, tuple(sorted(posts.items()))
        if known := kept_places.get(key):
            return _open(known, None, blogs)
        kept_places[key] = tmp_path_factory.mktemp("kept") / "blog", there
        return _open(kept_places[key], posts, blogs)

    return make


def _open(place: Place, posts: Mapping[str, str] | None, made: list[Blog]) -> Blog:
    """Return the blog at a place; `posts` are ingested first, if any."""
    from tests.support.blog import Blog

    folder, there = place
    made.append(Blog(folder / "content", folder / "index", address=there))
    if posts is not None:
        made[-1].content.mkdir(parents=True)
        made[-1].write(posts)
        made[-1].ingest()
    return made[-1]


@pytest.fixture(scope="session")
def milvus_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Milvus server that all tests of a process share, and nothing copied yet."""
    from tests.support.milvus_server import MISSING, serving

    if MISSING:
        pytest.skip(MISSING)
    copies = {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("copies"))}
    data = tmp_path_factory.mktemp("milvus") / "data"
    with serving(data) as address, mock.patch.dict(os.environ, copies):
        yield address


@pytest.fixture
def milvus(milvus_address: str) -> Iterator[Milvus]:
    """A connection to that server, which has nothing but what tests share.

    It is cleared before each test too: a writer that was killed may be served after its death.
    """
    from blog_search_mcp.index.milvus.client import Milvus
    from tests.support.milvus_server import clear

    client = Milvus(milvus_address)
    clear(client)
    yield client
    clear(client)


@pytest.fixture
def round_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks and estimates confidence by a model with round numbers instead of the fitted one."""
    from blog_search_mcp.index.search import confidence, ranking
    from tests.support.models import MODEL

    for module in (confidence, ranking):
        monkeypatch.setattr(module, "load_ranking_model", lambda: MODEL)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("reliability")
    group.addoption("--full", action="store_true", help="make each fault as often as documented")
    group.addoption("--totals", action="store_true", help="print the faults made and held by group")


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Print how many faults of each reliability module were made, and after how many all was well.

    A failed test that recorded no runs counts as one run that was not held.
    """
    if not config.getoption("--totals"):
        return
    totals: dict[str, tuple[int, int]] = {}
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            module = report.nodeid.partition("::")[0]
            if report.when != "call" or not module.startswith("tests/reliability/test_"):
                continue
            runs, held = dict(report.user_properties).get("runs", (1, int(report.passed)))
            group = module.removeprefix("tests/reliability/test_").removesuffix(".py")
            before = totals.get(group, (0, 0))
            totals[group] = (before[0] + runs, before[1] + held)
    lines = ["", "| group | runs | held |", "| --- | --: | --: |"]
    lines += [f"| {name} | {runs:,} | {held:,} |" for name, (runs, held) in sorted(totals.items())]
    terminalreporter.write_line("\n".join(lines))
