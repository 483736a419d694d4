"""The search page in Chromium, over the sample posts: what people do with it, and how it looks.

Runs where Playwright is installed (`make browser` does so) and a Chromium is on the path.
"""

from __future__ import annotations

import json
import re
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from server.engine import Engine
from server.folder import IndexFolder
from server.http_settings import Access
from tests.blog import Blog
from tests.chromium import PATH, chromium, looking, served
from tests.messages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.blog import MakeBlog
    from tests.chromium import Looker

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: make browser")
pytestmark = pytest.mark.skipif(not PATH, reason="there is no Chromium on the path")

QUERY = "how do I swap an index atomically?"
HIT = "#hits a.open"
TOKEN = "0123456789abcdef"
TODAY = date(2026, 11, 21)
CONTRAST = 4.5
"""WCAG 2.2 AA for text of this size."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    made = Blog(ROOT / "content", tmp_path_factory.mktemp("index"), today=TODAY)
    made.ingest()
    yield Engine(made.follow, IndexFolder(made.index))
    for live in made.live:
        live.close()


@pytest.fixture(scope="module")
def url(searcher: Engine) -> Iterator[str]:
    with served(searcher) as found:
        yield found


@pytest.fixture
def looker(browser: Any, url: str) -> Iterator[Looker]:
    with looking(browser, url) as found:
        found.page.goto(f"{url}/")
        found.page.wait_for_selector(HIT)
        yield found
        assert found.wrong == []


@pytest.fixture
def page(looker: Looker) -> Any:
    return looker.page


def search(page: Any, query: str, typed: bool = False) -> None:
    """Enter the query, key by key if it shall be `typed`, and wait for its hits."""
    with page.expect_response(lambda answer: searched(answer.request) == query):
        if typed:
            page.keyboard.type(query)
        else:
            page.get_by_role("searchbox", name="What to search for").fill(query)
    page.wait_for_selector("#results:not([aria-busy]) #hits .score")


def searched(request: Any) -> str | None:
    """What the request searches for, if it does."""
    if not request.url.endswith("/api/search"):
        return None
    query: str = json.loads(request.post_data)["query"]
    return query


def searches(page: Any) -> list[str]:
    """What will be searched for from now on."""
    asked: list[str] = []

    def note(request: Any) -> None:
        if (query := searched(request)) is not None:
            asked.append(query)

    page.on("request", note)
    return asked


def texts(page: Any, selector: str) -> list[str]:
    found: list[str] = page.locator(selector).all_inner_texts()
    return found


def count(page: Any) -> str:
    """What a screen reader hears of a search."""
    found: str = page.locator("#count").text_content()
    return found


def opened(page: Any) -> None:
    page.wait_for_selector("#passage:not([hidden]) .asked")


def in_view(page: Any, selector: str) -> bool:
    """Whether the first such element is where it can be read without scrolling."""
    script = """(node) => {
      const { top, left, width, bottom } = node.getBoundingClientRect();
      return bottom <= innerHeight && document.elementFromPoint(left + width / 2, top + 5) === node;
    }"""
    found: bool = page.locator(selector).first.evaluate(script)
    return found


def where(page: Any) -> str:
    found: str = page.evaluate("location.pathname + location.search")
    return found


def test_hits_appear_as_one_types_with_what_matched_marked(page: Any) -> None:
    assert texts(page, "#count") == ["22 posts, newest first"]
    search(page, "atomic rename", typed=True)
    assert page.locator(HIT).first.inner_text() == "Reproducible index builds and the atomic rename"
    marked = {text.lower() for text in texts(page, "#hits li:first-child .preview mark")}
    assert marked
    assert marked <= {"atomic", "atomically", "rename", "renames", "renamed"}
    assert re.fullmatch(r"\d+ passages, confidence (high|medium|low)", count(page))
    assert where(page) == "/?q=atomic+rename"


def test_a_search_waits_for_a_pause_in_typing(page: Any) -> None:
    asked = searches(page)
    page.clock.install()
    page.keyboard.type("kv cache")
    assert asked == []
    page.clock.run_for(1_000)
    page.wait_for_selector("#hits .score")
    assert asked == ["kv cache"]


def test_filters_narrow_the_hits_stand_in_the_address_and_are_cleared(page: Any) -> None:
    search(page, "index")
    before = len(texts(page, HIT))
    with page.expect_response("**/api/search"):
        page.get_by_label("Section").select_option("engineering")
    page.wait_for_selector("#results:not([aria-busy])")
    assert set(texts(page, "#hits a.section")) == {"engineering"}
    with page.expect_response("**/api/search"):
        page.get_by_label("Tag").fill("mmap")
        page.keyboard.press("Enter")
    with page.expect_response("**/api/search"):
        page.get_by_label("From").fill("2025-01-01")
        page.keyboard.press("Enter")
    page.wait_for_selector("#results:not([aria-busy])")
    assert where(page) == "/?q=index&section=engineering&tag=mmap&after=2025-01-01"
    assert set(texts(page, HIT)) == {"記憶體映射：讓大索引瞬間開啟"}
    with page.expect_response("**/api/search"):
        page.get_by_role("button", name="Clear filters").click()
    page.wait_for_selector("#results:not([aria-busy])")
    assert (where(page), len(texts(page, HIT))) == ("/?q=index", before)


def test_a_filter_that_lets_nothing_through_is_named(page: Any) -> None:
    page.goto(f"{page.url}?q=index&tag=gardening")
    page.wait_for_selector("#notice p")
    assert texts(page, "#count") == ["No hits"]
    assert texts(page, "#notice") == [
        "No post matches this query within tag='gardening'. Leave filters out, or try other words."
    ]


def test_posts_can_be_browsed_without_a_query(page: Any) -> None:
    page.get_by_role("button", name="More").click()
    page.wait_for_function("document.querySelectorAll('#hits li').length === 20")
    page.locator("#hits a.tag", has_text="檢索").first.click()
    page.wait_for_selector("#count:has-text('3 posts')")
    assert where(page) == "/?tag=%E6%AA%A2%E7%B4%A2"


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


def test_why_a_hit_is_here_adds_up_to_its_score(page: Any) -> None:
    search(page, QUERY)
    entry = page.locator("#hits li").first
    entry.get_by_text("Why this hit").click()
    added = [float(text) for text in entry.locator("tbody td:last-child").all_inner_texts()]
    together = float(entry.locator("tfoot td").inner_text())
    assert len(added) >= 2
    assert sum(added) == pytest.approx(together, abs=0.0005 * len(added))
    assert float(entry.locator(".score").inner_text().split()[-1]) == pytest.approx(
        together, abs=0.005
    )
    assert "atomically" in entry.locator(".asked mark").all_inner_texts()


def test_confidence_is_explained_and_the_index_tells_its_state(page: Any) -> None:
    search(page, QUERY)
    page.get_by_text(re.compile("^Confidence (high|medium|low)")).click()
    assert "headings" in page.locator("#sure p").inner_text()
    state = page.locator("#index").inner_text()
    assert state.startswith("22 posts · ")
    assert state.endswith("generation 1")
    assert "fake" in state


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
    page.wait_for_function("document.activeElement.id === 'passage-title'")
    page.keyboard.press("Escape")
    page.wait_for_selector("#passage", state="hidden")
    assert focused(page) == "hit-2"
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.tagName") != "SUMMARY":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#hits li:nth-child(2) details[open] table")
    page.keyboard.press("Escape")
    assert focused(page) == "query"


def focused(page: Any) -> str:
    found: str = page.evaluate("document.activeElement.id")
    return found


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
    assert page.get_by_role("status").first.text_content() == count(page)
    nameless = """() => [...document.querySelectorAll("a, button, input, select, summary")]
      .filter((each) => each.checkVisibility() && !each.textContent.trim() && !each.labels?.length)
      .map((each) => each.outerHTML)"""
    assert page.evaluate(nameless) == []


@pytest.mark.parametrize("width", [320, 480, 900])
def test_nothing_is_cut_off_on_a_narrow_screen(width: int, browser: Any, url: str) -> None:
    with looking(browser, url, viewport={"width": width, "height": 640}, has_touch=True) as looker:
        page = looker.page
        page.goto(f"{url}/?q=fsync the parent directory")
        page.locator("#hits summary").first.click()
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
        found = {each: contrast(page, each) for each in sought}
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


def test_chinese_is_searched_marked_and_set_in_its_own_way(page: Any) -> None:
    search(page, "什麼是 KV 快取？")
    entry = page.locator("#hits li").first
    assert entry.get_attribute("lang") == "zh-tw"
    assert "快取" in entry.locator(".preview mark").all_inner_texts()
    style = entry.evaluate(
        "(node) => [getComputedStyle(node).fontFamily, node.matches(':lang(zh)')]"
    )
    assert "CJK TC" in style[0]
    assert style[1] is True
    entry.locator("a.open").click()
    opened(page)
    slanted = """() => [...document.querySelectorAll(".text *")]
      .filter((node) => getComputedStyle(node).fontStyle !== "normal").length"""
    assert page.evaluate(slanted) == 0
    assert page.locator(".asked .place").get_attribute("lang") == "en"


def test_code_keeps_its_columns_in_a_post_of_any_language(page: Any, looker: Looker) -> None:
    page.goto(f"{looker.url}/?source=llm/kv-cache-intro.md&chunk=1")
    opened(page)
    family = page.locator(".text pre").first.evaluate("(node) => getComputedStyle(node).fontFamily")
    assert family.startswith("ui-monospace")


def test_simplified_finds_traditional(page: Any) -> None:
    search(page, "内存映射")
    assert "映射" in "".join(texts(page, "#hits li:first-child mark"))


def test_nothing_is_searched_while_an_input_method_composes(page: Any) -> None:
    asked = searches(page)
    page.clock.install()
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
    page.wait_for_selector("#hits .score")
    assert (page.locator("#query").input_value(), asked) == ("快取", ["快取"])


def test_what_a_post_says_never_becomes_markup(browser: Any, blog: MakeBlog) -> None:
    evil = "<img src=/x onerror=document.title=1><script>document.title=2</script>"
    made = blog(
        {
            "a.md": f"---\ntitle: 'Title {evil}'\ntags: ['<b>tag</b>']\n"
            f"description: '{evil}'\n---\n"
            f"Words {evil} and [a link](javascript:document.title=3).\n\n| {evil} | cell |\n\n"
            f"## Head {evil}\n\n```\n{evil}\n```\n"
        }
    )
    with (
        served(Engine(made.follow, IndexFolder(made.index))) as url,
        looking(browser, url) as looker,
    ):
        page = looker.page
        page.goto(f"{url}/?q=words&source=a.md&chunk=0")
        opened(page)
        page.wait_for_selector("#hits .score")
        assert page.locator("main img, main script, main b, a[href^=javascript]").count() == 0
        assert page.locator(".text").inner_text().count("onerror=document.title=1") == 4
        assert page.title() == "words – search"
        assert looker.wrong == []


def test_a_server_with_a_token_is_asked_once_it_is_given(browser: Any, searcher: Engine) -> None:
    with (
        served(searcher, Access(TOKEN)) as url,
        looking(browser, url) as looker,
    ):
        page = looker.page
        page.goto(f"{url}/?q=index")
        field = page.get_by_label("This server asks for a token.")
        field.fill("another token, and ä")
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector("#door-why:has-text('The token is not this server')")
        assert page.locator(HIT).count() == 0
        field.fill(TOKEN)
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector("#hits .score")
        assert page.locator("#door").is_visible() is False
        page.reload()
        page.wait_for_selector("#hits .score")
        assert page.evaluate("localStorage.length") == 0
        assert {said for said in looker.wrong if "401" not in said} == set()


def test_a_post_that_is_not_there_is_said_and_the_way_back_is_open(browser: Any, url: str) -> None:
    with looking(browser, url) as looker:
        page = looker.page
        page.goto(f"{url}/?q=index&source=nowhere.md&chunk=0")
        page.wait_for_selector("#passage [role=alert]")
        assert texts(page, "#passage [role=alert]")[0].startswith("No post 'nowhere.md'")
        page.get_by_role("link", name="Back to the hits").click()
        page.wait_for_selector("#hits .score:visible")
        assert where(page) == "/?q=index"
        assert {said for said in looker.wrong if "404" not in said} == set()


def test_a_server_that_is_gone_is_said_and_asked_again(browser: Any, searcher: Engine) -> None:
    with looking(browser, "http://127.0.0.1") as looker:
        page = looker.page
        with served(searcher) as url:
            page.goto(f"{url}/")
            page.wait_for_selector(HIT)
        page.keyboard.type("index")
        page.wait_for_selector("#notice button")
        assert texts(page, "#notice p")[0].startswith("The server does not answer. Start it again")
        page.route("**/api/search", lambda route: route.fulfill(json=EMPTY))
        page.get_by_role("button", name="Try again").click()
        page.wait_for_selector("#count:has-text('No hits')")
        assert texts(page, "#notice p") == ["There is nothing."]


EMPTY = {
    "hits": [],
    "total": 0,
    "offset": 0,
    "next_offset": None,
    "confidence": "low",
    "certainty": 0.0,
    "notice": "There is nothing.",
}
