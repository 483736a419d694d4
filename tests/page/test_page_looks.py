"""How the page is met: by keyboard, screen reader, phone, in the dark, in Chinese."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.page.steps import HIT, QUERY, focused, in_view, opened, search, texts
from tests.support.blog import MakeBlog
from tests.support.chromium import looking, served

CONTRAST = 4.5
"""WCAG 2.2 AA for text of this size."""


def test_everything_can_be_done_by_keyboard(page: Any) -> None:
    page.locator("h1").click()
    page.keyboard.press("/")
    search(page, QUERY, typed=True)
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
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
    roles = {"searchbox": "What to search for", "combobox": "Section", "region": "Hits"}
    for role, name in roles.items():
        assert page.get_by_role(role, name=name).count() == 1, role
    assert re.search(r"\d+ passages", page.get_by_role("status").first.inner_text())
    nameless = """() => [...document.querySelectorAll("a, button, input, select")]
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
        ratios = {each: contrast(page, each) for each in (*sought, *shown)}
        assert {each: ratio for each, ratio in ratios.items() if ratio < CONTRAST} == {}
        ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert (luminance(ground) < 0.1) is (scheme == "dark")
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


CHINESE = {
    "zh-TW": ("鍵值快取", "模型會把**鍵與值**保留在記憶體之中，所以不必重新計算。", "1 個段落"),
    "zh-CN": ("缓存", "模型会把**键与值**的缓存保留在内存之中，所以不必重新计算。", "1 个段落"),
}
"""By locale: a query, a post that it finds, and the count of its hits."""
ENGLISH = {"the", "The", "of", "post", "posts", "passage", "hit", "All", "Any", "read", "words"}


@pytest.mark.parametrize("locale", CHINESE)
def test_the_page_speaks_the_language_of_the_browser(
    locale: str, browser: Any, blog: MakeBlog
) -> None:
    query, text, count = CHINESE[locale]
    made = blog({"a.md": f"---\ntitle: {query}\ndate: 2025-03-04\ntags: [x]\n---\n{text}\n"})
    with served(made.engine()) as url, looking(browser, url, locale=locale) as looker:
        page = looker.page
        page.goto(f"{url}/")
        page.wait_for_selector(HIT)
        script = {"zh-TW": "zh-Hant", "zh-CN": "zh-Hans"}[locale]
        assert page.locator("html").get_attribute("lang") == script
        page.keyboard.insert_text(query)
        page.wait_for_selector(f"#count:text-is('{count}')")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        opened(page)
        assert texts(page, "#hits time") == ["2025年3月4日"]
        assert texts(page, ".asked strong") == [text.split("**")[1]]
        assert ENGLISH & set(page.evaluate("document.body.innerText").split()) == set()
        assert looker.wrong == []
