from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from blog_search_mcp.index.analysis.query import analysed
from blog_search_mcp.index.search.candidates import Findings
from blog_search_mcp.index.search.retrieval import READ_BLOG, READ_LEAST, Gatherer
from blog_search_mcp.index.search.snapshot import Legs, open_legs
from blog_search_mcp.index.vectors.segments import load_rows
from blog_search_mcp.ingest.chunking.chunker import PASSAGE
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
def made(blog: MakeBlog) -> Blog:
    return blog(POSTS)


@pytest.fixture
def legs(made: Blog) -> Iterator[Legs]:
    opened = open_legs(made.files, made.embedder)
    yield opened
    opened.close()


def gather(
    legs: Legs,
    text: str,
    vector: Vectors | None = None,
    *,
    readable: float = 1.0,
    among: Sequence[str] | None = None,
) -> Findings:
    ids = None if among is None else [number_of(legs, source) for source in among]
    gatherer = Gatherer(legs.catalog, legs.lexical, legs.vectors, legs.table, legs.described)
    return gatherer.gather(analysed(text), vector, readable, ids)


def number_of(legs: Legs, source: str) -> int:
    found = legs.catalog.find_post(source)
    assert found is not None
    return found[0]


def proposed(legs: Legs, found: Findings) -> set[str]:
    return {post.source for post in legs.catalog.posts(found.posts).values()}


def test_words_propose_the_posts_that_hold_them(legs: Legs) -> None:
    assert proposed(legs, gather(legs, "zebra")) == {ZEBRA, WALRUS}
    assert proposed(legs, gather(legs, "tusks kelp")) == {WALRUS, KELP}
    assert proposed(legs, gather(legs, "xylophone")) == set()


def test_an_authors_description_alone_proposes_a_post(legs: Legs) -> None:
    found = gather(legs, "savannahs")
    [evidence] = found.posts.values()
    assert proposed(legs, found) == {ZEBRA}
    assert evidence.about > 0.0
    assert (evidence.whole, evidence.lead, evidence.best) == (0.0, 0.0, 0.0)


def test_meaning_proposes_posts_that_hold_none_of_the_words(legs: Legs) -> None:
    found = gather(legs, "xylophone", vector_of("kelp grows"))
    assert proposed(legs, found) == {ZEBRA, WALRUS, KELP}
    best = max(found.posts, key=lambda post: max(found.posts[post].cosines.values()))
    assert best == number_of(legs, KELP)


def test_lexical_shares_are_told_of_every_level(legs: Legs) -> None:
    found = gather(legs, "zebra").posts
    zebra, walrus = found[number_of(legs, ZEBRA)], found[number_of(legs, WALRUS)]
    first, second, third = zebra.chunks
    assert set(zebra.shares) == {first, second}
    assert first < second < third
    assert zebra.best == zebra.shares[second] > zebra.shares[first] > 0.0
    assert zebra.shares[first] > 0.0 < zebra.whole < 1.0
    assert zebra.lead > 0.0 < walrus.lead
    assert (zebra.about, walrus.about) == (0.0, 0.0)


def test_a_post_is_asked_for_its_beginning_unless_a_question_wants_a_detail(legs: Legs) -> None:
    described, asked = gather(legs, "zebra").posts, gather(legs, "what is a zebra?").posts
    assert all(each.lead > 0.0 for each in described.values())
    assert [each.lead for each in asked.values()] == [0.0, 0.0]


def test_posts_with_a_description_alone_are_asked_for_it(legs: Legs) -> None:
    assert legs.described.tolist() == [number_of(legs, ZEBRA)]
    found = gather(legs, "author zebra").posts
    assert found[number_of(legs, ZEBRA)].about > 0.0
    assert found[number_of(legs, WALRUS)].about == 0.0


def test_without_a_vector_there_is_no_meaning(legs: Legs) -> None:
    found = gather(legs, "zebra")
    assert (found.nearest, found.background) == (None, 0.0)
    assert all(not each.cosines and each.mean_cosine == 0.0 for each in found.posts.values())


