"""What is counted of a generation's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing

import pytest

from blog_search_mcp.index.lexical.documents import PostTerms
from blog_search_mcp.index.milvus.schema import ABOUT, TERMS, WHOLE, pack_arrays, unpack_arrays
from blog_search_mcp.index.milvus.terms import (
    Means,
    TermSpool,
    TermStatistics,
    count_post,
    dimension,
    read_statistics,
    sum_statistics,
)
from tests.unit.index.milvus.words import made_posts

MakeSpool = Callable[..., TermSpool]


@pytest.fixture
def spools() -> Iterator[MakeSpool]:
    """Makes spools of posts, and closes them."""
    with ExitStack() as opened:

        def make(posts: Iterable[PostTerms], means: Mapping[str, Means] | None = None) -> TermSpool:
            spool = opened.enter_context(closing(TermSpool(means)))
            for post in posts:
                counted = count_post(post)
                assert counted is not None
                spool.add(counted)
            return spool

        yield make


POSTS = list(made_posts(9, seed=3))


def counted(statistics: TermStatistics) -> dict[int, int]:
    pairs = zip(statistics.dimensions.tolist(), statistics.counts.tolist(), strict=True)
    return dict(pairs)


def test_a_generation_counts_its_posts_and_chunks(spools: MakeSpool) -> None:
    spool = spools(POSTS)
    statistics = spool.statistics()
    cached = [sum("cach" in words.stems.split() for words in post.chunks) for post in POSTS]
    assert statistics[TERMS].having(dimension("stem", "cach")) == sum(cached)
    assert statistics[WHOLE].having(dimension("stem", "cach")) == sum(map(bool, cached))
    assert statistics[TERMS].documents == sum(len(post.chunks) for post in POSTS)
    assert statistics[ABOUT].documents == statistics[WHOLE].documents == 9
    mean = sum(len(post.whole.stems.split()) for post in POSTS) / 9
    assert statistics[WHOLE].means[0] == pytest.approx(mean)
    assert statistics[WHOLE].having(dimension("stem", "nowhere")) == 0


def test_rows_come_back_in_order_with_what_was_counted(spools: MakeSpool) -> None:
    spool = spools(POSTS)
    rows = list(spool.rows())
    assert [row.post_id for row in rows] == [*range(1, 10)]
    having = {each for row in rows for each in row.whole if each % 2 == 0}
    assert having == set(counted(spool.statistics()[WHOLE]))


def test_what_a_generation_removes_is_what_its_rows_had(spools: MakeSpool) -> None:
    spool = spools(POSTS)
    every, first = spool.statistics(), next(spool.rows())
    change = spools((), spool.means)
    change.remove(WHOLE, first.whole)
    change.remove(ABOUT, first.about)
    for row in first.chunks.values():
        change.remove(TERMS, row)
    changed = change.statistics()
    left = spools(POSTS[1:], spool.means)
    for name, expected in left.statistics().items():
        found = sum_statistics([every[name], changed[name]])
        assert (found.documents, found.means) == (expected.documents, every[name].means)
        assert counted(found) == counted(expected)


def test_statistics_come_back_from_texts(spools: MakeSpool) -> None:
    before = spools(POSTS).statistics()[TERMS]
    after = read_statistics(unpack_arrays(pack_arrays(before.arrays())))
    assert (after.documents, after.means) == (before.documents, before.means)
    assert counted(after) == counted(before)
