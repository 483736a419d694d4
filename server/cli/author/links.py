"""`author links`: where a draft or post could link to other posts, or they to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from blog_search_mcp.server.cli.author.subject import open_subject
from blog_search_mcp.server.cli.terminal import print_lines, print_text, tell
from blog_search_mcp.server.format.results import one_line, shorten
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.suggest_links import (
    FoundLink,
    describe_nothing,
    describe_reason,
    find_links,
    link_facts,
)

WIDTH = 90
"""Columns of a sentence."""


def run(settings: Settings, subject: str, limit: int, *, is_reverse: bool, as_json: bool) -> int:
    """Print the links, as JSON if asked. Raises BlogSearchError."""
    corpus, draft = open_subject(settings, subject)
    found = find_links(draft, corpus, limit, is_reverse=is_reverse)
    if found.notice:
        tell(found.notice, settings)
    if as_json:
        print_text(json.dumps(_facts(found.links, is_reverse), ensure_ascii=False, indent=2))
    elif found.links:
        print_lines(_lines(found.links, is_reverse))
    else:
        tell(describe_nothing(is_reverse=is_reverse), settings)
    return 0


def _facts(links: Iterable[FoundLink], is_reverse: bool) -> dict[str, object]:
    rows = []
    for link in links:
        facts = link_facts(link, is_reverse=is_reverse)
        rows.append(facts | {"sentence": link.suggestion.sentence})
    return {"links": rows}


def _lines(links: Iterable[FoundLink], is_reverse: bool) -> Iterator[str]:
    for number, link in enumerate(links, 1):
        each = link.suggestion
        place = f"{each.post.source}:{each.line}" if is_reverse else f"line {each.line}"
        yield f"{number}. {place}  [{one_line(each.words)}]({link.href})"
        if is_reverse:
            yield f"   {_about(each.post.title, each.post.date)}"
        else:
            yield f"   {_about(each.target.title, each.target.date)}; {describe_reason(each)}"
        yield f"   > {shorten(one_line(each.sentence), WIDTH)}"


def _about(title: str, date: str | None) -> str:
    return f"{one_line(title)} ({date})" if date else one_line(title)
