from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import Word
from blog_search_mcp.index.search.calibration import (
    ABSENT_LANGUAGES,
    COVERED_SHARE,
    FEWEST,
    SAMPLE,
    USUAL_FOUND,
    USUAL_REACH,
    Samples,
    choose_absent,
    measure_reach,
    sample_queries,
)
from blog_search_mcp.index.search.confidence import (
    LEAST_QUERY_COVERAGE,
    east_asian_share,
    found_words,
)
from blog_search_mcp.index.search.retrieval import RetrievalResult
from blog_search_mcp.index.types import SMALL_BLOG, Calibration
from tests.support.columns import Candidate, columns
from tests.support.fakes import FakeEmbedder, vector_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blog_search_mcp.index.types import Ids, Vectors
    from tests.support.blog import MakeBlog

FOUND = RetrievalResult(
    posts=columns({1: Candidate(0.0, (1,), {1: 0.5}, {})}),
    coverage=0.5,
    vocabulary_coverage=1.0,
    idf={Word("zebra", ("zebra",), 1.0): 3.0},
    max_idf=4.0,
    max_cosine=0.5,
    blog_cosine=0.1,
    max_bm25=0.5,
)
UNREAD = replace(FOUND, vocabulary_coverage=LEAST_QUERY_COVERAGE / 2)

HEADINGS = [f"Heading number {n}" for n in range(1_000)]


def test_the_sample_is_of_different_headings() -> None:
    assert set(sample_queries(HEADINGS[:5] * 2)) == set(HEADINGS[:5])
    assert sample_queries([]) == []


@given(st.permutations([*HEADINGS[:30], "\ud83e"]))
def test_the_sample_is_the_same_in_any_order(headings: list[str]) -> None:
    assert sample_queries(headings) == sample_queries([*HEADINGS[:30], "\ud83e"])


def test_the_sample_mostly_stays_when_the_blog_grows() -> None:
    new = [f"A new heading {n}" for n in range(100)]
    before, after = sample_queries(HEADINGS), sample_queries([*new, *HEADINGS])
    assert len(before) == len(after) == SAMPLE
    assert len(set(before) & set(after)) > SAMPLE * 0.8
    assert set() < set(after) - set(before) <= set(new)


@pytest.mark.parametrize(
    ("blog", "absent", "foreign"),
    [
        ("en", "en", "zh"),
        ("en-gb", "en", "zh"),
        ("de", "de", "zh"),
        ("zh-tw", "zh", "en"),
        ("ja", "ja", "en"),
        ("ko", "en", "en"),
        ("fr", "en", "zh"),
        ("", "en", "zh"),
    ],
)
def test_absent_headings_are_in_the_blogs_language_and_foreign_ones_in_another_script(
    blog: str, absent: str, foreign: str
) -> None:
    def first(language: str) -> str:
        return {
            "en": "How to season a cast-iron pan",
            "de": "Eine gusseiserne Pfanne richtig einbrennen",
            "zh": "如何替鑄鐵鍋開鍋養鍋",
            "ja": "鉄フライパンの油ならしのやり方",
        }[language]

    found = choose_absent(blog)
    assert [headings[0] for headings in found] == [first(absent), first(foreign)]


def test_every_absent_heading_is_there_in_every_language() -> None:
    for language in ABSENT_LANGUAGES:
        absent, foreign = choose_absent(language)
        assert len(absent) == len(foreign) == len(set(absent)) >= 20
        assert all(heading == heading.strip() != "" for heading in absent)
        own = sum(map(east_asian_share, absent)) / len(absent) >= 0.5
        assert own is (language in {"zh", "ja"})


CHUNKS = np.arange(3, 10)


def test_a_calibration_is_the_medians_of_what_each_sample_reaches() -> None:
    cosines = {"a": 0.25, "b": 0.875, "c": 0.5, "no": 0.375, "nor": 0.125, "別": 0.375}
    found = {
        text: replace(FOUND, max_cosine=cosine, blog_cosine=0.125)
        for text, cosine in cosines.items()
    }
    found["no"] = replace(found["no"], coverage=0.0)
    found["nor"] = replace(found["nor"], coverage=0.0)
    samples = Samples(["a", "b", "c"] * 3, ["no", "nor"], ["別"])
    assert measure_reach(samples, found.__getitem__, "a blog", CHUNKS) == Calibration(
        heading_found=found_words(FOUND),
        absent_found=0.0,
        heading_similarity=0.375,
        heading_cosine=0.5,
        absent_cosine=0.25,
        foreign_cosine=0.375,
        east_asian=0.0,
        characters=6,
        chunks=7,
        last_chunk=9,
    )


def test_similarity_is_0_where_the_embedder_covers_few_headings() -> None:
    for covered, similarity in ((1, 0.0), (2, 0.0), (3, 0.4)):
        assert (covered / 10 > COVERED_SHARE) is (similarity > 0.0)
        answers = {str(n): FOUND if n < covered else UNREAD for n in range(10)}
        found = measure_reach(Samples([*answers], [], []), answers.__getitem__, "快取", CHUNKS)
        assert found.heading_similarity == pytest.approx(similarity)
        assert found.heading_found == found_words(FOUND)
        assert found.east_asian == 1.0


