from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import Word
from blog_search_mcp.index.search.calibration import (
    FEWEST,
    GROWTH,
    SAMPLE,
    calibrate,
    is_stale,
    sample,
)
from blog_search_mcp.index.search.candidates import Evidence, Findings
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
    by_words,
    east_asian,
    judged,
    with_meaning,
)
from blog_search_mcp.index.types import Calibration
from tests.support.columns import columns

NUMBERS = st.floats(0.0, 1.0)

MATCHED = Evidence(0.0, 0.0, 0.0, (1, 2), {1: 0.2, 2: 0.5}, {}, 0.0)

FOUND = Findings(
    posts=columns({1: MATCHED}),
    coverage=0.5,
    readable=1.0,
    rarities={Word("zebra", ("zebra",), 1.0): 3.0, Word("kelp", ("kelp",), 1.0): 5.0},
    rarest=4.0,
    nearest=0.25,
    background=0.0,
)
WORDS = math.log1p(SCALE_BY_WORDS * 0.5 * 0.5 * ((3.0 + 5.0) / 4.0) ** LENGTH_BY_WORDS)

ENGLISH = Calibration(with_meaning=2.0, by_words=1.5, east_asian=0.0, chunks=100)


def of_certainty(certainty: float, calibration: Calibration) -> Findings:
    """Findings that mean exactly so much on a blog calibrated so."""
    return replace(FOUND, coverage=0.0, nearest=certainty * calibration.with_meaning / PASSAGE)


def evidence(best: float, *cosines: float) -> Evidence:
    """Of a post of three chunks, the first of which matches."""
    return replace(MATCHED, shares={1: best}, cosines=dict(enumerate(cosines, 1)))


def test_the_number_is_what_was_found_of_the_words_the_cosines_and_agreement() -> None:
    found = 0.5 * 0.5 * ((3.0 + 5.0) / 4.0) ** LENGTH
    assert with_meaning(FOUND) == pytest.approx(math.log1p(SCALE * found) + PASSAGE * 0.25)
    posts = columns({1: replace(MATCHED, mean_cosine=0.1), 2: MATCHED})
    near = replace(FOUND, posts=posts, background=0.05)
    post, blog = 0.05 + 0.1, 0.05
    assert with_meaning(near) == pytest.approx(with_meaning(FOUND) + POST * post + BLOG * blog)
    agreed = replace(FOUND, posts=columns({1: replace(MATCHED, cosines={2: 0.1})}))
    assert with_meaning(agreed) == pytest.approx(with_meaning(FOUND) + AGREEMENT)


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
    posts: dict[int, Evidence], agreed: float
) -> None:
    assert agreement(replace(FOUND, posts=columns(posts))) == pytest.approx(agreed)


def test_without_meaning_the_number_is_what_was_found_of_the_words_and_the_script() -> None:
    held = 0.5**HELD_POWER
    half = (0.5 * 0.75 + 0.5 * 0.25) / 0.75
    assert by_words(FOUND, "zebra", 0.0) == pytest.approx(WORDS + SCRIPT)
    assert by_words(FOUND, "快取", 0.0) == pytest.approx(WORDS + SCRIPT * held)
    assert by_words(FOUND, "快取 zebra", 0.75) == pytest.approx(
        WORDS + SCRIPT * (half + (1 - half) * held)
    )


def test_the_script_does_not_matter_where_one_passage_holds_all_words() -> None:
    whole = replace(FOUND, coverage=1.0)
    assert by_words(whole, "快取", 0.0) == by_words(whole, "zebra", 0.0)


def test_the_number_does_not_grow_with_the_blog() -> None:
    """Twice as rare words on a blog where unknown words are twice as rare are worth the same."""
    rarities = {word: 2 * rarity for word, rarity in FOUND.rarities.items()}
    grown = replace(FOUND, rarities=rarities, rarest=8.0)
    assert with_meaning(grown) == with_meaning(FOUND)
    assert by_words(grown, "zebra", 0.0) == by_words(FOUND, "zebra", 0.0)


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
    found = judged(of_certainty(certainty, ENGLISH), "zebra", ENGLISH)
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
    found = judged(replace(FOUND, nearest=None), "zebra", calibration)
    assert found.word == word
    assert found.certainty == pytest.approx(certainty)


def test_words_alone_are_counted_where_the_embedder_does_not_read_the_blog() -> None:
    unread = replace(ENGLISH, with_meaning=0.0)
    assert judged(FOUND, "zebra", unread) == judged(replace(FOUND, nearest=None), "zebra", unread)
    assert judged(FOUND, "zebra", ENGLISH) != judged(FOUND, "zebra", unread)


