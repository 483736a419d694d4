from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import Word, analyse_query
from blog_search_mcp.index.search.confidence import (
    FOREIGN_NOTICE,
    LEAST_FEATURE,
    LEAST_QUERY_COVERAGE,
    LENGTH_POWER,
    NOTICE,
    SMALL_LOGIT,
    Confidence,
    compute_confidence_features,
    east_asian_share,
    estimate_confidence,
    found_words,
    has_similarity,
    matching_cosine,
    measure_lead,
    missing_words,
    query_length,
)
from blog_search_mcp.index.search.retrieval import RetrievalResult
from blog_search_mcp.index.types import SMALL_BLOG, Calibration
from tests.support.columns import Candidate, columns
from tests.support.models import BY_MEANING, BY_WORDS

NUMBERS = st.floats(0.0, 1.0)

MATCHED = Candidate(0.0, (1, 2), {1: 0.2, 2: 0.5}, {})

FOUND = RetrievalResult(
    posts=columns({1: MATCHED}),
    coverage=0.5,
    vocabulary_coverage=1.0,
    idf={Word("zebra", ("zebra",), 1.0): 3.0, Word("kelp", ("kelp",), 1.0): 5.0},
    max_idf=4.0,
    max_cosine=0.35,
    blog_cosine=0.1,
    max_bm25=0.5,
)
LONGER = ((3.0 + 5.0) / 4.0) ** LENGTH_POWER
WORDS = 0.5 * math.sqrt(LONGER)

ENGLISH = Calibration(
    heading_found=WORDS + 0.25,
    absent_found=WORDS - 0.25,
    heading_similarity=0.45,
    heading_cosine=0.55,
    absent_cosine=0.15,
    foreign_cosine=0.25,
    east_asian=0.0,
    characters=SMALL_BLOG,
    chunks=100,
    last_chunk=100,
)
"""By this, FOUND reaches half of what headings do, in words and in meaning."""

QUERY = math.log1p((3.0 + 5.0) / 4.0)

pytestmark = pytest.mark.usefixtures("round_model")


def features_of(
    retrieved: RetrievalResult, text: str = "zebra", blog: Calibration = ENGLISH, lead: float = 0.0
) -> dict[str, float]:
    """The features of a query of an index that this calibration is of."""
    return compute_confidence_features(analyse_query(text), retrieved, lead, blog)


def confidence_of(
    retrieved: RetrievalResult,
    text: str = "zebra",
    blog: Calibration | None = ENGLISH,
    lead: float = 0.0,
) -> Confidence:
    """The same for the whole estimate."""
    return estimate_confidence(analyse_query(text), retrieved, lead, blog)


def reaching(found: float, nearest: float | None) -> RetrievalResult:
    """What reaches these features on ENGLISH."""
    words = ENGLISH.absent_found + found * (ENGLISH.heading_found - ENGLISH.absent_found)
    share = words**2 / LONGER / 0.5
    cosine = None if nearest is None else 0.15 + 0.4 * nearest
    return replace(FOUND, coverage=share, max_cosine=cosine)


def candidate(best: float, *cosines: float) -> Candidate:
    """Of a post of which the first chunk matches."""
    return replace(MATCHED, bm25={1: best}, cosines=dict(enumerate(cosines, 1)))


def test_features_are_0_at_what_absent_headings_reach_and_1_at_what_the_blogs_own_do() -> None:
    for reached in (0.0, 0.5, 1.0):
        post = candidate(0.5, 0.15 + 0.4 * reached - FOUND.blog_cosine)
        retrieved = replace(reaching(reached, reached), posts=columns({1: post}))
        assert features_of(retrieved) == pytest.approx(
            {
                "found": reached,
                "missing": 0.0,
                "length": QUERY,
                "nearest": LONGER * reached,
                "matching": LONGER * reached,
                "lead": 0.0,
            }
        )


@pytest.mark.parametrize(
    ("scores", "lead"),
    [([], 0.0), ([0.5], 0.5), ([0.25, 0.75, 0.5], 0.25), ([0.5, 0.5], 0.0)],
    ids=["none", "one", "three", "two alike"],
)
def test_the_lead_is_what_the_best_score_is_above_the_next(
    scores: list[float], lead: float
) -> None:
    assert measure_lead(scores) == lead
    assert features_of(FOUND, lead=lead)["lead"] == lead


def test_no_feature_is_more_than_what_a_heading_reaches_or_far_below_absent_ones() -> None:
    for reached, limit in ((1.5, 1.0), (-2.0, LEAST_FEATURE)):
        features = features_of(reaching(0.5, reached))
        assert features["nearest"] == LONGER * limit


