"""How well series are recognised: with `series` in the front matter hidden, and listed without.

`python -m benchmarks.author series INDEX...`
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from benchmarks.author.related import say
from blog_search_mcp.index.relations.series import find_series
from blog_search_mcp.index.store.catalog import open_catalog
from blog_search_mcp.index.store.generations import current_number
from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.index.types import Series

SHOWN = 4
"""Parts of a series that are listed."""


def main(arguments: Sequence[str]) -> int:
    """Measure each index; returns the exit status."""
    for each in arguments:
        _measure(Path(each))
    return 0


def _measure(folder: Path) -> None:
    layout = Layout(folder)
    catalog = open_catalog(layout.generation(current_number(layout)))
    posts, links = catalog.every_post(), catalog.links()
    started = time.perf_counter()
    found = find_series(posts, links)
    took = (time.perf_counter() - started) * 1000
    parts = sum(len(series.parts) for series in found)
    say(f"{folder.name}: {len(posts)} posts, {len(found)} series of {parts} posts, {took:.0f} ms")
    told = [series for series in found if posts[series.parts[0].post].series]
    if told:
        hidden = {n: replace(post, series="", part=None) for n, post in posts.items()}
        known = {n for n, post in posts.items() if post.series}
        true = pairs(told)
        again = {pair for pair in pairs(find_series(hidden, links)) if known.issuperset(pair)}
        right = len(true & again)
        precision, recall = right / max(len(again), 1), right / max(len(true), 1)
        f1 = 2 * precision * recall / max(precision + recall, 1e-9)
        say(f"  front matter hidden: precision {precision:.2f} recall {recall:.2f} F1 {f1:.2f}")
    for series in found:
        titles = (posts[part.post].title for part in series.parts[:SHOWN])
        say(f"  {series.name} ({len(series.parts)}): {' | '.join(titles)}")


def pairs(found: Iterable[Series]) -> set[tuple[int, int]]:
    """Return every two posts that are in one series."""
    return {
        pair
        for series in found
        for pair in combinations(sorted(part.post for part in series.parts), 2)
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
