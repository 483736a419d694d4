"""What a person does on the search page, and what they then see."""

from __future__ import annotations

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
    page.wait_for_selector("#results:not([aria-busy]) #sure:not([hidden])")


def searched(request: Any) -> str | None:
    """What the request searches for, if it does."""
    if not request.url.endswith("/api/search"):
        return None
    query: str = json.loads(request.post_data)["query"]
    return query


def stop_clock(page: Any) -> None:
    """Stop the page's clock: from then on it runs by `page.clock.run_for` alone."""
    page.clock.install(time=0)
    page.clock.pause_at(60_000)


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
    found: str = page.locator(".above").inner_text()
    return " ".join(found.split())


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


def focused(page: Any) -> str:
    found: str = page.evaluate("document.activeElement.id")
    return found
