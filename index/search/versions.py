"""Pages that exist in several versions: the current one answers for the old ones."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from blog_search_mcp.index.types import VERSIONED

NEAR = 0.5
"""Least share of an old page's score that the current page has if it says the same."""

_NUMBERED = re.compile(
    r"(?:version[-_]?|release[-_]?|v)?\d{1,3}(?:\.(?:\d+|x))+|v\d{1,3}", re.IGNORECASE
)
_RANKS = dict.fromkeys(["dev", "main", "master", "next", "nightly"], 1) | {"": 2}
_RANKS |= dict.fromkeys(["current", "latest", "stable"], 3)
"""Folders without a number, the most current highest."""


def find_versions(posts: Iterable[tuple[int, str, str]]) -> Mapping[int, tuple[str, int]]:
    """Return by the id of an old page its version and the id of the page that took its place.

    Of every post are given the id, the source and the title. Docusaurus keeps old pages beside the
    current ones; in folders of other tools (`v1/a.md`, `latest/a.md`) those of one title are one.
    """
    given = [(post, source.rpartition(".")[0], title) for post, source, title in posts]
    places = {place for _, place, _ in given}
    groups = defaultdict[tuple[str, str], list[tuple[int, list[int], str, int]]](list)

    def put(place: str, title: str, version: str, post: int) -> None:
        numbers = [int(digits) for digits in re.findall(r"\d{1,9}", version)]
        groups[place, title].append((_RANKS.get(version, 0), numbers, version, post))

    for post, place, title in given:
        if old := VERSIONED.match(place):
            below = f"{old[2] or ''}docs/{place[old.end() :]}"
            put(old[1] + below if old[1] + below in places else below, "", old[3], post)
            continue
        put(place, "", "", post)
        put(place, title, "", post)
        parts = place.split("/")
        for at, part in enumerate(parts[:-1]):
            if part in _RANKS or _NUMBERED.fullmatch(part):
                put("/".join((*parts[:at], *parts[at + 1 :])), title, part, post)
    pages = ((sorted(group)[:-1], max(group)[-1]) for group in groups.values())
    return {post: (name, now) for old, now in pages for rank, _, name, post in old if not rank}


def prefer_current(
    scores: Mapping[int, float], versions: Mapping[int, tuple[str, int]], query: str
) -> dict[int, float]:
    """Rank old pages below the current one, or leave them out where it scores nearly as well.

    An old page whose version the query names keeps its score, by post id.
    """
    preferred = dict(scores)
    for post in versions.keys() & scores.keys():
        version, current = versions[post]
        if current in scores and not re.search(rf"(?<![\d.]){re.escape(version)}(?!\w)", query):
            preferred[current] = max(preferred[current], scores[post])
            preferred[post] = 0.99 * scores[post]
            if scores[current] >= NEAR * scores[post]:
                del preferred[post]
    return preferred
