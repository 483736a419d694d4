"""What a blog said on a subject over time: of a search's hits those that match, by date."""

from __future__ import annotations

from collections.abc import Sequence

from blog_search_mcp.index.types import Hit

DEPTH = 150
"""Hits that are looked at: what a subject of a large blog has, some posts with several."""

SHARE = 0.7
"""Of the best post's score that another must have: chosen on two blogs, with tags as subjects and
the posts that have the tag as what belongs there."""


def make_timeline(hits: Sequence[Hit], limit: int) -> tuple[list[Hit], int]:
    """Order by date the posts of the best hits, and count those that match; the best come first.

    The oldest is the first, parts of a series on one day are in their order, and undated ones the
    last. Of more than `limit` the best are kept, the first and the latest always. A post counts by
    its own score, without what a search adds to the one named by its title.
    """
    best = {hit.post.source: hit for hit in reversed(hits)}
    scores = [sum(reason.share * reason.value for reason in hit.reasons) for hit in best.values()]
    least = SHARE * max(scores, default=0.0)
    fitting = [hit for hit, score in zip(best.values(), scores, strict=True) if score >= least]
    matching = sorted(fitting, key=hits.index)
    dated = sorted((hit for hit in matching if hit.post.date), key=_by_date)
    kept = [*dict.fromkeys((*dated[:1], *dated[-1:], *matching))][: max(limit, 2)]
    return sorted(kept, key=_by_date), len(matching)


def _by_date(hit: Hit) -> tuple[str, int, str]:
    return hit.post.date or "9999", hit.series.part if hit.series else 0, hit.post.source
