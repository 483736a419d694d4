from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.posts.chunks import PASSAGE
from blog_search_mcp.index.search.retrieval import (
    FULL_COVERAGE,
    LEAST_COVERAGE,
    EmbeddedQuery,
    RetrievalResult,
    retrieve,
    retrieve_reach,
    trust_in_coverage,
)
from blog_search_mcp.index.search.snapshot import Snapshot
from tests.support.blog import vectors_in
from tests.support.columns import rows
from tests.support.fakes import DIMENSION, FakeEmbedder, vector_of

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Vectors
    from tests.support.blog import Blog, MakeBlog

LONG = "and so on " * (PASSAGE.most // 4) + "and so on."
"""As much as a passage needs to stay one of its own."""

ZEBRA = "stripes.md"
WALRUS = "walrus.md"
KELP = "kelp.md"

POSTS = {
    ZEBRA: (
        "---\ntitle: Stripes\ndescription: An author on savannahs\n---\n"
        f"A zebra walks {LONG}\n\n## Running\n\nThe zebra runs, a zebra {LONG}\n\n"
        f"## Rest\n\nIt sleeps {LONG}\n"
    ),
    WALRUS: "---\ntitle: Tusks\n---\nA walrus meets a zebra.\n",
    KELP: "---\ntitle: Forests\n---\nKelp grows.\n",
}


class HalfReading(FakeEmbedder):
    """Reads half of a text that is murky."""

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        return [0.5 if "murky" in text else 1.0 for text in texts]


@pytest.fixture
def made(kept_blog: MakeBlog) -> Blog:
    return kept_blog(POSTS)


@pytest.fixture
def snapshot(made: Blog) -> Iterator[Snapshot]:
    opened = made.snapshot()
    yield opened
    opened.close()


def retrieved(
    snapshot: Snapshot,
    text: str,
    vector: Vectors | None = None,
    *,
    coverage: float = 1.0,
    among: Sequence[str] | None = None,
) -> RetrievalResult:
    ids = None if among is None else [number_of(snapshot, source) for source in among]
    return retrieve(snapshot, EmbeddedQuery(analyse_query(text), vector, coverage), ids)


def number_of(snapshot: Snapshot, source: str) -> int:
    found = snapshot.catalog.find_post(source)
    assert found is not None
    return found[0]


def proposed(snapshot: Snapshot, found: RetrievalResult) -> set[str]:
    return {post.source for post in snapshot.catalog.posts(found.posts).values()}


def test_words_propose_the_posts_that_hold_them(snapshot: Snapshot) -> None:
    assert proposed(snapshot, retrieved(snapshot, "zebra")) == {ZEBRA, WALRUS}
    assert proposed(snapshot, retrieved(snapshot, "tusks kelp")) == {WALRUS, KELP}
    assert proposed(snapshot, retrieved(snapshot, "xylophone")) == set()


def test_an_authors_description_alone_proposes_a_post(snapshot: Snapshot) -> None:
    found = retrieved(snapshot, "savannahs")
    [evidence] = rows(found.posts).values()
    assert proposed(snapshot, found) == {ZEBRA}
    assert evidence.about_bm25 > 0.0
    assert (evidence.post_bm25, evidence.bm25) == (0.0, {})


def test_meaning_proposes_posts_that_hold_none_of_the_words(snapshot: Snapshot) -> None:
    found = retrieved(snapshot, "xylophone", vector_of("kelp grows"))
    assert proposed(snapshot, found) == {ZEBRA, WALRUS, KELP}
    posts = rows(found.posts)
    best = max(posts, key=lambda post: max(posts[post].cosines.values()))
    assert best == number_of(snapshot, KELP)


def test_lexical_shares_are_told_of_every_level(snapshot: Snapshot) -> None:
    found = retrieved(snapshot, "zebra").posts
    posts = rows(found)
    zebra, walrus = posts[number_of(snapshot, ZEBRA)], posts[number_of(snapshot, WALRUS)]
    first, second, third = zebra.chunks
    assert set(zebra.bm25) == {first, second}
    assert first < second < third
    assert zebra.bm25[second] > zebra.bm25[first] > 0.0
    assert found.best_bm25[found.position_of(number_of(snapshot, ZEBRA))] == zebra.bm25[second]
    assert 0.0 < zebra.post_bm25 < 1.0
    assert (zebra.about_bm25, walrus.about_bm25) == (0.0, 0.0)


def test_coverage_is_known_of_the_chunks_that_hold_most_of_the_words(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = retrieved(snapshot, "zebra stripes tusks").posts
    monkeypatch.setattr("blog_search_mcp.index.search.retrieval.COVERED_CHUNKS", 1)
    best = retrieved(snapshot, "zebra stripes tusks").posts
    assert 0.0 < every.coverage[every.bm25 > 0.0].min() < every.coverage.max() < 1.0
    assert best.coverage.tolist() == pytest.approx(
        np.where(every.bm25 > 0.0, every.coverage.max(), 0.0).tolist()
    )


def test_posts_with_a_description_alone_are_asked_for_it(snapshot: Snapshot) -> None:
    assert snapshot.described.tolist() == [number_of(snapshot, ZEBRA)]
    found = rows(retrieved(snapshot, "author zebra").posts)
    assert found[number_of(snapshot, ZEBRA)].about_bm25 > 0.0
    assert found[number_of(snapshot, WALRUS)].about_bm25 == 0.0


def test_without_a_vector_there_is_no_meaning(snapshot: Snapshot) -> None:
    found = retrieved(snapshot, "zebra")
    assert (found.max_cosine, found.blog_cosine) == (None, 0.0)
    assert all(not each.cosines for each in rows(found.posts).values())


def test_cosines_are_told_less_the_blogs_mean(snapshot: Snapshot) -> None:
    ids, every_row = vectors_in(snapshot)
    vector = vector_of("a zebra runs")
    found = retrieved(snapshot, "zebra", vector)
    background = every_row.mean(axis=0) @ vector
    for evidence in rows(found.posts).values():
        own = {n: every_row[ids == n] for n in evidence.chunks}
        assert evidence.cosines == pytest.approx(
            {n: (rows @ vector).max() - background for n, rows in own.items()}, abs=1e-6
        )
    assert found.max_cosine == pytest.approx((every_row @ vector).max(), abs=1e-6)
    assert found.blog_cosine == pytest.approx(background, abs=1e-6)


def test_a_chunk_without_a_vector_has_no_cosine(blog: MakeBlog) -> None:
    """The fake embedder reads no emoji, so the second chunk is not embedded."""
    made = blog({"a.md": "# Post\n\nA zebra.\n\n## 🦓\n\n🦓🦓🦓\n", "b.md": "# 🦓\n\n🦓🦓\n"})
    snapshot = made.snapshot()
    found = retrieved(snapshot, "zebra", vector_of("zebra"))
    vectors = {int(number) for number in vectors_in(snapshot)[0]}
    assert {chunk for each in rows(found.posts).values() for chunk in each.cosines} == vectors
    snapshot.close()


def test_among_restricts_both_legs_and_what_is_said_of_the_whole(snapshot: Snapshot) -> None:
    vector = vector_of("and so on")
    found = retrieved(snapshot, "zebra stripes", vector, among=[WALRUS, KELP])
    assert proposed(snapshot, found) == {WALRUS, KELP}
    everywhere = retrieved(snapshot, "zebra stripes", vector)
    walrus = number_of(snapshot, WALRUS)
    assert rows(found.posts)[walrus] == rows(everywhere.posts)[walrus]
    assert found.coverage < everywhere.coverage == pytest.approx(1.0)
    assert found.max_cosine is not None
    assert everywhere.max_cosine is not None
    assert found.max_cosine < everywhere.max_cosine


def test_among_no_posts_nothing_is_found(snapshot: Snapshot) -> None:
    found = retrieved(snapshot, "zebra", vector_of("zebra"), among=[])
    assert (rows(found.posts), found.coverage, found.max_cosine) == ({}, 0.0, 0.0)


def test_how_readable_a_query_is_is_also_a_matter_of_what_it_is_about(blog: MakeBlog) -> None:
    """One of the two chunks that hold the word is read by half."""
    made = blog({"a.md": "# A\n\nA zebra.\n", "b.md": "# B\n\nA murky zebra.\n"})
    made.embedder = HalfReading()
    made.ingest(rebuild=True)
    snapshot = made.snapshot()
    assert retrieved(snapshot, "zebra", coverage=1.0).vocabulary_coverage == 0.75
    assert retrieved(snapshot, "zebra", coverage=0.5).vocabulary_coverage == 0.375
    snapshot.close()


@pytest.mark.parametrize(
    ("covered", "expected"),
    [(0.0, 0.0), (0.05, 0.0), (LEAST_COVERAGE, 0.0), (0.3, 0.5), (FULL_COVERAGE, 1.0), (1.0, 1.0)],
)
def test_meaning_counts_by_how_much_of_the_blog_the_embedder_covers(
    covered: float, expected: float
) -> None:
    assert (LEAST_COVERAGE, FULL_COVERAGE) == (0.1, 0.5)
    assert trust_in_coverage(covered) == pytest.approx(expected)


def test_what_no_chunk_holds_leaves_the_embedder_undoubted(snapshot: Snapshot) -> None:
    assert retrieved(snapshot, "xylophone", coverage=0.5).vocabulary_coverage == 0.5


def test_a_post_proposed_as_a_whole_gets_the_shares_of_its_chunks(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = retrieved(snapshot, "zebra")
    monkeypatch.setattr("blog_search_mcp.index.search.retrieval.LEXICAL_CHUNKS", 0)
    assert rows(retrieved(snapshot, "zebra").posts) == rows(everything.posts)


def test_rarities_are_those_of_chunks(snapshot: Snapshot) -> None:
    found = retrieved(snapshot, "zebra xylophone")
    assert found.idf == snapshot.lexical.chunks.idf(analyse_query("zebra xylophone"))
    zebra, unknown = found.idf.values()
    assert zebra < unknown == found.max_idf


@pytest.mark.parametrize("text", ["zebra", "a walrus that sleeps in kelp", "xylophone", ""])
def test_how_far_a_query_reaches_is_the_same_without_its_posts(
    text: str, snapshot: Snapshot
) -> None:
    for vector in (None, vector_of(text)):
        found = retrieved(snapshot, text, vector, coverage=0.5)
        asked = [EmbeddedQuery(analyse_query(each), vector, 0.5) for each in ("kelp", text)]
        reach = retrieve_reach(snapshot, asked)[1]
        assert (len(reach.posts), replace(found, posts=reach.posts)) == (0, reach)
        assert found.max_bm25 == found.posts.bm25.max(initial=0.0)


def test_any_vector_is_answered(snapshot: Snapshot) -> None:
    found = retrieved(snapshot, "", np.zeros(DIMENSION, dtype=np.float32))
    assert all(
        cosine == 0.0 for each in rows(found.posts).values() for cosine in each.cosines.values()
    )
