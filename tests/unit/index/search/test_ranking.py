from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import Query
from blog_search_mcp.index.search.ranking import (
    BEST_OF,
    NEARNESS,
    WEIGHTS,
    Use,
    Weights,
    explain_scores,
    feature_weights,
    gate_openness,
    score_chunks,
    score_posts,
)
from blog_search_mcp.index.search.retrieval import Candidate, RetrievalResult
from tests.support.columns import columns

SHARES = st.floats(0.0, 1.0)
COSINES = st.floats(-1.0, 1.0)

WORDS = Query("some words", (), is_question=False, is_prose=False)
QUESTION = replace(WORDS, is_question=True)
PROSE = replace(WORDS, is_prose=True)

PLAIN = Candidate(
    post_bm25=0.0,
    lead_bm25=0.0,
    about_bm25=0.0,
    chunks=(1,),
    bm25={},
    cosines={},
    mean_cosine=0.0,
)


def of_words(
    *shares: float, whole: float = 0.0, lead: float = 0.0, about: float = 0.0
) -> Candidate:
    return replace(
        PLAIN,
        post_bm25=whole,
        lead_bm25=lead,
        about_bm25=about,
        chunks=tuple(range(len(shares))),
        bm25={chunk: share for chunk, share in enumerate(shares) if share},
    )


def of_meaning(*cosines: float, mean: float = 0.0) -> Candidate:
    return replace(
        PLAIN,
        chunks=tuple(range(len(cosines))),
        cosines=dict(enumerate(cosines)),
        mean_cosine=mean,
    )


def retrieved(
    posts: Mapping[int, Candidate], coverage: float = 0.0, readable: float = 1.0
) -> RetrievalResult:
    nearest = 0.5 if readable else None
    return RetrievalResult(columns(posts), coverage, readable, {}, 1.0, nearest, blog_cosine=0.0)


@st.composite
def evidences(draw: st.DrawFn) -> Candidate:
    chunks = tuple(range(draw(st.integers(1, 6))))
    return Candidate(
        post_bm25=draw(SHARES),
        lead_bm25=draw(SHARES),
        about_bm25=draw(SHARES),
        chunks=chunks,
        bm25=draw(st.dictionaries(st.sampled_from(chunks), SHARES)),
        cosines=draw(st.dictionaries(st.sampled_from(chunks), COSINES)),
        mean_cosine=draw(COSINES),
    )


ALL_FINDINGS = st.builds(
    retrieved,
    st.dictionaries(st.integers(1, 9), evidences(), max_size=5),
    coverage=SHARES,
    readable=SHARES,
)
QUERIES = st.builds(replace, st.just(WORDS), is_question=st.booleans(), is_prose=st.booleans())


@given(ALL_FINDINGS, QUERIES, st.sampled_from(Use))
def test_a_score_is_above_zero_and_at_most_one(
    found: RetrievalResult, query: Query, use: Use
) -> None:
    scores = score_posts(found, query, use)
    assert all(0.0 < score <= 1.0 for score in scores.values())
    assert scores.keys() <= found.posts.keys()


@given(ALL_FINDINGS, QUERIES)
def test_meaning_has_no_say_where_one_passage_holds_all_the_words(
    found: RetrievalResult, query: Query
) -> None:
    closed = replace(found, coverage=1.0)
    if gate_openness(closed, query.is_prose) == 0.0:
        assert score_posts(closed, query) == score_posts(closed, query, Use.LEXICAL)


def test_an_identifier_held_by_one_passage_closes_the_gate_and_a_description_may_not() -> None:
    thin = retrieved({1: of_words(0.35)}, coverage=1.0)
    full = retrieved({1: of_words(0.7)}, coverage=1.0)
    assert gate_openness(thin, is_prose=False) == gate_openness(full, is_prose=True) == 0.0
    assert gate_openness(thin, is_prose=True) == pytest.approx(1.0 - 0.5**4)
    assert gate_openness(retrieved({}), is_prose=True) == 1.0


