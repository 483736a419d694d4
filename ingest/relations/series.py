"""Group posts by the series in their front matter, in reading order."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping

from blog_search_mcp.index.types import Post, Series, SeriesPart


def find_series(posts: Mapping[int, Post]) -> list[Series]:
    """Group posts, given by ID, by their language and the name of their series.

    A series has at least two parts. The parts are ordered by number if all have different numbers,
    else by date. The series are sorted by the source of their first part.
    """
    groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number, post in posts.items():
        words = re.findall(r"\w+", unicodedata.normalize("NFKC", post.series).casefold())
        if key := " ".join(words):
            groups[post.language, key].append(number)
    series = [_order_parts(posts, group) for group in groups.values() if len(group) > 1]
    return sorted(series, key=lambda one: one.parts[0].source)


def _order_parts(posts: Mapping[int, Post], group: list[int]) -> Series:
    numbers = {posts[number].part for number in group}
    is_numbered = None not in numbers and len(numbers) == len(group)

    def place(number: int) -> tuple[int, str, str]:
        post = posts[number]
        return (post.part or 0) if is_numbered else 0, post.date or "", post.source

    ordered = sorted(group, key=place)
    parts = tuple(
        SeriesPart(number, posts[number].source, (posts[number].part or 0) if is_numbered else at)
        for at, number in enumerate(ordered, 1)
    )
    return Series(posts[ordered[0]].series, parts)
