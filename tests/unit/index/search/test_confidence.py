from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import Word
from blog_search_mcp.index.search.calibration import (
    FEWEST,
    SAMPLE,
    measure_headings,
    sample_queries,
)
from blog_search_mcp.index.search.confidence import (
    AGREEMENT,
    BLOG,
    HELD_POWER,
    HIGH,
    HIGH_BY_WORDS,
    LENGTH,
    LENGTH_BY_WORDS,
    LOW,
    LOW_BY_WORDS,
    PASSAGE,
    POST,
    SCALE,
    SCALE_BY_WORDS,
    SCRIPT,
    Confidence,
    agreement,
    east_asian_share,
    estimate_confidence,
    hybrid_score,
    lexical_score,
)
from blog_search_mcp.index.search.retrieval import Candidate, RetrievalResult
from blog_search_mcp.index.types import Calibration
from tests.support.columns import columns

NUMBERS = st.floats(0.0, 1.0)

MATCHED = Candidate(0.0, 0.0, 0.0, (1, 2), {1: 0.2, 2: 0.5}, {}, 0.0)

FOUND = RetrievalResult(
    posts=columns({1: MATCHED}),
    coverage=0.5,
    vocabulary_coverage=1.0,
    idf={Word("zebra", ("zebra",), 1.0): 3.0, Word("kelp", ("kelp",), 1.0): 5.0},
    max_idf=4.0,
    max_cosine=0.25,
    blog_cosine=0.0,
)
WORDS = math.log1p(SCALE_BY_WORDS * 0.5 * 0.5 * ((3.0 + 5.0) / 4.0) ** LENGTH_BY_WORDS)

ENGLISH = Calibration(with_meaning=2.0, by_words=1.5, east_asian=0.0, chunks=100)


def of_certainty(certainty: float, calibration: Calibration) -> RetrievalResult:
    """Findings that mean exactly so much on a blog calibrated so."""
    return replace(FOUND, coverage=0.0, max_cosine=certainty * calibration.with_meaning / PASSAGE)


def evidence(best: float, *cosines: float) -> Candidate:
    """Of a post of three chunks, the first of which matches."""
    return replace(MATCHED, bm25={1: best}, cosines=dict(enumerate(cosines, 1)))


def test_the_number_is_what_was_found_of_the_words_the_cosines_and_agreement() -> None:
    found = 0.5 * 0.5 * ((3.0 + 5.0) / 4.0) ** LENGTH
    assert hybrid_score(FOUND) == pytest.approx(math.log1p(SCALE * found) + PASSAGE * 0.25)
    posts = columns({1: replace(MATCHED, mean_cosine=0.1), 2: MATCHED})
    near = replace(FOUND, posts=posts, blog_cosine=0.05)
    post, blog = 0.05 + 0.1, 0.05
    assert hybrid_score(near) == pytest.approx(hybrid_score(FOUND) + POST * post + BLOG * blog)
    agreed = replace(FOUND, posts=columns({1: replace(MATCHED, cosines={2: 0.1})}))
    assert hybrid_score(agreed) == pytest.approx(hybrid_score(FOUND) + AGREEMENT)


@pytest.mark.parametrize(
    ("posts", "agreed"),
    [
        ({}, 0.0),
        ({1: evidence(0.5)}, 0.0),
        ({1: evidence(0.5, 0.3)}, 1.0),
        ({1: evidence(0.5, 0.3, 0.1), 2: evidence(0.4, 0.2)}, 1.0),
        ({1: evidence(0.5, 0.1), 2: evidence(0.4, 0.2)}, 1 / 2),
        ({1: evidence(0.5), 2: evidence(0.4, 0.2)}, 1 / 2),
        ({1: evidence(0.5, 0.1), 2: evidence(0.4, 0.2), 3: evidence(0.3, 0.3)}, 1 / 3),
        ({2: evidence(0.5, 0.2), 1: evidence(0.5, 0.2)}, 1.0),
    ],
    ids=["nothing", "no vector", "one", "both first", "swapped", "one unread", "crossed", "equal"],
)
def test_the_legs_agree_on_the_post_that_both_put_high(
    posts: dict[int, Candidate], agreed: float
) -> None:
    assert agreement(replace(FOUND, posts=columns(posts))) == pytest.approx(agreed)