@given(ALL_FINDINGS, st.booleans())
def test_the_gate_opens_as_less_of_the_words_is_held(
    found: RetrievalResult, is_prose: bool
) -> None:
    wider = replace(found, coverage=found.coverage / 2)
    assert 0.0 <= gate_openness(found, is_prose) <= gate_openness(wider, is_prose) <= 1.0


@given(ALL_FINDINGS, QUERIES)
def test_meaning_has_no_say_where_the_embedder_reads_nothing(
    found: RetrievalResult, query: Query
) -> None:
    unread = replace(found, vocabulary_coverage=0.0)
    assert score_posts(unread, query) == score_posts(unread, query, Use.LEXICAL)


def test_a_paraphrase_is_found_by_meaning_and_an_identifier_by_its_word() -> None:
    posts = {1: of_words(0.3, whole=0.2), 2: of_meaning(0.6, mean=0.6)}
    paraphrased = score_posts(retrieved(posts, coverage=0.3), WORDS)
    held = score_posts(retrieved(posts, coverage=1.0), WORDS)
    assert paraphrased[2] > paraphrased[1] > 0.0
    assert list(held) == [1]


def test_a_score_is_the_weighted_mean_of_what_speaks_for_a_post() -> None:
    weights = Weights(
        passage=4.0,
        post=3.0,
        several=2.0,
        meaning=5.0,
        lead=1.0,
        about=6.0,
        beside=0.5,
        gate=1.0,
    )
    post = Candidate(
        post_bm25=0.5,
        lead_bm25=0.4,
        about_bm25=0.3,
        chunks=(7, 8, 9, 10),
        bm25={8: 0.6, 9: 0.2, 10: 0.1},
        cosines={7: 0.2, 8: 0.8},
        mean_cosine=0.4,
    )
    found = retrieved({1: post}, coverage=0.25, readable=0.5)
    gate = 0.75
    words = 4.0 * 0.6 + 3.0 * 0.5 + gate * 2.0 * 0.3 + gate * 1.0 * 0.4 + 6.0 * 0.3
    meant = gate * 5.0 * 0.5 * (0.8 + 0.5 * (0.2 + 0.4)) / 2.0
    lexical = 4.0 + 3.0 + gate * 2.0 + gate * 1.0 + 6.0
    both = lexical + gate * 5.0 * 0.5
    assert score_posts(found, WORDS, Use.HYBRID, weights) == pytest.approx(
        {1: (words + meant) / both}
    )
    assert score_posts(found, WORDS, Use.LEXICAL, weights) == pytest.approx({1: words / lexical})
    assert score_posts(found, WORDS, Use.DENSE, weights) == pytest.approx({1: 1.1 / 2.0})


def test_how_a_post_begins_has_no_say_in_a_question() -> None:
    posts = {1: of_words(0.5, lead=1.0), 2: of_words(0.5)}
    asked = score_posts(retrieved(posts), QUESTION)
    described = score_posts(retrieved(posts), WORDS)
    assert asked[1] == asked[2]
    assert described[1] > described[2]


def test_a_blog_without_descriptions_loses_nothing_by_it() -> None:
    bare = score_posts(retrieved({1: of_words(0.5), 2: of_words(0.4)}), WORDS)
    one = score_posts(retrieved({1: of_words(0.5), 2: of_words(0.4, about=0.9)}), WORDS)
    none = replace(WEIGHTS, about=0.0)
    assert bare == score_posts(retrieved({1: of_words(0.5), 2: of_words(0.4)}), WORDS, weights=none)
    assert one[2] > one[1]
    assert bare[1] > bare[2]


