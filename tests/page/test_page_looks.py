"""How the page is met: by keyboard, screen reader, phone, in the dark, in Chinese."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.page.steps import HIT, QUERY, count, focused, in_view, opened, search
from tests.support.chromium import looking

CONTRAST = 4.5
"""WCAG 2.2 AA for text of this size."""


def test_everything_can_be_done_by_keyboard(page: Any) -> None:
    page.locator("h1").click()
    page.keyboard.press("/")
    search(page, QUERY, typed=True)
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert focused(page) == "hit-2"
    page.keyboard.press("Enter")
    opened(page)
    page.wait_for_selector("#passage-title:focus")
    page.keyboard.press("Escape")
    page.wait_for_selector("#passage", state="hidden")
    assert focused(page) == "hit-2"
    page.keyboard.press("Escape")
    assert focused(page) == "query"


def test_a_screen_reader_finds_names_and_hears_the_count(page: Any) -> None:
    search(page, QUERY)
    for role, name in [
        ("search", None),
        ("searchbox", "What to search for"),
        ("combobox", "Section"),
        ("region", "Hits"),
        ("contentinfo", "The index"),
    ]:
        assert page.get_by_role(role, name=name).count() == 1, role
    assert " ".join(page.get_by_role("status").first.inner_text().split()) == count(page)
    nameless = """() => [...document.querySelectorAll("a, button, input, select, summary")]
      .filter((each) => each.checkVisibility() && !each.textContent.trim() && !each.labels?.length)
      .map((each) => each.outerHTML)"""
    assert page.evaluate(nameless) == []


@pytest.mark.parametrize("width", [320, 900])
def test_nothing_is_cut_off_on_a_narrow_screen(width: int, browser: Any, url: str) -> None:
    with looking(browser, url, viewport={"width": width, "height": 640}, has_touch=True) as looker:
        page = looker.page
        page.goto(f"{url}/?q=fsync the parent directory")
        page.wait_for_selector(HIT)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        page.locator(HIT).first.click()
        opened(page)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.locator("#query").is_visible() is False
        assert in_view(page, ".chunk.asked mark")
        assert page.get_by_role("link", name="Back to the hits").is_visible()
        page.get_by_role("link", name="Back to the hits").click()
        page.wait_for_selector("#hits li:visible")
        assert looker.wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground_in_light_and_dark(
    scheme: str, browser: Any, url: str
) -> None:
    with looking(browser, url, color_scheme=scheme) as looker:
        page = looker.page
        page.goto(f"{url}/?q=index&source=engineering/atomic-index-swap.md&chunk=1")
        opened(page)
        page.wait_for_selector(f"{HIT} >> nth=1")
        sought = ("body", ".where", HIT, ".preview mark", ".chunk p", ".chunk pre", ".place")
        shown = (".chunk:not(.asked) p", ".text h3", ".text code", ".text mark")
        found = {each: contrast(page, each) for each in (*sought, *shown)}
        assert {each: value for each, value in found.items() if value < CONTRAST} == {}
        is_dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert (luminance(is_dark) < 0.1) is (scheme == "dark")
        assert looker.wrong == []


def contrast(page: Any, selector: str) -> float:
    """WCAG's ratio of a text's colour to the nearest ground behind it."""
    script = """(node) => {
      const colour = getComputedStyle(node).color;
      while (node && getComputedStyle(node).backgroundColor === "rgba(0, 0, 0, 0)")
        node = node.parentElement;
      return [colour, getComputedStyle(node).backgroundColor];
    }"""
    one, other = (luminance(each) for each in page.locator(selector).first.evaluate(script))
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def luminance(colour: str) -> float:
    numbers = [float(number) for number in re.findall(r"[\d.]+", colour.partition("(")[2])][:3]
    parts = numbers if colour.startswith("color(") else [number / 255 for number in numbers]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
