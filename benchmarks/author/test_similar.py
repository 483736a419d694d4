"""How drafts are made of posts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.author.similar import Blog, measure_halves, publish_again, shorten_block
from tests.support.blog import Blog as MadeBlog

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


def test_a_blog_of_short_posts_has_no_halves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = MadeBlog(tmp_path / "posts", tmp_path / "index")
    made.write({"a.md": "# A\n\nA few words.\n"})
    made.ingest()
    corpus = made.reader().corpus()
    measure_halves(Blog(made.index, corpus, made.content), sorted(corpus.posts))
    assert capsys.readouterr().out == (
        "  first half finds the second (0): no post has 4 passages\n"
    )
