"""`blog-search-mcp author timeline`: print what the blog said on a subject, year by year."""

from __future__ import annotations

from collections.abc import Iterator

from blog_search_mcp.index.search.timeline import make_timeline
from blog_search_mcp.server.cli.author.render import Facts, join, show
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.format.results import describe_place
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.timeline import TIMELINE, search_subject, timeline_facts

WIDTH = 160
"""Columns of what a passage says."""


def run(settings: Settings, subject: str, limit: int, *, as_json: bool) -> int:
    """Search and print; returns the exit status, 1 if nothing is found. Raises BlogSearchError."""
    subject = TIMELINE.parse({"subject": subject}).subject
    answer = search_subject(engine_for_one(settings), subject)
    timeline = make_timeline(answer.hits, limit)
    facts = timeline_facts(timeline, answer.confidence, answer.notice, WIDTH)
    show(facts, settings, _write_lines, as_json=as_json)
    return 0 if timeline.entries else 1


def _write_lines(facts: Facts) -> Iterator[str]:
    posts = "1 post" if facts["posts"] == 1 else f"{facts['posts']} posts"
    span = (
        f", from {facts['first']['date']} to {facts['latest']['date']}" if "first" in facts else ""
    )
    yield f"Confidence: {facts['confidence']}. {posts}{span}."
    for year, entries in facts["years"].items():
        yield from ("", year)
        for entry in entries:
            yield join(entry.get("date"), entry["title"])
            place = f"{entry['source']} chunk {entry['chunk_index']}"
            yield f"  {join(place, describe_place(entry.get('series', {})))}"
            yield f"  {join(entry['says'])}"
