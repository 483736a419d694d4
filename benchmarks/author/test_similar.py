"""How drafts are made of posts, and how positives and negatives are told apart."""

from __future__ import annotations

import random

import pytest

from benchmarks.author.similar import measure_auc, publish_again, shorten_block

TEXT = "---\ntitle: A\n---\n" + "\n\n".join(f"One {n}. Two {n}. Three {n}." for n in range(40))


def test_a_post_published_again_lacks_sentences_and_has_other_front_matter() -> None:
    again = publish_again(TEXT, 1)
    assert again == publish_again(TEXT, 1)
    assert again.startswith("---\ntitle: Moved here\ndate: 2030-01-01\n---\n")
    kept = again.count(".") / TEXT.count(".")
    assert 0.65 < kept < 0.85


def test_a_block_that_is_no_prose_is_kept_or_left_out_whole() -> None:
    block = "```\na. b. c.\n```"
    assert {shorten_block(block, random.Random(seed)) for seed in range(20)} == {block, ""}


@pytest.mark.parametrize(
    ("positives", "negatives", "auc"),
    [([1.0, 0.8], [0.1], 1.0), ([0.5], [0.5], 0.5), ([0.0], [1.0, 0.0], 0.25)],
)
def test_the_auc_is_how_often_a_positive_has_more(
    positives: list[float], negatives: list[float], auc: float
) -> None:
    assert measure_auc(positives, negatives) == auc
