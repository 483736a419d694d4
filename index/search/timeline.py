"""What a blog said on a subject over time: of a search's hits those that match, by date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from blog_search_mcp.index.types import Hit

DEPTH = 150
"""Hits that are looked at: what a subject of a large blog has, some posts with several."""

SHARE = 0.7
"""Of the best post's score that another must have: chosen on two blogs, with tags as subjects and
the posts that have the tag as what belongs there."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The posts on a subject, each by its best passage."""

    entries: tuple[Hit, ...]
    """The oldest first, parts of a series on one day in their order; undated ones last."""
    total: int
    """Posts that match, those left out included."""
    first: Hit | None
    """The oldest of all that match and have a date, also one of `entries`."""
    latest: Hit | None

    @property
    def years(self) -> dict[str, list[Hit]]:
        """The entries by year, `""` for those without a date, in their order."""
        years: dict[str, list[Hit]] = {}
        for hit in self.entries:
            years.setdefault((hit.post.date or "")[:4], []).append(hit)
        return years


def make_timeline(hits: Sequence[Hit], limit: int) -> Timeline:
    """Order by date the posts of the best hits, `limit` at most; `hits` are the best first.

    Of too many the best are kept, the first and the latest always. A post counts by its own score,
    without what a search adds to the one named by its title.
    """
    best = {hit.post.source: hit for hit in reversed(hits)}
    scores = [sum(each.share * each.value for each in hit.reasons) for hit in best.values()]
    least = SHARE * max(scores, default=0.0)
    fitting = [hit for hit, score in zip(best.values(), scores, strict=True) if score >= least]
    matching = sorted(fitting, key=hits.index)
    dated = sorted((hit for hit in matching if hit.post.date), key=_by_date)
    first, latest = (dated[0], dated[-1]) if dated else (None, None)
    kept = [*dict.fromkeys((*dated[:1], *dated[-1:], *matching))][:limit]
    return Timeline(tuple(sorted(kept, key=_by_date)), len(matching), first, latest)


def _by_date(hit: Hit) -> tuple[str, int, str]:
    part = hit.series.part if hit.series else 0
    return hit.post.date or "9999", part, hit.post.source
