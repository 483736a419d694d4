"""Steps of a person on the search page, and readings of what they then see."""

import json
from typing import Any

QUERY = "how do I swap an index atomically?"
HIT = "#hits a.open"


def search(page: Any, query: str, typed: bool = False) -> None:
    """Enter the query, key by key if it shall be `typed`, and wait for its hits."""
    with page.expect_response(lambda answer: searched(answer.request) == query):
        if typed:
            page.keyboard.type(query)
        else:
            page.get_by_role("searchbox", name="What to search for").fill(query)
    page.wait_for_selector("#results:not([aria-busy]) #hits a.open")


def searched(request: Any) -> str | None:
    """Return the query of a search request, `None` for another request."""
    is_search = request.url.endswith("/api/search")
    query: str | None = json.loads(request.post_data)["query"] if is_search else None
    return query


def texts(page: Any, selector: str) -> list[str]:
    shown: list[str] = page.locator(selector).all_inner_texts()
    return shown


def opened(page: Any) -> None:
    page.wait_for_selector("#passage:not([hidden]) .asked")


def in_view(page: Any, selector: str) -> bool:
    """Whether the first such element is where it can be read without scrolling."""
    script = """(node) => {
      const { top, left, width, bottom } = node.getBoundingClientRect();
      return bottom <= innerHeight && document.elementFromPoint(left + width / 2, top + 5) === node;
    }"""
    is_shown: bool = page.locator(selector).first.evaluate(script)
    return is_shown


def where(page: Any) -> str:
    address: str = page.evaluate("location.pathname + location.search")
    return address


def focused(page: Any) -> str:
    name: str = page.evaluate("document.activeElement.id")
    return name


def read_on(page: Any, button: str) -> None:
    """Press the button as long as it is there."""
    while (more := page.get_by_role("button", name=button)).is_visible():
        shown = page.locator(".chunk").count()
        more.click()
        page.wait_for_selector(f".chunk >> nth={shown}")
