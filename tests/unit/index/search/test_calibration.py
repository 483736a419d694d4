"""What a blog's own headings reach, and headings about other things."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.search.calibration import (
    ABSENT_LANGUAGES,
    FEWEST,
    SAMPLE,
    USUAL_FOUND,
    USUAL_REACH,
    choose_absent,
    sample_queries,
    summarise_reach,
)
from blog_search_mcp.index.search.retrieval import RetrievalResult
from blog_search_mcp.index.types import SMALL_BLOG, Calibration
from tests.support.fakes import FakeEmbedder, vector_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blog_search_mcp.index.types import Ids, Vectors
    from tests.support.blog import MakeBlog

REACHED = RetrievalResult(analyse_query("zebra"), 0.5, 1.0, {}, 4.0, 0.9, 0.1, 0.5)
ABSENT = replace(REACHED, max_cosine=0.2)
UNREAD = replace(REACHED, vocabulary_coverage=0.0)
HEADINGS = [f"Heading number {n}" for n in range(1_000)]


@given(st.permutations([*HEADINGS[:30], "\ud83e"]))
def test_the_sample_is_the_same_in_any_order(headings: list[str]) -> None:
    assert sample_queries(headings * 2) == sample_queries([*HEADINGS[:30], "\ud83e"])


def test_the_sample_mostly_stays_when_the_blog_grows() -> None:
    before, after = (sample_queries(HEADINGS[:count]) for count in (900, 1_000))
    assert len(before) == len(after) == SAMPLE
    assert len({*before} & {*after}) > SAMPLE * 0.8


@pytest.mark.parametrize(
    ("blog", "absent", "foreign"),
    [("en-gb", "en", "zh"), ("de", "de", "zh"), ("zh-tw", "zh", "en"), ("ja", "ja", "en"),
     ("ko", "en", "en"), ("fr", "en", "zh"), ("", "en", "zh")],
)  # fmt: skip
def test_absent_headings_are_in_the_blogs_language_and_in_another_script(
    blog: str, absent: str, foreign: str
) -> None:
    first = dict(zip(ABSENT_LANGUAGES, ("How to", "如何", "鉄", "Eine"), strict=True))
    own, others = choose_absent(blog)
    assert own[0].startswith(first[absent])
    assert others[0].startswith(first[foreign])
    assert len(own) == len(others) >= 20


@pytest.mark.parametrize(
    ("headings", "cosine"),
    [
        ([REACHED] * FEWEST, 0.9),
        ([], 0.2 + USUAL_REACH * 0.8),
        ([REACHED], 0.2 + USUAL_REACH * 0.8),
        ([UNREAD] * FEWEST, 0.2 + USUAL_REACH * 0.8),
        ([replace(REACHED, max_cosine=0.1)] * FEWEST, 0.1),
    ],
    ids=["its own", "none", "too few", "none that the embedder reads", "less than absent ones"],
)
def test_headings_that_a_blog_lacks_reach_what_is_usual(
    headings: list[RetrievalResult], cosine: float
) -> None:
    found = summarise_reach(headings, [ABSENT], [], characters=9, chunks=np.arange(3, 10))
    assert found.heading_cosine == pytest.approx(cosine)
    assert found.absent_cosine == found.foreign_cosine or found.absent_cosine == pytest.approx(
        min(0.2, cosine)
    )
    assert found.heading_similarity >= 0.0
    assert (found.characters, found.chunks, found.last_chunk) == (9, 7, 9)
    if not headings:
        assert found.heading_found == USUAL_FOUND


def post(heading: str) -> str:
    """Of two sections too long for one chunk, of which the second has a heading."""
    section = "It flies by night. " * 100
    return f"# Post\n\n{section}\n\n## {heading}\n\n{section}\n"


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


def test_an_ingest_calibrates_by_the_blogs_headings_embedded_at_once(blog: MakeBlog) -> None:
    made = blog({"moth.md": "# Moth\n\nBy night."})
    names = ["zebra", "walrus", "kelp", "newt", "moth", "onion", "quartz", "tundra", "fjord"]
    made.write({f"{n}.md": post(f"Of the {name}") for n, name in enumerate(names)})
    made.embedder = embedder = NotingBatches()
    made.ingest()
    found = made.manifest.calibration
    assert found is not None
    assert found.heading_found > found.absent_found
    assert found.heading_similarity > 0.0
    assert found.heading_cosine > found.absent_cosine
    assert embedder.batches == [len(names) + sum(map(len, choose_absent("en")))]


HUNDRED = np.arange(1, 101)


@pytest.mark.parametrize(
    ("now", "is_stale"),
    [
        pytest.param(HUNDRED, False, id="the same"),
        pytest.param(np.arange(1, 111), False, id="a tenth has come"),
        pytest.param(np.arange(1, 112), True, id="more has come"),
        pytest.param(HUNDRED[11:], True, id="more has gone"),
        pytest.param(HUNDRED + 10, False, id="a tenth was edited"),
    ],
)
def test_a_calibration_is_stale_when_more_than_a_tenth_has_come_or_gone(
    now: Ids, is_stale: bool
) -> None:
    medians = (1.0, 0.0, 1.0, 1.0, 0.0, 0.0)
    large = Calibration(*medians, characters=SMALL_BLOG, chunks=100, last_chunk=100)
    assert large.is_stale(now) is is_stale
    assert replace(large, characters=SMALL_BLOG - 1).is_stale(now)
