"""`blog-server timeline`: print what the blog said on a subject, year by year."""

from __future__ import annotations

from collections.abc import Iterator

from blog_search_mcp.index.search.timeline import make_timeline
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.cli.author.render import Facts, join, show
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.format.notices import explain_empty
from blog_search_mcp.server.format.results import describe_place
from blog_search_mcp.server.settings import TOP_K_MOST, AuthorRequest, Settings
from blog_search_mcp.server.tools.timeline import TIMELINE, search_subject, timeline_facts

WIDTH = 160
"""Columns of what a passage says."""


def run(settings: Settings, request: AuthorRequest) -> int:
    """Search and print; returns the exit status, 1 if nothing is found. Raises BlogSearchError."""
    subject = TIMELINE.parse({"subject": request.subject}).subject
    engine = engine_for_one(settings)
    answer = search_subject(engine, subject)
    notice = answer.notice if answer.hits else explain_empty(answer, Filters(), engine.overview)
    timeline = make_timeline(answer.hits, request.limit or TOP_K_MOST)
    show(timeline_facts(timeline, answer.confidence, notice, WIDTH), settings, _write_lines)
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