def test_without_meaning_the_number_is_what_was_found_of_the_words_and_the_script() -> None:
    held = 0.5**HELD_POWER
    half = (0.5 * 0.75 + 0.5 * 0.25) / 0.75
    assert lexical_score(FOUND, "zebra", 0.0) == pytest.approx(WORDS + SCRIPT)
    assert lexical_score(FOUND, "快取", 0.0) == pytest.approx(WORDS + SCRIPT * held)
    assert lexical_score(FOUND, "快取 zebra", 0.75) == pytest.approx(
        WORDS + SCRIPT * (half + (1 - half) * held)
    )


def test_the_script_does_not_matter_where_one_passage_holds_all_words() -> None:
    whole = replace(FOUND, coverage=1.0)
    assert lexical_score(whole, "快取", 0.0) == lexical_score(whole, "zebra", 0.0)


def test_the_number_does_not_grow_with_the_blog() -> None:
    """Twice as rare words on a blog where unknown words are twice as rare are worth the same."""
    rarities = {word: 2 * rarity for word, rarity in FOUND.idf.items()}
    grown = replace(FOUND, idf=rarities, max_idf=8.0)
    assert hybrid_score(grown) == hybrid_score(FOUND)
    assert lexical_score(grown, "zebra", 0.0) == lexical_score(FOUND, "zebra", 0.0)


@pytest.mark.parametrize(
    ("certainty", "word"),
    [
        (0.0, "low"),
        (LOW - 0.01, "low"),
        (LOW + 0.01, "medium"),
        (HIGH - 0.01, "medium"),
        (HIGH + 0.01, "high"),
        (2.0, "high"),
    ],
)
def test_the_word_is_cut_at_the_thresholds(certainty: float, word: str) -> None:
    found = estimate_confidence(of_certainty(certainty, ENGLISH), "zebra", ENGLISH)
    assert found.word == word
    assert found.certainty == pytest.approx(certainty)


@pytest.mark.parametrize(
    ("certainty", "word"),
    [
        (LOW_BY_WORDS - 0.01, "low"),
        (LOW_BY_WORDS + 0.01, "medium"),
        (HIGH_BY_WORDS - 0.01, "medium"),
        (HIGH_BY_WORDS + 0.01, "high"),
    ],
)
def test_words_alone_have_thresholds_of_their_own(certainty: float, word: str) -> None:
    number = WORDS + SCRIPT
    calibration = replace(ENGLISH, by_words=number / certainty)
    found = estimate_confidence(replace(FOUND, max_cosine=None), "zebra", calibration)
    assert found.word == word
    assert found.certainty == pytest.approx(certainty)


def test_words_alone_are_counted_where_the_embedder_does_not_read_the_blog() -> None:
    unread = replace(ENGLISH, with_meaning=0.0)
    assert estimate_confidence(FOUND, "zebra", unread) == estimate_confidence(
        replace(FOUND, max_cosine=None), "zebra", unread
    )
    assert estimate_confidence(FOUND, "zebra", ENGLISH) != estimate_confidence(
        FOUND, "zebra", unread
    )


def test_nothing_found_or_nothing_known_is_low() -> None:
    nothing = Confidence("low", 0.0)
    assert estimate_confidence(replace(FOUND, posts=columns({})), "zebra", ENGLISH) == nothing
    assert estimate_confidence(FOUND, "zebra", None) == nothing
    assert estimate_confidence(FOUND, "zebra", Calibration(0.0, 0.0, 0.0, 0)) == nothing
    assert (
        estimate_confidence(replace(FOUND, idf={}, max_idf=0.0, max_cosine=0.0), "", ENGLISH)
        == nothing
    )


def test_a_long_query_needs_more_words_together_than_a_short_one() -> None:
    """Four times as many words are worth more, but not if half as many of them stand together."""
    long = {Word(str(n), (str(n),), 1.0): 4.0 for n in range(8)}
    short = dict(list(long.items())[:2])
    together = hybrid_score(replace(FOUND, idf=short, coverage=0.5))
    assert hybrid_score(replace(FOUND, idf=long, coverage=0.5)) > together
    assert hybrid_score(replace(FOUND, idf=long, coverage=0.25)) < together


