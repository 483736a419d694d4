"""`author similar`: print which posts say what a draft says, and where they meet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from blog_search_mcp.index.relations.similarity.similar import find_similar
from blog_search_mcp.server.cli.author.subject import open_subject
from blog_search_mcp.server.cli.terminal import print_lines, print_text, with_folders
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.find_similar import similar_facts


def run(settings: Settings, subject: str, limit: int, *, as_json: bool) -> int:
    """Compare and print; returns the exit status. Raises BlogSearchError."""
    corpus, draft = open_subject(settings, subject)
    found = find_similar(corpus, draft, limit)
    facts = similar_facts(found, meetings=None)
    if "notice" in facts:
        facts["notice"] = with_folders(found.notice or "", settings)
    if as_json:
        print_text(json.dumps(facts, ensure_ascii=False, indent=2))
    else:
        print_lines(_lines(facts))
    return 0


SHOWN = 5
"""Meetings of a post that are printed; `--json` has all."""


def _lines(facts: dict[str, Any]) -> Iterator[str]:
    yield from filter(None, (facts.get("notice"), facts["verdict"]))
    for number, post in enumerate(facts["posts"], 1):
        yield ""
        yield f"{number}. {post['title']}"
        date = [post["date"]] if "date" in post else []
        share = f"meets {post['passages_met']} of {facts['passages']}"
        linked = ["you link to it"] if post.get("linked") else []
        yield f"   {' · '.join([*date, post['source'], post['kind'], share, *linked])}"
        if "url" in post:
            yield f"   {post['url']}"
        for meeting in post["meetings"][:SHOWN]:
            yield from _meeting_lines(meeting)
        if rest := post["meetings"][SHOWN:]:
            yield f"   and {len(rest)} more"
    if facts.get("nearest"):
        yield from ("", "Nearest all the same:")
        for post in facts["nearest"]:
            known = (post.get("date"), post["title"], post["source"])
            yield f"   {' · '.join(filter(None, known))}"
    if translations := facts.get("translations"):
        yield from ("", f"Translations, not listed: {', '.join(translations)}")


def _meeting_lines(meeting: dict[str, Any]) -> Iterator[str]:
    mine = " ".join(filter(None, (f"lines {meeting['my_lines']}", _quote(meeting, "my_heading"))))
    theirs = " ".join(filter(None, (f"chunk {meeting['chunk_index']}", _quote(meeting, "heading"))))
    same = f", {meeting['word_for_word']} word for word" if "word_for_word" in meeting else ""
    yield f"   {mine} -> {theirs}{same}"
    yield f"      {meeting['says']}"


def _quote(meeting: dict[str, Any], key: str) -> str:
    return f"({meeting[key]})" if key in meeting else ""
