"""Find the posts that a query names by their whole title, alone or inside a question."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping

from blog_search_mcp.index.analysis.tokenizer import to_simplified

CEILING = 0.95
"""What a post may score at most beside one that the query names."""

Titles = Mapping[str, tuple[int, ...]]
"""Ids of the posts that have a title, by its key."""

_QUESTION = re.compile(
    r"^(?:what(?:['’]?s| is| are| was)|who is|define|explain)\s+(?:(?:an?|the)\s+)?"
    r"|^was (?:ist|sind)\s+(?:(?:ein|eine|der|die|das)\s+)?"
    r"|^qu[eé] (?:es|son)\s+(?:(?:un|una|el|la)\s+)?"
    r"|^(?:c['’]est quoi|qu['’]est-ce qu(?:e|['’]un|['’]une))\s*"
    r"|^(?:什[麼么]是|甚[麼么]是|何[謂谓]|啥是|[請请]?解[釋释])\s*"
    r"|\s*(?:是(?:什[麼么]|甚[麼么]|啥)|的意思)[\s?？。]*$"
    r"|\s*(?:とは(?:何(?:ですか|か)?)?|って(?:何|なに)(?:ですか)?)[\s?？。]*$",
    re.IGNORECASE,
)
"""What asks for the meaning of a name, in the languages of `index.analysis.languages` that blogs
here are written in."""


def title_key(text: str) -> str:
    """Return what two spellings of one title share: letters, digits and signs such as + and #.

    Width, case, spaces and marks do not count, and Chinese of both scripts is one.
    """
    folded = to_simplified(unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in folded if c.isalnum() or c in "+#")


def index_titles(titles: Iterable[tuple[int, str]]) -> Titles:
    """Index posts, given as id and title, by the keys of their titles."""
    found = defaultdict[str, tuple[int, ...]](tuple)
    for post, title in titles:
        if key := title_key(title):
            found[key] += (post,)
    return dict(found)


def find_named_posts(titles: Titles, query: str) -> tuple[int, ...]:
    """Return the posts whose title is the query, or else the query without its question words."""
    name = _QUESTION.sub("", query.strip(" \t¿"))
    return titles.get(title_key(query)) or titles.get(title_key(name)) or ()


def promote_named_posts(scores: Mapping[int, float], named: Iterable[int]) -> dict[int, float]:
    """Return `scores`, in [0, 1] by post id, with the named posts above CEILING and no others."""
    promoted = set(named)
    if promoted.isdisjoint(scores):
        return dict(scores)
    return {
        post: CEILING + (1.0 - CEILING) * score if post in promoted else min(score, CEILING)
        for post, score in scores.items()
    }