def test_nearness_counts_more_for_a_long_query_than_for_a_single_word() -> None:
    one = {Word("zebra", ("zebra",), 1.0): 4.0}
    sixteen = {Word(str(n), (str(n),), 1.0): 4.0 for n in range(16)}
    features = [
        features_of(replace(reaching(0.5, 0.5), idf=idf))["nearest"] for idf in (one, sixteen)
    ]
    assert features == pytest.approx([0.5, 2.0 * 0.5])


def test_a_query_in_another_script_is_compared_with_absent_ones_in_that_script() -> None:
    asked = reaching(0.5, 0.5)
    nearer = replace(asked, max_cosine=(asked.max_cosine or 0.0) + 0.25 - 0.15)
    for text, blog in (("快取", ENGLISH), ("cache", replace(ENGLISH, east_asian=0.9))):
        assert features_of(nearer, text, blog)["nearest"] == pytest.approx(LONGER * 0.5)


@pytest.mark.parametrize(
    ("similarity", "coverage", "heading", "counts"),
    [
        (0.5, 1.0, 0.45, True),
        (0.5, LEAST_QUERY_COVERAGE, 0.45, True),
        (0.5, LEAST_QUERY_COVERAGE - 0.01, 0.45, False),
        (None, 1.0, 0.45, False),
        (0.5, 1.0, 0.0, False),
    ],
    ids=["covered", "just", "query not covered", "no vector", "blog not covered"],
)
def test_meaning_counts_where_the_embedder_covers_the_query_and_the_blog(
    similarity: float | None, coverage: float, heading: float, counts: bool
) -> None:
    found = replace(reaching(0.5, similarity), vocabulary_coverage=coverage)
    calibration = replace(ENGLISH, heading_similarity=heading)
    assert has_similarity(found, calibration) is counts
    features = features_of(found, blog=calibration)
    assert (features["nearest"] != 0.0) is counts
    logistic = BY_MEANING if counts else BY_WORDS
    assert confidence_of(found, blog=calibration).certainty == pytest.approx(
        logistic.probability(features)
    )


def test_what_is_found_of_the_words_is_not_changed_by_the_size_of_the_blog() -> None:
    """Twice as rare words on a blog where unknown words are twice as rare are worth the same."""
    rarities = {word: 2 * rarity for word, rarity in FOUND.idf.items()}
    assert found_words(FOUND) == pytest.approx(WORDS)
    assert found_words(replace(FOUND, idf=rarities, max_idf=8.0)) == found_words(FOUND)


def test_a_long_query_needs_more_words_together_than_a_short_one() -> None:
    """Four times as many words are worth more, but not if half as many of them stand together."""
    long = {Word(str(n), (str(n),), 1.0): 4.0 for n in range(8)}
    short = dict(list(long.items())[:2])
    together = found_words(replace(FOUND, idf=short, coverage=0.5))
    assert found_words(replace(FOUND, idf=long, coverage=0.5)) > together
    assert found_words(replace(FOUND, idf=long, coverage=0.25)) < together


def test_words_that_no_passage_has_are_missing_by_their_rarity() -> None:
    words = [Word(str(n), (str(n),), 1.0) for n in range(3)]
    idf = dict(zip(words, (4.0, 1.0, 3.0), strict=True))
    assert missing_words(replace(FOUND, idf=idf)) == 4.0 / 8.0
    assert missing_words(replace(FOUND, idf={})) == 0.0
    assert query_length(replace(FOUND, idf=idf)) == 8.0 / 4.0


@pytest.mark.parametrize(
    ("posts", "cosine"),
    [
        ({}, 0.0),
        ({1: candidate(0.5)}, 0.0),
        ({1: candidate(0.5, 0.3)}, 0.4),
        ({1: candidate(0.5, 0.1, 0.3), 2: candidate(0.4, 0.5)}, 0.4),
        ({1: candidate(0.5), 2: candidate(0.4, 0.2)}, 0.3),
    ],
    ids=["nothing", "no vector", "one", "its best chunk", "the best has no vector"],
)
def test_the_post_whose_words_match_best_is_to_be_near_in_meaning_too(
    posts: dict[int, Candidate], cosine: float
) -> None:
    assert matching_cosine(replace(FOUND, posts=columns(posts))) == pytest.approx(cosine)


