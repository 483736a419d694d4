"""Pages that Docusaurus keeps in several versions: the current one answers for the old ones."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from blog_search_mcp.index.types import VERSIONED


def find_versions(posts: Iterable[tuple[int, str]]) -> Mapping[int, tuple[str, int]]:
    """Return by the id of an old page its version and the id of the page that took its place.

    Of every post are given the id and the source. Where the current page is gone, the newest counts
    for it.
    """
    places = {source.rpartition(".")[0]: post for post, source in posts}
    old_pages = defaultdict[str, list[tuple[list[int], str, int]]](list)
    for place, post in places.items():
        if old := VERSIONED.match(place):
            below = f"{old[2] or ''}docs/{place[old.end() :]}"
            numbers = [int(digits) for digits in re.findall(r"\d{1,9}", old[3])]
            current = old[1] + below if old[1] + below in places else below
            old_pages[current].append((numbers, old[3], post))
    newest = {current: places.get(current, max(old)[-1]) for current, old in old_pages.items()}
    return {
        post: (version, newest[current])
        for current, old in old_pages.items()
        for _, version, post in old
        if post != newest[current]
    }


def prefer_current(
    scores: Mapping[int, float], versions: Mapping[int, tuple[str, int]], query: str
) -> dict[int, float]:
    """Rank old pages below the current one, or leave them out where it has half of their score.

    An old page whose version the query names keeps its score, by post id.
    """
    preferred = dict(scores)
    for post in versions.keys() & scores.keys():
        version, current = versions[post]
        if current in scores and not re.search(rf"(?<![\d.]){re.escape(version)}(?!\w)", query):
            preferred[current] = max(preferred[current], scores[post])
            preferred[post] = 0.99 * scores[post]
            if scores[current] >= 0.5 * scores[post]:
                del preferred[post]
    return preferred
