"""The state of the blog as a page: counts first, then each finding as a link to its post."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from blog_search_mcp.server.settings import Access
from tests.page.steps import opened, texts, where
from tests.page.test_page_looks import CONTRAST, contrast
from tests.support.chromium import looking, served

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

POSTS = {
    "a.md": "---\ntitle: First\ndate: 2025-01-01\ntags: [x]\n---\nSee [it](gone.md).\n",
    "b.md": "---\ntitle: Second\ndate: 2025-01-02\ntags: [X, y]\n---\nSee [a](a.md).\n",
    "left.md": "---\ntitle: Left\ndate: 2020-01-01\ndraft: true\n---\nSome words.\n",
}
KINDS = {
    "broken-links": "1",
    "broken-anchors": "0",
    "orphans": "1",
    "near-duplicates": "0",
    "descriptions": "1",
    "tags": "2",
    "overtaken": "0",
    "stale-drafts": "1",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_state_of_the_blog_is_counted_and_leads_to_posts(
    scheme: str, browser: Any, blog: MakeBlog
) -> None:
    made = blog(POSTS)
    with (
        served(made.engine()) as url,
        looking(browser, url, color_scheme=scheme) as looker,
    ):
        page = looker.page
        page.goto(f"{url}/audit")
        page.wait_for_selector("#counts table")
        assert texts(page, "#counts td") == [*KINDS.values()]
        shown = texts(page, "#findings h2")
        assert shown[:2] == ["Links that lead nowhere (1)", "Posts that no other links to (1)"]
        assert texts(page, "#broken-links li") == ["a.md:6\n\ngone.md leads nowhere"]
        assert texts(page, "#stale-drafts li") == ["left.md\n\ndraft “Left”, dated 2020-01-01"]
        assert page.locator("#stale-drafts a").count() == 0
        sought = ("#counts td", "#counts th", "#findings h2", "#findings .where a", "#count")
        assert {
            each: contrast(page, each) for each in sought if contrast(page, each) < CONTRAST
        } == {}
        page.locator("#broken-links a").click()
        opened(page)
        assert where(page) == "/?source=a.md&chunk=0"
        assert looker.wrong == []


def test_it_speaks_the_language_of_the_blog_and_fits_a_narrow_screen(
    browser: Any, blog: MakeBlog
) -> None:
    made = blog(
        {"快取.md": "---\ntitle: 鍵值快取\n---\n模型會把鍵與值保留在記憶體，見[它](沒有.md)。\n"}
    )
    with (
        served(made.engine()) as url,
        looking(browser, url, viewport={"width": 320, "height": 640}) as looker,
    ):
        page = looker.page
        page.goto(f"{url}/audit")
        page.wait_for_selector("#counts table")
        assert texts(page, "h1") == ["部落格現況"]
        assert texts(page, "#counts a")[0] == "失效的連結"
        assert page.title() == "部落格現況"
        assert page.evaluate("document.documentElement.scrollWidth") == 320
        assert looker.wrong == []


def test_it_asks_for_the_token_and_says_what_is_wrong(browser: Any, blog: MakeBlog) -> None:
    made = blog(POSTS)
    with (
        served(made.engine(), Access("0123456789abcdef")) as url,
        looking(browser, url) as looker,
    ):
        page = looker.page
        page.goto(f"{url}/audit")
        page.get_by_label("This server asks for a token.").fill("0123456789abcdef")
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector("#counts table")
        page.route("**/api/audit", lambda route: route.abort())
        page.reload()
        page.wait_for_selector("#notice:has-text('does not answer')")
