"""`author similar`: print which posts say what a draft says, and where they meet."""

from __future__ import annotations

from collections.abc import Iterator

from blog_search_mcp.index.relations.similarity.similar import find_similar
from blog_search_mcp.server.cli.author.render import Facts, join, show
from blog_search_mcp.server.cli.author.subject import open_subject
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.find_similar import similar_facts

SHOWN = 5
"""Meetings of a post that are printed; `--json` has all."""


def run(settings: Settings, subject: str, limit: int, *, as_json: bool) -> int:
    """Compare and print; returns the exit status. Raises BlogSearchError."""
    corpus, draft = open_subject(settings, subject)
    similarity = find_similar(corpus, draft, limit)
    facts = similar_facts(similarity, meetings=None if as_json else SHOWN)
    show(facts, settings, _write_lines, as_json=as_json)
    return 0


def _write_lines(facts: Facts) -> Iterator[str]:
    yield facts["verdict"]
    for number, post in enumerate(facts["posts"], 1):
        share = f"meets {post['passages_met']} of {facts['passages']}"
        linked = "you link to it" if post.get("linked") else None
        yield from ("", f"{number}. {post['title']}")
        yield join(post.get("date"), post["source"], post["kind"], share, linked, post.get("url"))
        for meeting in post["meetings"]:
            yield from _write_meeting(meeting)
    if facts.get("nearest"):
        yield from ("", "Nearest all the same:")
        yield from (
            join(each.get("date"), each["title"], each["source"]) for each in facts["nearest"]
        )
    if facts.get("translations"):
        yield from ("", f"Translations, not listed: {', '.join(facts['translations'])}")


def _write_meeting(meeting: Facts) -> Iterator[str]:
    mine, theirs = (
        f" ({meeting[name]})" if name in meeting else "" for name in ("my_heading", "heading")
    )
    same = f", {meeting['word_for_word']} word for word" if "word_for_word" in meeting else ""
    yield f"   lines {meeting['my_lines']}{mine} -> chunk {meeting['chunk_index']}{theirs}{same}"
    yield f"      {meeting['says']}"
