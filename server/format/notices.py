"""Why a page is empty, and which tags and sections there are."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import asdict

from blog_search_mcp.index.store.statistics import Counted, Overview
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.server.format.results import one_line, quote, shorten

NAME_WIDTH = 40
NEAREST = 3
SIMILAR = 0.6
"""Least share of the letters of two names in common (`difflib`), its own default."""
LIST_BYTES = 160
NEAREST_WIDTH, NEAREST_BYTES = 120, 400
"""A nearest name is there to be asked for, so it is only cut where it is no name any more."""


def explain_empty(
    answer: Answer, filters: Filters, overview: Overview, given: Mapping[str, str] | None = None
) -> str:
    """Return the notice of a page without hits: the answer's own, and why there are none.

    `given` are the filters as they were asked for, where that is in other words.
    """
    named = asdict(filters) if given is None else given
    return " ".join(filter(None, (answer.notice, _why_empty(answer, filters, overview, named))))


def _why_empty(
    answer: Answer, filters: Filters, overview: Overview, named: Mapping[str, str | None]
) -> str:
    if answer.total:
        return f"offset {answer.offset} is past the last hit: {answer.total} in all, from 0."
    if unknown := explain_unknown(filters, overview):
        return unknown
    given = ", ".join(f"{name}={value!r}" for name, value in named.items() if value is not None)
    if given:
        return f"No post matches this query within {given}. Leave filters out, or try other words."
    languages = list_names(overview.languages)
    known = f" The blog's languages: {languages}." if languages else ""
    return f"No post matches this query. Try other words, or fewer and plainer ones.{known}"


def list_names(counts: Counted, room: int = LIST_BYTES, width: int = NAME_WIDTH) -> str:
    """List the first names with their counts, as many as `room` bytes hold; count the others."""
    shown: list[str] = []
    for name, count in counts:
        shown.append(f"{shorten(one_line(name), width)} ({count:,})")
        room -= len(shown[-1].encode()) + 2
        if room < 0:
            shown.pop()
            break
    left = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {left:,} more" if left else "")


def explain_unknown(filters: Filters, overview: Overview) -> str | None:
    """Describe which filters name what no post has: a tag, a section, any date; `None` if none."""
    tag, section = filters.tag, (filters.section or "").strip("/")
    sections = tuple(sorted(overview.sections, key=lambda each: -each[1]))
    sentences = []
    if tag and tag.casefold() not in dict(overview.tags):
        sentences.append(_sentence("tag", tag, overview.tags, overview.tags))
    if section and section not in dict(sections):
        sentences.append(_sentence("section", section, sections, overview.main_sections))
    if (filters.after or filters.before) and overview.first_day is None:
        sentences.append("No post of the blog has a date, so none passes after or before.")
    return " ".join(sentences) or None


def _sentence(kind: str, name: str, known: Counted, listed: Counted) -> str:
    nearest = find_nearest(name, known)
    return " ".join(
        (
            f"No post has the {kind} {quote(name)}.",
            *(
                [f"Nearest: {list_names(nearest, NEAREST_BYTES, NEAREST_WIDTH)}."]
                if nearest
                else []
            ),
            f"The {kind}s: {list_names(listed)}." if listed else f"The blog has no {kind}s.",
        )
    )


def find_nearest(name: str, known: Counted) -> Counted:
    """Return NEAREST names at most: those that end alike, are spelt alike, or hold `name`."""
    folded = {each.casefold(): (each, count) for each, count in known}
    wanted = name.casefold()
    same_end = [each for each in folded if _end(each) == _end(wanted)]
    close = difflib.get_close_matches(wanted, folded, NEAREST, SIMILAR)
    holding = [each for each in folded if wanted in each]
    return tuple(folded[each] for each in dict.fromkeys([*same_end, *close, *holding]))[:NEAREST]


def _end(section: str) -> str:
    return section.rpartition("/")[2]
