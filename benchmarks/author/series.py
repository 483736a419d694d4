"""How well series are recognised by titles, file names and links, against what authors say.

`python -m benchmarks.author series INDEX...`, each named as its blog is in `series.jsonl`. No blog
at hand has `series` in its front matter; it is made from what the text says, which the detector
never reads: "This is part two of a series …" in the posts of five blogs, and the chapter lists of
the sixth, each with the posts that belong to it. Two posts of one series are a pair to be found.
Precision counts as right also the pairs of series without such a sentence that a reader agreed to
(`said` is empty): of 132 posts, mostly the monthly reports of one team.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from benchmarks.author._blogs import say
from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.relations.addresses import Addresses
from blog_search_mcp.index.relations.series import find_series
from blog_search_mcp.index.store.catalog import open_catalog

GOLD = Path(__file__).with_name("series.jsonl")
"""A series a line: the blog, what a post of it says (`""`: nothing), the sources of its posts."""

Pair = frozenset[str]
"""The sources of two posts of one series."""


def main(arguments: Sequence[str]) -> int:
    """Measure each index; returns the exit status."""
    series = [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    for each in arguments:
        of_blog = [one for one in series if one["blog"] == Path(each).name]
        _measure(Path(each), of_blog)
    return 0


def _measure(folder: Path, gold: Sequence[dict[str, list[str]]]) -> None:
    store = FolderStore(folder)
    catalog = open_catalog(store.layout.generation(store.current_number()))
    posts = {n: replace(post, series="", part=None) for n, post in catalog.every_post().items()}
    links = catalog.links()
    started = time.perf_counter()
    found = find_series(posts, Addresses(posts, links).resolved)
    took = (time.perf_counter() - started) * 1000
    parts = [[part.source for part in series.parts] for series in found]
    number = sum(map(len, parts))
    say(f"{folder.name}: {len(posts)} posts, {len(found)} series of {number} posts, {took:.0f} ms")
    said = pair_up(one["posts"] for one in gold if one["said"])
    agreed = pair_up(one["posts"] for one in gold)
    pairs = pair_up(parts)
    if said:
        known = {source for one in gold if one["said"] for source in one["posts"]}
        met = {source for series in parts for source in series if len(series) > 1}
        say(
            f"  said in the text: {len(said)} pairs of {len(known)} posts;"
            f" recall {len(pairs & said) / len(said):.2f}"
            f" (posts {len(known & met) / len(known):.2f});"
            f" precision {len(pairs & agreed) / max(1, len(pairs)):.2f} of {len(pairs)} pairs,"
            f" {len(pairs & said) / max(1, len(pairs)):.2f} by what is said alone"
        )
    for one in gold:
        if one["said"] and (missed := pair_up([one["posts"]]) - pairs):
            say(f"  missed {len(missed)}: {one['said']} | {one['posts'][0]}")
    for each, series in zip(parts, found, strict=True):
        if wrong := pair_up([each]) - agreed:
            say(f"  wrong {len(wrong)}: {series.name} | {' | '.join(each[:4])}")


def pair_up(series: Iterable[Sequence[str]]) -> set[Pair]:
    """Return every two posts that are in one series."""
    return {frozenset(pair) for one in series for pair in combinations(one, 2)}
