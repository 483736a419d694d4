"""Reading a hit on the page: its passage, its neighbours, the whole post."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.page.steps import HIT, QUERY, in_view, opened, search, texts, where
from tests.support.chromium import looking, served

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog
    from tests.support.chromium import Looker


def test_a_hit_opens_at_its_passage_between_its_neighbours(page: Any) -> None:
    search(page, "an index is several files")
    page.locator(HIT).first.click()
    opened(page)
    assert page.locator("#passage-title").inner_text() == page.locator(HIT).first.inner_text()
    assert page.locator(".chunk").count() == 3
    assert page.locator(".chunk.asked").get_attribute("aria-label") == "What was found"
    assert "An index is several files" in page.locator(".chunk.asked").inner_text()
    assert "index" in texts(page, ".chunk.asked mark")
    assert in_view(page, ".chunk.asked mark")
    assert page.locator(HIT).first.get_attribute("aria-current") == "true"
    assert "source=engineering%2Fatomic-index-swap.md&chunk=1" in where(page)


def test_an_opened_hit_can_be_linked_and_back_works(page: Any, looker: Looker) -> None:
    search(page, QUERY)
    listed = where(page)
    page.locator(HIT).nth(2).click()
    opened(page)
    address = where(page)
    page.go_back()
    page.wait_for_selector("#passage", state="hidden")
    assert where(page) == listed
    page.goto(f"{looker.url}{address}")
    opened(page)
    assert page.locator("#query").input_value() == QUERY
    page.wait_for_selector(f"{HIT} >> nth=2")
    assert page.locator(HIT).nth(2).get_attribute("aria-current") == "true"


def test_the_whole_post_is_two_buttons_away(page: Any, looker: Looker) -> None:
    page.goto(f"{looker.url}/?source=llm/kv-cache-intro.md&chunk=2")
    opened(page)
    chunks = int(re.findall(r"chunk \d+ of (\d+)", texts(page, "#passage header")[0])[0])
    for name in ("Earlier in this post", "Later in this post"):
        while (button := page.get_by_role("button", name=name)).is_visible():
            shown = page.locator(".chunk").count()
            button.click()
            page.wait_for_selector(f".chunk >> nth={shown}")
    assert page.locator(".chunk").count() == chunks


def test_a_passage_is_shown_as_a_blog_shows_it(page: Any, looker: Looker) -> None:
    page.goto(f"{looker.url}/?q=chunks&source=retrieval/bm25-by-hand.md&chunk=1")
    opened(page)
    asked = page.locator(".chunk.asked")
    assert texts(page, ".asked h3") == ["A worked example", "The code", "Three traps"]
    assert "faiss index" in texts(page, ".asked strong")
    assert "Chunk A has 90 terms: faiss twice, index once." in texts(page, ".asked li")
    assert "avgdl = 120" in texts(page, ".asked code")
    assert not {"**", "##", "```"} & set(re.findall(r"\*\*|##|```", asked.inner_text()))
    assert {"Chunk", "chunks"} <= set(texts(page, ".asked mark"))


POSTS = {
    "deep/start.md": (
        "---\ntitle: Start\n---\nSee [the goal](goal.md), [it by reference][1], <https://go.dev/x>,\n"
        "[a page of the site](/about), [mail](mailto:a@b.example) and [nothing](nothing.md).\n\n"
        "| left | right |\n|---|--:|\n| 1 | 2 |\n\nCode:\n\n"
        "    indented = code\n\n[1]: ./goal.md\n"
    ),
    "deep/goal.md": "---\ntitle: Goal\n---\nThe goal is reached.\n",
}


def test_links_lead_to_posts_in_the_page_and_to_pages_outside(browser: Any, blog: MakeBlog) -> None:
    made = blog(POSTS)
    with (
        served(made.engine()) as url,
        looking(browser, url) as looker,
    ):
        page = looker.page
        page.goto(f"{url}/?source=deep/start.md&chunk=0")
        opened(page)
        links = page.locator(".text a[href]")
        assert links.all_inner_texts() == ["the goal", "it by reference", "https://go.dev/x"]
        assert links.nth(2).get_attribute("href") == "https://go.dev/x"
        assert links.nth(2).get_attribute("rel") == "noreferrer"
        assert texts(page, ".text pre")[0].strip() == "indented = code"
        links.nth(0).focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#passage-title:has-text('Goal')")
        assert where(page) == "/?source=deep%2Fgoal.md&chunk=0"
        page.go_back()
        page.wait_for_selector("#passage-title:has-text('Start')")
        assert looker.wrong == []
