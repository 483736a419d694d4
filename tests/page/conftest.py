"""Chromium, and the page of a server over the sample posts.

Skipped where Playwright is not installed (`make browser` does so) or no Chromium is on the path.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from blog_search_mcp.server.engine import Engine
from tests.page.steps import HIT
from tests.support.blog import Blog
from tests.support.chromium import PATH, Looker, chromium, looking, served
from tests.support.paths import ROOT


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: make browser")
    if not PATH:
        pytest.skip("there is no Chromium on the path")
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """What searches the sample posts."""
    made = Blog(ROOT / "content", tmp_path_factory.mktemp("index"), today=date(2026, 11, 21))
    made.ingest()
    yield made.engine()
    for live in made.live:
        live.close()


@pytest.fixture(scope="module")
def url(searcher: Engine) -> Iterator[str]:
    with served(searcher) as address:
        yield address


@pytest.fixture
def looker(browser: Any, url: str) -> Iterator[Looker]:
    with looking(browser, url) as looker:
        looker.page.goto(f"{url}/")
        looker.page.wait_for_selector(HIT)
        yield looker
        assert looker.wrong == []


@pytest.fixture
def page(looker: Looker) -> Any:
    return looker.page