def test_nothing_found_or_nothing_known_is_low() -> None:
    nothing = Confidence("low", 0.0)
    assert judged(replace(FOUND, posts=columns({})), "zebra", ENGLISH) == nothing
    assert judged(FOUND, "zebra", None) == nothing
    assert judged(FOUND, "zebra", Calibration(0.0, 0.0, 0.0, 0)) == nothing
    assert judged(replace(FOUND, rarities={}, rarest=0.0, nearest=0.0), "", ENGLISH) == nothing


def test_a_long_query_needs_more_words_together_than_a_short_one() -> None:
    """Four times as many words are worth more, but not if half as many of them stand together."""
    long = {Word(str(n), (str(n),), 1.0): 4.0 for n in range(8)}
    short = dict(list(long.items())[:2])
    together = with_meaning(replace(FOUND, rarities=short, coverage=0.5))
    assert with_meaning(replace(FOUND, rarities=long, coverage=0.5)) > together
    assert with_meaning(replace(FOUND, rarities=long, coverage=0.25)) < together


@given(NUMBERS, NUMBERS, NUMBERS)
def test_more_words_found_or_nearer_meaning_is_never_less_certain(
    coverage: float, nearest: float, more: float
) -> None:
    def certainty(coverage: float, nearest: float | None) -> float:
        found = replace(FOUND, coverage=coverage, nearest=nearest)
        return judged(found, "zebra", ENGLISH).certainty

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
    assert east_asian(text) == pytest.approx(share)


HEADINGS = [f"Heading number {n}" for n in range(1_000)]


def test_headings_are_asked_and_titles_too_where_they_are_few() -> None:
    few, enough = HEADINGS[: FEWEST - 1], HEADINGS[:FEWEST]
    assert set(sample(few, ["Title"])) == {*few, "Title"}
    assert set(sample(enough, ["Title"])) == set(enough)
    assert set(sample(few * 2, ["Title"])) == {*few, "Title"}
    assert sample([], []) == []


@given(st.permutations(HEADINGS[:30]), st.permutations(["A title", "Another", "\ud83e"]))
def test_the_sample_is_the_same_in_any_order(headings: list[str], titles: list[str]) -> None:
    expected = sample(HEADINGS[:30], ["\ud83e", "A title", "Another"])
    assert sample(headings, titles) == expected
    assert sample(headings[:5], titles) == sample(headings[:5][::-1], titles[::-1])


def test_the_sample_mostly_stays_when_the_blog_grows() -> None:
    new = [f"A new heading {n}" for n in range(100)]
    before, after = sample(HEADINGS, []), sample([*new, *HEADINGS], [])
    assert len(before) == len(after) == SAMPLE
    assert len(set(before) & set(after)) > SAMPLE * 0.8
    assert set() < set(after) - set(before) <= set(new)


def test_a_calibration_is_the_medians_of_what_was_found() -> None:
    cosines = {"a": 0.1, "快取": 0.9, "c": 0.3}
    found = {text: replace(FOUND, nearest=cosine) for text, cosine in cosines.items()}
    assert calibrate(list(found), found.__getitem__, "a blog", 7) == Calibration(
        with_meaning=with_meaning(found["c"]),
        by_words=by_words(FOUND, "a", 0.0),
        east_asian=0.0,
        chunks=7,
    )


def test_meaning_is_not_calibrated_where_few_headings_are_read() -> None:
    unread = replace(FOUND, nearest=None)
    for read, meant in ((1, 0.0), (2, 0.0), (3, with_meaning(FOUND))):
        answers = {str(n): FOUND if n < read else unread for n in range(10)}
        found = calibrate(list(answers), answers.__getitem__, "快取", 7)
        assert found.with_meaning == meant
        assert found.east_asian == 1.0


def test_a_blog_without_headings_or_titles_has_medians_of_zero() -> None:
    def never(text: str) -> Findings:
        raise AssertionError(text)

    assert calibrate([], never, "", 0) == Calibration(0.0, 0.0, 0.0, 0)


@pytest.mark.parametrize(
    ("then", "now", "stale"),
    [(100, 100, False), (100, 110, False), (100, 111, True), (100, 89, True), (0, 1, True)],
)
def test_a_calibration_is_stale_after_a_tenth_has_come_or_gone(
    then: int, now: int, stale: bool
) -> None:
    assert GROWTH == 0.1
    assert is_stale(replace(ENGLISH, chunks=then), now) is stale
