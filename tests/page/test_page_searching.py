"""Searching on the page: queries, filters, browsing and Chinese."""

from __future__ import annotations

import re
from typing import Any

from tests.page.steps import HIT, QUERY, count, search, searches, stop_clock, texts, where


def test_hits_appear_as_one_types_with_what_matched_marked(page: Any) -> None:
    assert texts(page, "#count") == ["22 posts, newest first"]
    search(page, "atomic rename", typed=True)
    assert page.locator(HIT).first.inner_text() == "Reproducible index builds and the atomic rename"
    marked = {text.lower() for text in texts(page, "#hits li:first-child .preview mark")}
    assert marked
    assert marked <= {"atomic", "atomically", "rename", "renames", "renamed"}
    assert re.match(r"\d+ passages Confidence (high|medium|low) ", count(page))
    assert where(page) == "/?q=atomic+rename"


def test_nothing_is_searched_while_an_input_method_composes(page: Any) -> None:
    asked = searches(page)
    stop_clock(page)
    session = page.context.new_cdp_session(page)
    for text in ("k", "ku", "kuai", "快"):
        session.send(
            "Input.imeSetComposition",
            {"text": text, "selectionStart": len(text), "selectionEnd": len(text)},
        )
        page.clock.run_for(1_000)
    assert asked == []
    session.send("Input.insertText", {"text": "快取"})
    page.clock.run_for(1_000)
    page.wait_for_selector("#sure:not([hidden])")
    assert (page.locator("#query").input_value(), asked) == ("快取", ["快取"])


def test_filters_narrow_the_hits_stand_in_the_address_and_are_cleared(page: Any) -> None:
    search(page, "index")
    before = len(texts(page, HIT))
    with page.expect_response("**/api/search"):
        page.get_by_label("Section").select_option("engineering")
    page.wait_for_selector("#results:not([aria-busy])")
    assert set(texts(page, "#hits a.section")) == {"engineering"}
    with page.expect_response("**/api/search"):
        page.get_by_label("Tag", exact=True).fill("mmap")
        page.keyboard.press("Enter")
    with page.expect_response("**/api/search"):
        page.get_by_label("Year").select_option("2025")
    page.wait_for_selector("#results:not([aria-busy])")
    assert where(page) == "/?q=index&section=engineering&tag=mmap&year=2025"
    assert set(texts(page, HIT)) == {"記憶體映射：讓大索引瞬間開啟"}
    with page.expect_response("**/api/search"):
        page.get_by_role("button", name="Clear filters").click()
    page.wait_for_selector("#results:not([aria-busy])")
    assert (where(page), len(texts(page, HIT))) == ("/?q=index", before)


def test_a_year_of_the_address_is_chosen_and_offered_with_its_posts(page: Any) -> None:
    years = page.get_by_label("Year").locator("option").all_inner_texts()
    assert years[0] == "All"
    counts = dict(re.findall(r"^(\d{4}) \((\d+)\)$", "\n".join(years), re.MULTILINE))
    assert len(counts) == len(years) - 1
    assert sorted(counts, reverse=True) == list(counts)
    page.goto(f"{page.url}?year=2025")
    page.wait_for_selector(f"#count:has-text('{counts['2025']} posts')")
    assert page.get_by_label("Year").input_value() == "2025"
    assert {day[:4] for day in dates(page)} == {"2025"}


def dates(page: Any) -> list[str]:
    found: list[str] = page.locator("#hits time").evaluate_all("all => all.map((t) => t.dateTime)")
    return found


def test_posts_can_be_browsed_without_a_query(page: Any) -> None:
    page.get_by_role("button", name="More").click()
    page.wait_for_selector("#hits li >> nth=19")
    page.locator("#hits a.tag", has_text="檢索").first.click()
    page.wait_for_selector("#count:has-text('3 posts')")
    assert where(page) == "/?tag=%E6%AA%A2%E7%B4%A2"


def test_confidence_is_explained_and_the_index_tells_its_state(page: Any) -> None:
    search(page, QUERY)
    assert re.search(r"^Confidence \w+ \(0\.\d\d\)$", page.locator("#sure").inner_text())
    state = page.locator("#index").inner_text()
    assert state.startswith("22 posts · ")
    assert "fake" in state
