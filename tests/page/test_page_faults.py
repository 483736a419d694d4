"""What the page does with hostile posts, tokens, posts that are gone and dead servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blog_search_mcp.server.engine import Engine, IndexFolder
from blog_search_mcp.server.settings import Access
from tests.page.steps import HIT, opened, texts, where
from tests.support.chromium import looking, served

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

TOKEN = "0123456789abcdef"


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