def test_headings_that_a_blog_lacks_reach_what_those_of_other_blogs_do() -> None:
    answers = {
        "own": replace(FOUND, max_cosine=0.9),
        "x_1": UNREAD,
        "absent": replace(FOUND, max_cosine=0.2),
    }
    cosine, similarity = 0.2 + USUAL_REACH * 0.8, USUAL_REACH * 0.8
    own = found_words(FOUND)
    for headings, reach in (
        ([], (USUAL_FOUND, cosine, similarity)),
        (["own"], (USUAL_FOUND, cosine, similarity)),
        (
            ["own"] * (FEWEST // 2),
            ((USUAL_FOUND + own) / 2, (cosine + 0.9) / 2, (similarity + 0.8) / 2),
        ),
        (["own"] * FEWEST, (own, 0.9, 0.8)),
        (["x_1"] * FEWEST, (own, cosine, similarity)),
    ):
        found = measure_reach(Samples(headings, ["absent"], []), answers.__getitem__, "", CHUNKS)
        assert found.heading_found == pytest.approx(reach[0])
        assert found.heading_cosine == pytest.approx(reach[1])
        assert found.heading_similarity == pytest.approx(reach[2])


def test_absent_headings_reach_no_more_than_the_blogs_own() -> None:
    answers = {"own": replace(FOUND, max_cosine=0.3), "absent": FOUND}
    samples = Samples(["own"] * FEWEST, ["absent"], [])
    found = measure_reach(samples, answers.__getitem__, "", CHUNKS)
    assert found.absent_cosine == found.heading_cosine == pytest.approx(0.3)


def test_foreign_headings_that_the_embedder_does_not_cover_reach_what_absent_ones_do() -> None:
    answers = {"own": FOUND, "absent": replace(FOUND, max_cosine=0.3), "別": UNREAD}
    found = measure_reach(Samples(["own"], ["absent"], ["別"]), answers.__getitem__, "", CHUNKS)
    assert found.foreign_cosine == found.absent_cosine == pytest.approx(0.3)


def test_what_is_not_asked_reaches_nothing() -> None:
    def never(text: str) -> RetrievalResult:
        raise AssertionError(text)

    nothing = Calibration(USUAL_FOUND, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, -1)
    assert measure_reach(Samples([], [], []), never, "", CHUNKS[:0]) == nothing


def post(heading: str) -> str:
    """Of two sections too long for one chunk, of which the second has a heading."""
    section = "It flies by night. " * 100
    return f"# Post\n\n{section}\n\n## {heading}\n\n{section}\n"


def test_an_ingest_calibrates_by_the_blogs_own_headings(blog: MakeBlog) -> None:
    names = ["zebra", "walrus", "kelp", "newt", "moth", "onion", "quartz", "tundra", "fjord"]
    made = blog({f"{n}.md": post(f"Of the {name}") for n, name in enumerate(names)})
    found = made.manifest.calibration
    assert found is not None
    assert found.heading_found > found.absent_found
    assert found.heading_similarity > 0.0
    assert found.heading_cosine > found.absent_cosine
    assert (found.east_asian, found.chunks) == (0.0, 2 * len(names))


class NotingBatches(FakeEmbedder):
    """Notes how many queries it is asked for at once."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(len(texts))
        return np.stack([vector_of(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        raise AssertionError(text)


def test_what_a_calibration_searches_for_is_embedded_at_once(blog: MakeBlog) -> None:
    made = blog({"moth.md": "# Moth\n\nBy night."})
    made.write({f"{n}.md": post(f"Moth {n}") for n in range(21)})
    made.embedder = embedder = NotingBatches()
    made.ingest()
    absent, foreign = choose_absent("en")
    asked = 21 + len(absent) + len(foreign)
    assert embedder.batches == [asked]


MEDIANS = (1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)
HUNDRED = np.arange(1, 101)


@pytest.mark.parametrize(
    ("now", "is_stale"),
    [
        pytest.param(HUNDRED, False, id="the same"),
        pytest.param(np.arange(1, 111), False, id="a tenth has come"),
        pytest.param(np.arange(1, 112), True, id="more has come"),
        pytest.param(HUNDRED[10:], False, id="a tenth has gone"),
        pytest.param(HUNDRED[11:], True, id="more has gone"),
        pytest.param(HUNDRED + 10, False, id="a tenth was edited"),
        pytest.param(HUNDRED + 11, True, id="more was edited"),
    ],
)
def test_a_calibration_is_stale_when_more_than_a_tenth_has_come_or_gone(
    now: Ids, is_stale: bool
) -> None:
    calibration = Calibration(*MEDIANS, characters=SMALL_BLOG, chunks=100, last_chunk=100)
    assert calibration.is_stale(now) is is_stale


def test_the_calibration_of_a_small_blog_is_stale_at_any_change() -> None:
    calibration = Calibration(*MEDIANS, characters=SMALL_BLOG - 1, chunks=100, last_chunk=100)
    assert calibration.is_stale(HUNDRED)


def test_the_calibration_of_an_empty_index_is_stale_at_the_first_post() -> None:
    calibration = Calibration(*MEDIANS, characters=SMALL_BLOG, chunks=0, last_chunk=-1)
    assert calibration.is_stale(np.array([0]))
