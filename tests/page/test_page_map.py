"""The map as people meet it: by pointer, keyboard and list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.chromium import looking

if TYPE_CHECKING:
    from collections.abc import Iterator

DOT = ".dots a"


@pytest.fixture
def page(browser: Any, url: str) -> Iterator[Any]:
    with looking(browser, url) as found:
        found.page.goto(f"{url}/map")
        found.page.wait_for_selector(DOT)
        yield found.page
        assert found.wrong == []


def name(page: Any) -> str:
    return str(page.evaluate("document.activeElement.firstChild.textContent"))


def test_the_arrow_keys_move_from_dot_to_dot_and_enter_opens_a_post(page: Any) -> None:
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    first = name(page)
    assert page.inner_text(".told") == first
    for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    assert page.locator(f"{DOT}[tabindex='0']").count() == 1
    now = name(page)
    page.keyboard.press("Enter")
    page.wait_for_selector("#passage-title")
    assert now.startswith(page.inner_text("#passage-title"))
    page.go_back()
    page.wait_for_selector(DOT)


def test_every_post_is_in_the_lists_too(page: Any) -> None:
    dots = page.locator(DOT).evaluate_all("all => all.map((each) => each.getAttribute('href'))")
    items = page.locator("details li a").evaluate_all(
        "all => all.map((each) => each.getAttribute('href'))"
    )
    assert sorted(dots) == sorted(items)
    page.locator("summary").first.click()
    page.locator("details li a").first.click()
    page.wait_for_selector("#passage-title")


def test_the_search_page_leads_to_the_map_and_back(page: Any, url: str) -> None:
    page.locator("header a").click()
    page.locator("footer a[href='/map']").click()
    page.wait_for_selector(DOT)
    assert page.url == f"{url}/map"