@given(evidences(), st.lists(SHARES, min_size=1, max_size=200), QUERIES)
def test_a_long_post_cannot_win_by_having_many_chunks(
    post: Candidate, further: list[float], query: Query
) -> None:
    """Chunks no better than the worst that already counts never raise the score."""
    worst = min(post.bm25.get(chunk, 0.0) for chunk in post.chunks)
    first = len(post.chunks)
    longer = replace(
        post,
        chunks=(*post.chunks, *range(first, first + len(further))),
        bm25={
            **post.bm25,
            **{chunk: share * worst for chunk, share in enumerate(further, first)},
        },
    )
    scores = score_posts(retrieved({1: post, 2: longer}), query)
    assert scores.get(2, 0.0) <= scores.get(1, 0.0) + 1e-9


def test_several_good_passages_count_and_a_fourth_does_not() -> None:
    posts = {n: of_words(*[0.5] * n, *[0.0] * (5 - n)) for n in range(1, 6)}
    scores = score_posts(retrieved(posts), WORDS)
    assert scores[1] < scores[2] < scores[BEST_OF] == scores[4] == scores[5]


@given(evidences(), SHARES, QUERIES)
def test_more_that_speaks_for_a_post_never_lowers_it(
    post: Candidate, more: float, query: Query
) -> None:
    some = replace(post, about_bm25=max(post.about_bm25, 0.1))
    for name in ("post_bm25", "lead_bm25", "about_bm25"):
        after = replace(some, **{name: max(getattr(some, name), more)})
        scores = score_posts(retrieved({1: some, 2: after}), query)
        assert scores.get(2, 0.0) >= scores.get(1, 0.0)


def test_a_post_that_nothing_speaks_for_has_no_score() -> None:
    assert score_posts(retrieved({1: PLAIN, 2: of_meaning(-0.2, mean=-0.1)}), WORDS) == {}


def test_meaning_below_the_blogs_mean_speaks_against_a_post() -> None:
    posts = {1: of_words(0.5), 2: replace(of_words(0.5), cosines={0: -0.3}, mean_cosine=-0.3)}
    scores = score_posts(retrieved(posts), WORDS)
    assert scores[1] > scores[2]


def test_words_place_the_answer_in_a_post_and_meaning_decides_between_equals() -> None:
    post = Candidate(0.0, 0.0, 0.0, (5, 6, 7), {5: 0.5, 6: 0.5}, {6: 0.2, 7: 0.4}, 0.0)
    found = retrieved({1: post}, coverage=1.0, readable=0.5)
    step = NEARNESS * 0.5 / np.std([0.0, 0.2, 0.4])
    assert score_chunks(found).tolist() == pytest.approx([0.5, 0.5 + 0.2 * step, 0.4 * step])
    assert score_chunks(found, Use.LEXICAL).tolist() == [0.5, 0.5, 0.0]
    assert score_chunks(found, Use.DENSE).tolist() == [0.0, 0.2, 0.4]


@given(ALL_FINDINGS, st.sampled_from(Use))
def test_every_chunk_of_every_post_has_a_score(found: RetrievalResult, use: Use) -> None:
    assert score_chunks(found, use).shape == found.posts.chunks.shape


@pytest.mark.parametrize("use", list(Use))
@given(posts=st.dictionaries(st.integers(1, 9), evidences(), min_size=1), coverage=SHARES)
def test_the_reasons_of_a_post_add_up_to_its_score(
    use: Use, posts: dict[int, Candidate], coverage: float
) -> None:
    found = retrieved(posts, coverage)
    counts = feature_weights(found, WORDS, use)
    scores = score_posts(found, WORDS, use)
    for post, given_reasons in explain_scores(found, posts, counts).items():
        total = sum(reason.share * reason.value for reason in given_reasons)
        assert scores.get(post, 0.0) == pytest.approx(min(max(total, 0.0), 1.0))
        assert sum(reason.share for reason in given_reasons) == pytest.approx(1.0)


def test_reasons_name_what_counts_for_the_query_and_the_most_counting_first() -> None:
    found = retrieved({1: of_words(0.6, whole=0.5)}, coverage=1.0)
    given_reasons = explain_scores(found, [1], feature_weights(found, WORDS))[1]
    kinds = [(reason.kind, reason.value) for reason in given_reasons]
    assert kinds == [("passage", 0.6), ("post", 0.5)]