@given(NUMBERS, NUMBERS, NUMBERS)
def test_more_words_found_or_nearer_meaning_is_never_less_certain(
    coverage: float, nearest: float, more: float
) -> None:
    def certainty(coverage: float, nearest: float | None) -> float:
        found = replace(FOUND, coverage=coverage, max_cosine=nearest)
        return estimate_confidence(found, "zebra", ENGLISH).certainty

    most = max(coverage, more)
    assert certainty(most, nearest) >= certainty(coverage, nearest)
    assert certainty(coverage, max(nearest, more)) >= certainty(coverage, nearest)
    assert certainty(most, None) >= certainty(coverage, None)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("", 0.0),
        ("123 !?", 0.0),
        ("a KV cache", 0.0),
        ("快取", 1.0),
        ("キー데이", 1.0),
        ("快取 cache", 0.5),
        ("快取cache快取", 2 / 3),
    ],
)
def test_two_characters_count_for_a_word(text: str, share: float) -> None:
    assert east_asian_share(text) == pytest.approx(share)


HEADINGS = [f"Heading number {n}" for n in range(1_000)]


def test_headings_are_asked_and_titles_too_where_they_are_few() -> None:
    few, enough = HEADINGS[: FEWEST - 1], HEADINGS[:FEWEST]
    assert set(sample_queries(few, ["Title"])) == {*few, "Title"}
    assert set(sample_queries(enough, ["Title"])) == set(enough)
    assert set(sample_queries(few * 2, ["Title"])) == {*few, "Title"}
    assert sample_queries([], []) == []


@given(st.permutations(HEADINGS[:30]), st.permutations(["A title", "Another", "\ud83e"]))
def test_the_sample_is_the_same_in_any_order(headings: list[str], titles: list[str]) -> None:
    expected = sample_queries(HEADINGS[:30], ["\ud83e", "A title", "Another"])
    assert sample_queries(headings, titles) == expected
    assert sample_queries(headings[:5], titles) == sample_queries(headings[:5][::-1], titles[::-1])


def test_the_sample_mostly_stays_when_the_blog_grows() -> None:
    new = [f"A new heading {n}" for n in range(100)]
    before, after = sample_queries(HEADINGS, []), sample_queries([*new, *HEADINGS], [])
    assert len(before) == len(after) == SAMPLE
    assert len(set(before) & set(after)) > SAMPLE * 0.8
    assert set() < set(after) - set(before) <= set(new)


def test_a_calibration_is_the_medians_of_what_was_found() -> None:
    cosines = {"a": 0.1, "快取": 0.9, "c": 0.3}
    found = {text: replace(FOUND, max_cosine=cosine) for text, cosine in cosines.items()}
    assert measure_headings(list(found), found.__getitem__, "a blog", 7) == Calibration(
        with_meaning=hybrid_score(found["c"]),
        by_words=lexical_score(FOUND, "a", 0.0),
        east_asian=0.0,
        chunks=7,
    )


def test_meaning_is_not_calibrated_where_few_headings_are_read() -> None:
    unread = replace(FOUND, max_cosine=None)
    for read, meant in ((1, 0.0), (2, 0.0), (3, hybrid_score(FOUND))):
        answers = {str(n): FOUND if n < read else unread for n in range(10)}
        found = measure_headings(list(answers), answers.__getitem__, "快取", 7)
        assert found.with_meaning == meant
        assert found.east_asian == 1.0


def test_a_blog_without_headings_or_titles_has_medians_of_zero() -> None:
    def never(text: str) -> RetrievalResult:
        raise AssertionError(text)

    assert measure_headings([], never, "", 0) == Calibration(0.0, 0.0, 0.0, 0)


@pytest.mark.parametrize(
    ("then", "now", "stale"),
    [(100, 100, False), (100, 110, False), (100, 111, True), (100, 89, True), (0, 1, True)],
)
def test_a_calibration_is_stale_after_a_tenth_has_come_or_gone(
    then: int, now: int, stale: bool
) -> None:
    assert replace(ENGLISH, chunks=then).is_stale(now) is stale
