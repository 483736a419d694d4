"""The page in the language of the browser: its words, dates, keyboard and contrast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.page.steps import HIT, focused, opened, texts
from tests.page.test_page_looks import CONTRAST, contrast
from tests.support.chromium import looking, served

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

LOCALES = {"zh-Hant": "zh-TW", "zh-Hans": "zh-CN"}
BLOGS = {
    "zh-Hant": (
        "鍵值快取",
        "鍵值快取",
        "模型會把**鍵與值**保留在記憶體之中，所以不必重新計算。",
        {
            "#blog": "搜尋部落格",
            "#count": "1 個段落",
            "#sure": "可信度：高",
            ".chunk .place": "第 6 至 6 行",
            "#clear": "清除篩選",
            "#hits time": "2025年3月4日",
        },
    ),
    "zh-Hans": (
        "缓存",
        "键值缓存",
        "模型会把**键与值**保留在内存之中，所以不必重新计算。",
        {
            "#blog": "搜索博客",
            "#count": "1 个段落",
            ".chunk .place": "第 6 至 6 行",
            "#clear": "清除筛选",
            "#passage .back": "← 返回搜索结果",
            "#hits time": "2025年3月4日",
        },
    ),
}
"""By language: a query, a title, a text, and what then stands where."""


@pytest.mark.parametrize("language", BLOGS)
def test_the_page_speaks_the_language_of_the_browser(
    language: str, browser: Any, blog: MakeBlog
) -> None:
    query, title, text, said = BLOGS[language]
    made = blog({"a.md": f"---\ntitle: {title}\ndate: 2025-03-04\ntags: [x]\n---\n{text}\n"})
    with (
        served(made.engine()) as url,
        looking(browser, url, color_scheme="dark", locale=LOCALES[language]) as looker,
    ):
        page = looker.page
        page.goto(f"{url}/")
        page.wait_for_selector(HIT)
        assert page.locator("html").get_attribute("lang") == language
        assert focused(page) == "query"
        page.keyboard.insert_text(query)
        page.wait_for_selector("#sure:not([hidden])")
        page.keyboard.press("ArrowDown")
        assert focused(page) == "hit-1"
        page.keyboard.press("Enter")
        opened(page)
        page.evaluate("document.getElementById('clear').hidden = false")
        found = {each: texts(page, each)[0] for each in said}
        assert {each: found[each] for each in said if said[each] not in found[each]} == {}
        assert texts(page, ".asked strong") == [text.split("**")[1]]
        latin = page.evaluate("document.body.innerText").replace(text, "")
        assert {word for word in ENGLISH if word in latin.split()} == set()
        sought = ("#count", ".place", ".chunk p")
        assert {
            each: contrast(page, each) for each in sought if contrast(page, each) < CONTRAST
        } == {}
        page.keyboard.press("Escape")
        page.wait_for_selector("#passage", state="hidden")
        assert page.evaluate("document.documentElement.scrollWidth") <= 1200
        assert looker.wrong == []


ENGLISH = {"the", "The", "of", "post", "posts", "passage", "hit", "All", "Any", "read", "words"}
