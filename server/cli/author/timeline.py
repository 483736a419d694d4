"""`blog-search-mcp author timeline`: print what the blog said on a subject, year by year."""

from __future__ import annotations

import json
from collections.abc import Iterator

from blog_search_mcp.index.search.timeline import Timeline, make_timeline
from blog_search_mcp.server.cli.terminal import print_lines, print_text, tell, with_folders
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.format.results import describe_place, one_line, place_facts
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.timeline import TIMELINE, search_subject, timeline_facts

WIDTH = 160


def run(settings: Settings, subject: str, limit: int, *, as_json: bool) -> int:
    """Search and print; returns the exit status, 1 if nothing is found. Raises BlogSearchError."""
    subject = TIMELINE.parse({"subject": subject}).subject
    answer = search_subject(engine_for_one(settings), subject)
    notice = with_folders(answer.notice, settings) if answer.notice else None
    found = make_timeline(answer.hits, limit)
    if as_json:
        facts = timeline_facts(found, answer.confidence, notice, WIDTH)
        print_text(json.dumps(facts, ensure_ascii=False, indent=2))
    elif found.entries:
        print_lines(_lines(found, answer.confidence, notice))
    else:
        tell(notice or "", settings)
    return 0 if found.entries else 1


def _lines(found: Timeline, confidence: str, notice: str | None) -> Iterator[str]:
    yield from filter(None, (f"Confidence: {confidence}.", notice))
    posts = "1 post" if found.total == 1 else f"{found.total} posts"
    if found.first and found.latest:
        yield f"{posts}, from {found.first.post.date} to {found.latest.post.date}."
    for year, hits in found.years.items():
        yield from ("", year or "Undated")
        for hit in hits:
            yield f"  {hit.post.date or ' ' * 10}  {one_line(hit.post.title)}"
            place = describe_place(place_facts(hit.series))
            where = (f"{hit.post.source} chunk {hit.chunk.index}", place)
            yield f"    {' · '.join(filter(None, where))}"
            yield f"    {one_line(hit.preview)}"
