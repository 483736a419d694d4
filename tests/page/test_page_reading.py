"""Reading a hit on the page: its passage, its neighbours, the whole post."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.page.steps import HIT, QUERY, in_view, opened, search, texts, where

if TYPE_CHECKING:
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
    chunks = int(re.findall(r"of (\d+)$", texts(page, "#passage header")[0])[0])
    for name in ("Earlier in this post", "Later in this post"):
        while (button := page.get_by_role("button", name=name)).is_visible():
            shown = page.locator(".chunk").count()
            button.click()
            page.wait_for_selector(f".chunk >> nth={shown}")
    assert page.locator(".chunk").count() == chunks


def test_dressed_markdown_has_every_character_of_the_passage(page: Any) -> None:
    script = """async ([source, chunk]) => {
      const { dressed } = await import("/page/markdown.js");
      const body = JSON.stringify({ source, chunk_index: chunk, query: "index cache search" });
      const answer = await fetch("/api/passage", { method: "POST", body });
      const { text, marks } = (await answer.json()).chunks[0];
      const holder = document.createElement("div");
      holder.append(...dressed(text, marks));
      const bare = (said) => said.replace(/\\s+/g, "");
      const marked = [...holder.querySelectorAll("mark")].map((mark) => mark.textContent).join("");
      const wanted = marks.map(([from, to]) => text.slice(from, to)).join("");
      return [bare(holder.textContent) === bare(text), marked === wanted, marks.length];
    }"""
    places = [
        ("engineering/atomic-index-swap.md", 1),
        ("llm/kv-cache-intro.md", 2),
        ("retrieval/bm25-by-hand.md", 1),
        ("retrieval/chunking-markdown/index.md", 1),
        ("notes/prompt-injection/index.en.md", 0),
    ]
    for place in places:
        whole, marks, _ = page.evaluate(script, list(place))
        assert (place, whole, marks) == (place, True, True)


def test_code_keeps_its_columns_in_a_post_of_any_language(page: Any, looker: Looker) -> None:
    page.goto(f"{looker.url}/?source=llm/kv-cache-intro.md&chunk=1")
    opened(page)
    family = page.locator(".text pre").first.evaluate("(node) => getComputedStyle(node).fontFamily")
    assert family.startswith("ui-monospace")
