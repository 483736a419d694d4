"""Reading a hit on the page: its passage, its neighbours, the whole post."""

from __future__ import annotations

import re
from typing import Any

from tests.page.steps import HIT, in_view, opened, read_on, search, texts, where
from tests.support.blog import MakeBlog
from tests.support.chromium import Looker, looking, served


def test_a_hit_opens_at_its_passage_between_its_neighbours(page: Any) -> None:
    search(page, "an index is several files")
    page.locator(HIT).first.click()
    opened(page)
    assert page.locator("#passage-title").inner_text() == page.locator(HIT).first.inner_text()
    assert page.locator(".chunk").count() == 3
    assert "An index is several files" in page.locator(".chunk.asked").inner_text()
    assert "index" in texts(page, ".chunk.asked mark")
    assert in_view(page, ".chunk.asked mark")
    assert page.locator(HIT).first.get_attribute("aria-current") == "true"
    assert "source=engineering%2Fatomic-index-swap.md&chunk=1" in where(page)


def test_the_whole_post_is_two_buttons_away(page: Any, looker: Looker) -> None:
    page.goto(f"{looker.url}/?source=llm/kv-cache-intro.md&chunk=2")
    opened(page)
    [chunks] = re.findall(r"chunk \d+ of (\d+)", texts(page, "#passage header")[0])
    read_on(page, "Earlier in this post")
    read_on(page, "Later in this post")
    assert page.locator(".chunk").count() == int(chunks)


def test_a_passage_is_shown_as_a_blog_shows_it(page: Any, looker: Looker) -> None:
    page.goto(f"{looker.url}/?q=chunks&source=retrieval/bm25-by-hand.md&chunk=1")
    opened(page)
    assert texts(page, ".asked h3") == ["A worked example", "The code", "Three traps"]
    assert "faiss index" in texts(page, ".asked strong")
    assert "Chunk A has 90 terms: faiss twice, index once." in texts(page, ".asked li")
    assert "avgdl = 120" in texts(page, ".asked code")
    assert re.findall(r"\*\*|##|```", page.locator(".chunk.asked").inner_text()) == []
    assert {"Chunk", "chunks"} <= set(texts(page, ".asked mark"))


POSTS = {
    "deep/start.md": (
        "---\ntitle: Start\n---\nSee [the goal](goal.md), [it by reference][1], <https://go.dev/x>,\n"
        "[a page of the site](/about), [mail](mailto:a@b.example) and [nothing](nothing.md).\n\n"
        "| left | right |\n|---|--:|\n| 1 | 2 |\n\n[1]: ./goal.md\n"
    ),
    "deep/goal.md": "---\ntitle: Goal\n---\nThe goal is reached.\n",
}


def test_links_lead_to_posts_in_the_page_and_to_pages_outside(browser: Any, blog: MakeBlog) -> None:
    with served(blog(POSTS).engine()) as url, looking(browser, url) as looker:
        page = looker.page
        page.goto(f"{url}/?source=deep/start.md&chunk=0")
        opened(page)
        links = page.locator(".text a[href]")
        assert links.all_inner_texts() == ["the goal", "it by reference", "https://go.dev/x"]
        assert links.nth(2).get_attribute("href") == "https://go.dev/x"
        links.nth(0).focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#passage-title:has-text('Goal')")
        assert where(page) == "/?source=deep%2Fgoal.md&chunk=0"
        page.go_back()
        page.wait_for_selector("#passage-title:has-text('Start')")
        assert looker.wrong == []
