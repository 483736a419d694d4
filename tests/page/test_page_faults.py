"""What the page does with hostile posts, tokens, posts that are gone and dead servers."""

from __future__ import annotations

from typing import Any

from blog_search_mcp.server.engine import Engine
from tests.page.steps import HIT, opened, read_on, texts, where
from tests.support.blog import MakeBlog
from tests.support.chromium import looking, served

TOKEN = "0123456789abcdef"
EVIL = "<img src=/x onerror=document.title=1><script>document.title=2</script>"
HOSTILE = """
<script>document.title="evil"</script><svg onload=alert(1)><style>body{display:none}</style>

<div style="position:fixed;inset:0" onclick="document.title='evil'">A div.</div>

<iframe src="https://evil.example/"></iframe> <form action="/api/index"><button>Go</button></form>

![pixel](https://evil.example/pixel.png) ![inline](data:image/svg+xml;base64,PHN2Zz4=)

[a](javascript:document.title='evil') [b](JaVaScRiPt:1) [c](data:text/html,<script>1</script>)
[d](vbscript:1) [e](file:///etc/passwd) [f](java&#10;script:1) [g](<javascript:1>) [h](//%00)
[i](https://evil.example/"onmouseover="alert(1)) <javascript:alert(1)> [j](http://[::1)

[ref]: javascript:alert(1)

A [ref] and a [[<img src=x onerror=alert(1)>]] and ~~`<b onclick=1>`~~ {style="position:fixed"}.

| <img src=x onerror=alert(1)> | [k](javascript:1) |
|---|:-:|
| `<i>` | x |

```<script>
</pre><script>alert(1)</script>
```
"""
ELEMENTS = {"a", "code", "img", "p", "pre", "s", "section"} | {
    *("table", "tbody", "td", "th", "thead", "tr")
}
ATTRIBUTES = {"alt", "aria-label", "class", "href", "lang", "rel", "tabindex"}


def test_nothing_in_a_hostile_post_runs_loads_or_covers_the_page(
    browser: Any, blog: MakeBlog
) -> None:
    deep = "> " * 3_000 + "deep\n\n" + "*a **b " * 1_000 + "\n\n" + "[" * 3_000 + "\n\n"
    head = f"title: '{EVIL}'\ntags: ['<b>tag</b>']\ndescription: '{EVIL}'"
    posts = {"evil.md": f"---\n{head}\n---\n{HOSTILE}", "deep.md": f"# Deep\n\n{deep}The end.\n"}
    with served(blog(posts).engine()) as url, looking(browser, url) as looker:
        page = looker.page
        page.goto(f"{url}/?source=evil.md&chunk=0")
        opened(page)
        page.wait_for_selector(HIT)
        assert page.locator("main img[src], main script, main b, a[href^=javascript]").count() == 0
        inside = page.locator(".text *")
        assert set(inside.evaluate_all("all => all.map((each) => each.localName)")) == ELEMENTS
        names = inside.evaluate_all("all => all.flatMap((each) => each.getAttributeNames())")
        assert set(names) == ATTRIBUTES
        hrefs = page.locator(".text a[href]").evaluate_all("all => all.map((a) => a.host)")
        assert set(hrefs) == {"evil.example"}
        assert "A div." in page.locator(".text").inner_text()
        page.goto(f"{url}/?source=deep.md&chunk=0")
        opened(page)
        read_on(page, "Later in this post")
        assert "The end." in page.locator(".text").inner_text()
        assert page.title() == "Search the blog"
        assert looker.wrong == []


def test_markup_made_of_text_is_refused_by_the_browser(browser: Any, url: str) -> None:
    script = """() => {
      try { document.createElement("div").innerHTML = "<b>bold</b>"; }
      catch (error) { return error.name; }
    }"""
    with looking(browser, url) as looker:
        looker.page.goto(f"{url}/")
        assert looker.page.evaluate(script) == "TypeError"


def test_a_server_with_a_token_is_asked_once_it_is_given(browser: Any, searcher: Engine) -> None:
    with served(searcher, TOKEN) as url, looking(browser, url) as looker:
        page = looker.page
        page.goto(f"{url}/?q=index")
        field = page.get_by_label("This server asks for a token.")
        field.fill("another token, and ä")
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector("#door-why:has-text('token')")
        assert page.locator(HIT).count() == 0
        field.fill(TOKEN)
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector("#hits a.open")
        assert page.locator("#door").is_visible() is False
        page.reload()
        page.wait_for_selector("#hits a.open")
        assert page.evaluate("localStorage.length") == 0
        assert {said for said in looker.wrong if "401" not in said} == set()


def test_a_post_that_is_not_there_is_said_and_the_way_back_is_open(browser: Any, url: str) -> None:
    with looking(browser, url) as looker:
        page = looker.page
        page.goto(f"{url}/?q=index&source=nowhere.md&chunk=0")
        page.wait_for_selector("#passage [role=alert]")
        assert "'nowhere.md'" in texts(page, "#passage [role=alert]")[0]
        page.get_by_role("link", name="Back to the hits").click()
        page.wait_for_selector("#hits a.open:visible")
        assert where(page) == "/?q=index"
        assert {said for said in looker.wrong if "404" not in said} == set()


def test_a_server_that_is_gone_is_said_and_asked_again(browser: Any, searcher: Engine) -> None:
    with looking(browser, "http://127.0.0.1") as looker:
        page = looker.page
        with served(searcher) as url:
            page.goto(f"{url}/")
            page.wait_for_selector(HIT)
        page.keyboard.type("index")
        page.wait_for_selector("#notice:has-text('serve --http')")
        page.route("**/api/search", lambda route: route.fulfill(json=EMPTY))
        page.keyboard.press("Enter")
        page.wait_for_selector("#count:has-text('No hits')")
        assert texts(page, "#notice p") == ["There is nothing."]


EMPTY = {"hits": [], "total": 0, "next_offset": None, "notice": "There is nothing."}