def test_cosines_are_told_less_the_blogs_mean(made: Blog, legs: Legs) -> None:
    ids, every_row = load_rows(made.files.vectors)
    vector = vector_of("a zebra runs")
    found = gather(legs, "zebra", vector)
    background = every_row.mean(axis=0) @ vector
    for evidence in found.posts.values():
        own = {n: every_row[ids == n] for n in evidence.chunks}
        assert evidence.cosines == pytest.approx(
            {n: (rows @ vector).max() - background for n, rows in own.items()}, abs=1e-6
        )
        middle = np.concatenate(list(own.values())).mean(axis=0)
        assert evidence.mean_cosine == pytest.approx(
            middle @ vector / np.linalg.norm(middle) - background, abs=1e-6
        )
    assert found.nearest == pytest.approx((every_row @ vector).max(), abs=1e-6)
    assert found.background == pytest.approx(background, abs=1e-6)


def test_a_chunk_without_a_vector_has_no_cosine(blog: MakeBlog) -> None:
    """The fake embedder reads no emoji, so the second chunk is not embedded."""
    made = blog({"a.md": "# Post\n\nA zebra.\n\n## 🦓\n\n🦓🦓🦓\n", "b.md": "# 🦓\n\n🦓🦓\n"})
    legs = open_legs(made.files, made.embedder)
    found = gather(legs, "zebra", vector_of("zebra"))
    vectors = {int(number) for number in load_rows(made.files.vectors)[0]}
    assert {chunk for each in found.posts.values() for chunk in each.cosines} == vectors
    legs.close()


def test_among_restricts_both_legs_and_what_is_said_of_the_whole(legs: Legs) -> None:
    vector = vector_of("and so on")
    found = gather(legs, "zebra stripes", vector, among=[WALRUS, KELP])
    assert proposed(legs, found) == {WALRUS, KELP}
    everywhere = gather(legs, "zebra stripes", vector)
    assert found.posts[number_of(legs, WALRUS)] == everywhere.posts[number_of(legs, WALRUS)]
    assert found.coverage < everywhere.coverage == pytest.approx(1.0)
    assert found.nearest is not None
    assert everywhere.nearest is not None
    assert found.nearest < everywhere.nearest


def test_among_no_posts_nothing_is_found(legs: Legs) -> None:
    found = gather(legs, "zebra", vector_of("zebra"), among=[])
    assert (dict(found.posts), found.coverage, found.nearest) == ({}, 0.0, 0.0)


def test_how_readable_a_query_is_is_also_a_matter_of_what_it_is_about(blog: MakeBlog) -> None:
    """One of the two chunks that hold the word is read by half."""
    made = blog({"a.md": "# A\n\nA zebra.\n", "b.md": "# B\n\nA murky zebra.\n"})
    made.embedder = HalfReading()
    made.ingest(rebuild=True)
    legs = open_legs(made.files, made.embedder)
    assert gather(legs, "zebra", readable=1.0).readable == 0.75
    assert gather(legs, "zebra", readable=0.5).readable == 0.375
    legs.close()


@pytest.mark.parametrize(
    ("blog_readable", "expected"),
    [(0.0, 0.0), (0.05, 0.0), (READ_LEAST, 0.0), (0.3, 0.5), (READ_BLOG, 1.0), (1.0, 1.0)],
)
def test_a_blog_that_is_hardly_read_is_not_judged_by_meaning(
    legs: Legs, blog_readable: float, expected: float
) -> None:
    assert (READ_LEAST, READ_BLOG) == (0.1, 0.5)
    gatherer = Gatherer(
        legs.catalog,
        legs.lexical,
        legs.vectors,
        legs.table,
        legs.described,
        blog_readable,
    )
    found = gatherer.gather(analysed("zebra"), vector_of("zebra"), 1.0, None)
    assert found.readable == pytest.approx(expected)


def test_what_no_chunk_holds_leaves_the_embedder_undoubted(legs: Legs) -> None:
    assert gather(legs, "xylophone", readable=0.5).readable == 0.5


def test_a_post_proposed_as_a_whole_gets_the_shares_of_its_chunks(
    legs: Legs, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = gather(legs, "zebra")
    monkeypatch.setattr("blog_search_mcp.index.search.retrieval.CHUNKS", 0)
    assert gather(legs, "zebra").posts == everything.posts


def test_rarities_are_those_of_chunks(legs: Legs) -> None:
    found = gather(legs, "zebra xylophone")
    assert found.rarities == legs.lexical.chunks.rarities(analysed("zebra xylophone"))
    zebra, unknown = found.rarities.values()
    assert zebra < unknown == found.rarest


def test_any_vector_is_answered(legs: Legs) -> None:
    found = gather(legs, "", np.zeros(DIMENSION, dtype=np.float32))
    assert all(cosine == 0.0 for each in found.posts.values() for cosine in each.cosines.values())