@pytest.mark.parametrize(
    ("found", "nearest", "confidence"),
    [
        (1.0, 1.0, Confidence("high", BY_MEANING.probability({"found": 1.0, "nearest": LONGER}))),
        (
            0.6,
            0.6,
            Confidence("medium", BY_MEANING.probability({"found": 0.6, "nearest": LONGER * 0.6})),
        ),
        (
            0.0,
            0.0,
            Confidence("low", BY_MEANING.probability({"found": 0, "nearest": 0}), NOTICE),
        ),
        (1.0, None, Confidence("high", BY_WORDS.probability({"found": 1.0}))),
        (0.5, None, Confidence("medium", BY_WORDS.probability({"found": 0.5}))),
        (0.0, None, Confidence("low", BY_WORDS.probability({"found": 0.0}), NOTICE)),
    ],
)
def test_the_word_is_cut_from_the_certainty_and_a_low_one_has_a_notice(
    found: float, nearest: float | None, confidence: Confidence
) -> None:
    estimated = confidence_of(reaching(found, nearest))
    assert estimated.certainty == pytest.approx(confidence.certainty)
    assert replace(estimated, certainty=confidence.certainty) == confidence


def test_what_is_hardly_found_in_a_small_blog_is_less_doubtful() -> None:
    def certainty(characters: int) -> float:
        blog = replace(ENGLISH, characters=characters)
        return confidence_of(reaching(0.3, 0.3), blog=blog).certainty

    certain = BY_MEANING.probability({"found": 0.3, "nearest": LONGER * 0.3})
    assert certainty(2 * SMALL_BLOG) == certainty(SMALL_BLOG) == pytest.approx(certain)
    logit = math.log(certain / (1.0 - certain))
    for characters, share in ((SMALL_BLOG // 10, 0.9), (0, 1.0)):
        odds = math.exp(logit + share * SMALL_LOGIT)
        assert certainty(characters) == pytest.approx(odds / (1.0 + odds))


def test_a_low_answer_to_another_script_says_to_ask_in_the_blogs_language() -> None:
    assert confidence_of(reaching(0.0, 0.0), "快取").notice == FOREIGN_NOTICE
    assert confidence_of(reaching(1.0, 1.0), "快取").notice is None


@pytest.mark.parametrize(
    ("text", "notice"),
    [
        ("wie kann ich das einrichten", FOREIGN_NOTICE),
        ("как это настроить и что для этого нужно", FOREIGN_NOTICE),
        ("how do I set this up", NOTICE),
        ("RUSTUP_LOG", NOTICE),
    ],
)
def test_a_low_answer_to_another_language_of_one_script_says_so_too(text: str, notice: str) -> None:
    assert confidence_of(reaching(0.0, 0.0), text).notice == notice


def test_a_latin_name_that_an_east_asian_blog_lacks_is_no_question_in_another_language() -> None:
    blog = replace(ENGLISH, east_asian=0.9)
    name = reaching(0.0, 0.0)
    asked = replace(name, idf={**name.idf, Word("how", ("how",), 0.4): 0.0})
    assert confidence_of(name, "RUSTUP_LOG", blog).notice == NOTICE
    assert confidence_of(asked, "how RUSTUP_LOG", blog).notice == FOREIGN_NOTICE


def test_nothing_found_or_nothing_known_is_low_and_needs_no_notice() -> None:
    nothing = Confidence("low", 0.0)
    assert confidence_of(replace(FOUND, posts=columns({}))) == nothing
    assert confidence_of(FOUND, blog=None) == nothing


@given(found=NUMBERS, similarity=NUMBERS, more=NUMBERS)
def test_more_words_found_or_nearer_meaning_is_never_less_certain(
    found: float, similarity: float, more: float
) -> None:
    def certainty(found: float, similarity: float | None) -> float:
        return confidence_of(reaching(found, similarity)).certainty

    most = max(found, more)
    assert certainty(most, similarity) >= certainty(found, similarity)
    assert certainty(found, max(similarity, more)) >= certainty(found, similarity)
    assert certainty(most, None) >= certainty(found, None)


@given(
    calibration=st.builds(
        Calibration,
        *[st.floats(-5.0, 5.0)] * 2,
        st.floats(0.0, 1.0),
        *[st.floats(-1.0, 1.0)] * 3,
        st.floats(0.0, 1.0),
        st.just(1),
    ),
    text=st.sampled_from(["zebra", "快取", ""]),
)
def test_no_calibration_makes_a_feature_endless(calibration: Calibration, text: str) -> None:
    """Not even one of a blog whose headings reach less than absent ones."""
    features = features_of(FOUND, text, calibration)
    assert all(-3.0 <= value <= 3.0 for value in features.values())
    assert 0.0 < confidence_of(FOUND, text, calibration).certainty < 1.0


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
