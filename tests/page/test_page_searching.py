"""Searching on the page: queries, filters, browsing and Chinese."""

from typing import Any

from tests.page.steps import HIT, QUERY, search, searched, texts, where


def test_hits_appear_as_one_types_with_what_matched_marked(page: Any) -> None:
    assert "22 " in texts(page, "#count")[0]
    search(page, "atomic rename", typed=True)
    assert page.locator(HIT).first.inner_text() == "Reproducible index builds and the atomic rename"
    marked = {text.lower() for text in texts(page, "#hits li:first-child .preview mark")}
    assert marked
    assert marked <= {"atomic", "atomically", "rename", "renames", "renamed"}
    assert where(page) == "/?q=atomic+rename"
    assert "22 posts" in page.locator("#index").inner_text()


def test_nothing_is_searched_while_an_input_method_composes(page: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.extend(filter(None, [searched(request)])))
    page.clock.install(time=0)
    page.clock.pause_at(60_000)
    session = page.context.new_cdp_session(page)
    for text in ("k", "ku", "kuai", "快"):
        place = {"selectionStart": len(text), "selectionEnd": len(text)}
        session.send("Input.imeSetComposition", {"text": text, **place})
        page.clock.run_for(1_000)
    assert asked == []
    session.send("Input.insertText", {"text": "快取"})
    page.clock.run_for(1_000)
    page.wait_for_selector("#hits a.open")
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
    page.reload()
    page.wait_for_selector(HIT)
    assert page.get_by_label("Year").input_value() == "2025"
    with page.expect_response("**/api/search"):
        page.get_by_role("button", name="Clear filters").click()
    page.wait_for_selector("#results:not([aria-busy])")
    assert (where(page), len(texts(page, HIT))) == ("/?q=index", before)


def test_posts_can_be_browsed_without_a_query(page: Any) -> None:
    page.get_by_role("button", name="More").click()
    page.wait_for_selector("#hits li >> nth=19")
    page.locator("#hits a.tag", has_text="檢索").first.click()
    page.wait_for_selector("#count:has-text('3 posts')")
    assert where(page) == "/?tag=%E6%AA%A2%E7%B4%A2"


def test_a_hit_opens_at_its_passage_can_be_linked_and_back_works(page: Any) -> None:
    search(page, QUERY)
    listed = where(page)
    page.locator(HIT).nth(2).click()
    page.wait_for_selector("#passage:not([hidden]) .asked")
    address = page.url
    page.go_back()
    page.wait_for_selector("#passage", state="hidden")
    assert where(page) == listed
    page.goto(address)
    page.wait_for_selector("#passage:not([hidden]) .asked")
    assert page.locator("#query").input_value() == QUERY
    page.wait_for_selector(f"{HIT} >> nth=2")
    assert page.locator(HIT).nth(2).get_attribute("aria-current") == "true"
