"""A subject over time: which posts of a search's hits, and in what order."""

from __future__ import annotations

from blog_search_mcp.index.search.timeline import make_timeline
from blog_search_mcp.index.types import Chunk, Hit, PlaceInSeries, Post, Reason


def hit(source: str, score: float, date: str | None = None, part: int = 0, chunk: int = 0) -> Hit:
    return Hit(
        Post(source, source, date),
        Chunk(source, chunk, "", "", (), 1, 2),
        1.0,
        "",
        reasons=(Reason("passage", 1.0, score),),
        series=PlaceInSeries("S", part, None) if part else None,
    )


def sources(hits: list[Hit], limit: int) -> tuple[list[str], int]:
    entries, total = make_timeline(hits, limit)
    return [f"{each.post.source} {each.chunk.index}" for each in entries], total


def test_posts_come_by_date_with_their_best_passage() -> None:
    hits = [
        hit("b", 0.9, "2024-05-01", chunk=3),
        hit("a", 0.8, "2022-01-01"),
        hit("b", 0.8, "2024-05-01", chunk=1),
        hit("c", 0.7),
    ]
    assert sources(hits, 10) == (["a 0", "b 3", "c 0"], 3)


def test_what_fits_much_less_than_the_best_is_left_out() -> None:
    hits = [hit("a", 0.8, "2022-01-01"), hit("b", 0.5, "2020-01-01")]
    assert sources(hits, 10) == (["a 0"], 1)


def test_of_too_many_the_best_stay_with_the_first_and_the_latest() -> None:
    days = {"d": "2020-01-01", "a": "2021-01-01", "b": "2022-01-01", "c": "2023-01-01"}
    hits = [
        hit(name, score, days[name])
        for name, score in zip("abcd", (1.0, 0.9, 0.8, 0.75), strict=True)
    ]
    assert sources(hits, 3) == (["d 0", "a 0", "c 0"], 4)
    assert sources(hits, 1) == (["d 0", "c 0"], 4)


def test_parts_of_a_series_on_one_day_keep_their_order() -> None:
    hits = [hit("a", 0.9, "2022-01-01", part=2), hit("b", 0.9, "2022-01-01", part=1)]
    assert sources(hits, 5) == (["b 0", "a 0"], 2)
