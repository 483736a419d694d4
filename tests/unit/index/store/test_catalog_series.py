"""Series are found at ingest, kept in the generation, and named by the hits of their posts."""

from __future__ import annotations

from blog_search_mcp.index.types import Filters, PlaceInSeries
from tests.support.blog import MakeBlog


def test_a_hit_names_its_series_and_the_next_part(blog: MakeBlog) -> None:
    made = blog(
        {
            "a.md": "# Raft (1)\n\nLeaders are elected.\n",
            "b.md": "# Raft (2)\n\nLogs are copied.\n",
            "c.md": "# Paxos\n\nProposals are numbered.\n",
        }
    )
    assert series_of(made.reader().search("raft", Filters(), limit=3, offset=0).hits) == {
        "a.md": PlaceInSeries("Raft", 1, "b.md"),
        "b.md": PlaceInSeries("Raft", 2, None),
    }


def series_of(hits: object) -> dict[str, PlaceInSeries]:
    assert isinstance(hits, tuple)
    return {hit.post.source: hit.series for hit in hits if hit.series}
