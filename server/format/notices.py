"""Notices of why a page is empty, and of existing tags and sections."""

import re
from dataclasses import asdict

from blog_search_mcp.index.errors import find_nearest
from blog_search_mcp.index.store.statistics import Counted, Overview
from blog_search_mcp.index.text.display import compose
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.server.format.results import NAME_WIDTH, brief, fit, present, quote

_POSTS = re.compile(r"(?<=\bNo )post|(?<=\bOnly )post|post(?=s are|s have)|\bthe blog(?= may| is)")


def explain_empty(answer: Answer, filters: Filters, overview: Overview) -> str:
    """Return a notice of why a page has no hits."""
    if answer.total:
        return f"offset {answer.offset} is past the last hit: {answer.total} in all, from 0."
    if unknown := explain_unknown(filters, overview):
        return unknown
    limits = ", ".join(f"{name}={value!r}" for name, value in present(asdict(filters)).items())
    if limits:
        return f"No post matches this query within {limits}. Leave filters out, or try other words."
    languages = tuple(each for each in overview.languages if 20 * each[1] >= overview.posts)
    others = f" The languages: {list_names(languages)}." if len(languages) > 1 else ""
    return f"No post matches this query. Try other words, or fewer and plainer ones.{others}"


def name_notes(notice: str) -> str:
    """Replace "post" and "the blog" by "note" and "the notes" in the fixed phrases of a notice."""
    return _POSTS.sub(lambda found: "note" if "post" in found[0] else "the notes", notice)


def list_names(counts: Counted, room: int = 160, width: int = NAME_WIDTH) -> str:
    """List the first names (at least one) with counts in about `room` bytes, and count the rest."""
    names = tuple(f"{brief(name, width)} ({count:,})" for name, count in counts[:room])
    shown = fit("".join, tuple(f"{name}, " for name in names), room, lambda it: len(it.encode()))
    left = len(counts) - len(shown)
    return ", ".join(names[: len(shown)]) + (f" and {left:,} more" if left else "")


def explain_unknown(filters: Filters, overview: Overview) -> str | None:
    """Describe a tag or section that no post has, and dates if no post has any; else `None`."""
    from blog_search_mcp.index.store.catalog import find_folders, find_tags

    tag, section = compose(filters.tag or ""), filters.section or ""
    sections = tuple(sorted(overview.sections, key=lambda counted: -counted[1]))
    sentences = []
    if tag and not find_tags(tag, dict(overview.tags)):
        sentences += _list_near("tag", tag, overview.tags, overview.tags)
    if section and not find_folders(section, dict(sections)):
        sentences += _list_near("section", section, sections, overview.main_sections)
    if (filters.after or filters.before) and overview.first_day is None:
        sentences.append("No post has a date, so none passes after or before.")
    return " ".join(sentences) or None


def _list_near(kind: str, name: str, counts: Counted, listed: Counted) -> list[str]:
    near = tuple((other, dict(counts)[other]) for other in find_nearest(name, dict(counts)))
    # Near names may be longer than other names, since a model copies them into its next call.
    nearest = list_names(near, room=400, width=120)
    return [
        f"No post has the {kind} {quote(name)}.",
        *([f"Nearest: {nearest}."] if nearest else []),
        f"The {kind}s: {list_names(listed)}." if listed else f"There are no {kind}s.",
    ]
