"""`author links`: where a draft or post could link to other posts, or they to it."""

from __future__ import annotations

from collections.abc import Iterator

from blog_search_mcp.server.cli.author.render import Facts, join, show
from blog_search_mcp.server.cli.author.subject import open_subject
from blog_search_mcp.server.format.results import one_line
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.suggest_links import describe_nothing, find_links, link_facts


def run(settings: Settings, subject: str, limit: int, *, is_reverse: bool, as_json: bool) -> int:
    """Suggest and print; returns the exit status. Raises BlogSearchError."""
    corpus, draft = open_subject(settings, subject)
    links = find_links(draft, corpus, limit, is_reverse=is_reverse)
    nothing = None if links.links else describe_nothing(is_reverse=is_reverse)
    facts: Facts = {"links": [link_facts(link, is_reverse=is_reverse) for link in links.links]}
    if notice := " ".join(filter(None, (links.notice, nothing))):
        facts["notice"] = notice
    show(facts, settings, _write_lines, as_json=as_json)
    return 0


def _write_lines(facts: Facts) -> Iterator[str]:
    for number, link in enumerate(facts["links"], 1):
        place = f"{link['from']}:{link['line']}" if "from" in link else f"line {link['line']}"
        yield f"{number}. {place}  [{one_line(link['words'])}]({link.get('href', '')})"
        yield join(link["title"], link.get("date"), link.get("reason"))
        yield f"   > {link['sentence']}"
