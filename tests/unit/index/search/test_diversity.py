"""Which passages stand in a list, and in what order."""

from collections.abc import Mapping

import numpy as np
import pytest

from blog_search_mcp.index.search.diversity import (
    RankedPassage,
    collapse_copies,
    diversify_passages,
)
from blog_search_mcp.index.search.retrieval import Candidates


def ranked(
    posts: Mapping[int, float], chunks: Mapping[int, Mapping[int, float]]
) -> list[RankedPassage]:
    """The list for posts by their scores, and of their chunks by theirs, in the post's order."""
    ids = sorted(posts)
    scores = np.array([score for post in ids for score in chunks[post].values()])
    candidates = Candidates(
        np.array(ids, dtype=np.int64),
        np.array([len(chunks[post]) for post in ids], dtype=np.int64),
        np.array([chunk for post in ids for chunk in chunks[post]], dtype=np.int64),
        *(scores, scores, scores),
        np.zeros(len(ids)),
    )
    return diversify_passages(posts, candidates, scores)


@pytest.mark.parametrize(
    ("posts", "chunks", "shown"),
    [
        ({1: 0.3, 2: 0.9}, {1: {10: 1.0}, 2: {20: 2.0, 22: 0.0}}, [20, 10]),
        ({1: 0.9, 2: 0.5},
         {1: {10: 1.0, 11: 0.1, 12: 0.81, 13: 0.1, 14: 0.64}, 2: {20: 1.0}}, [10, 12, 20, 14]),
        ({1: 0.9, 2: 0.85}, {n: {10 * n: 1.0, 10 * n + 1: 0.5, 10 * n + 2: 1.0} for n in (1, 2)},
         [10, 20, 12, 22]),
        ({1: 0.9}, {1: {10: 0.8, 11: 1.0, 12: 0.7, 13: 0.64, 14: 0.5}}, [11, 13]),
        ({3: 0.5, 1: 0.5, 2: 0.5}, {n: {10 * n: 1.0} for n in (1, 2, 3)}, [10, 20, 30]),
        ({1: 0.5}, {1: {11: 0.0, 12: -0.1, 13: -0.1}}, [11]),
        ({}, {}, []),
    ],
    ids=["posts by their scores", "a clear winner shows more", "close rivals are all seen",
         "no neighbour of one shown", "equal ones in order", "no telling chunk", "nothing"],
)  # fmt: skip
def test_passages_stand_by_posts_and_by_how_clearly_one_leads(
    posts: dict[int, float], chunks: dict[int, dict[int, float]], shown: list[int]
) -> None:
    assert [passage.chunk for passage in ranked(posts, chunks)] == shown


NEWS = "In {} the club met {} times, the minutes were read and the dues were paid as always."


@pytest.mark.parametrize(
    ("text", "other", "is_copy"),
    [
        (NEWS.format("May", 2), NEWS.format("May", 2).upper(), True),
        (NEWS * 2, f"{NEWS * 2} 7", True),
        (NEWS.format("May", 2) * 9, NEWS.format("June", 2) * 9, False),
        (NEWS.format(2019, 2), NEWS.format(2020, 3), False),
        (NEWS, f"{NEWS} Bring cake, all of you, to the next one.", False),
        (
            "會議照例宣讀紀錄並收取會費大家按時到場" * 3,
            "會議照例宣讀紀錄並收取會費大家按時到場" * 3,
            True,
        ),
        ("三月會議照例宣讀紀錄並收取會費" * 3, "四月會議照例宣讀紀錄並收取會費" * 3, False),
    ],
)
def test_a_copy_says_nothing_of_its_own_but_a_number(text: str, other: str, is_copy: bool) -> None:
    passages = [RankedPassage(1, 10, 1.0), RankedPassage(2, 20, 0.9)]
    kept, copies = collapse_copies(passages, {10: text, 20: other})
    assert (len(kept), dict(copies)) == ((1, {10: [2]}) if is_copy else (2, {}))
