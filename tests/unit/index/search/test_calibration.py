"""What a blog's own headings reach, and headings about other things."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from blog_search_mcp.index.search.calibration import choose_absent
from blog_search_mcp.index.types import SMALL_BLOG, Calibration
from tests.support.fakes import FakeEmbedder, vector_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blog_search_mcp.index.types import Vectors
    from tests.support.blog import MakeBlog


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
    assert found.heading_similarity > 0.0
    assert found.heading_cosine > found.absent_cosine
    assert embedder.batches == [len(names) + len(choose_absent("en"))]


@pytest.mark.parametrize(
    ("chunks", "come", "is_stale"),
    [
        pytest.param(100, 0, False, id="the same"),
        pytest.param(110, 10, False, id="a tenth has come"),
        pytest.param(111, 11, True, id="more has come"),
        pytest.param(89, 0, True, id="more has gone"),
        pytest.param(100, 10, False, id="a tenth was edited"),
    ],
)
def test_a_calibration_is_stale_when_more_than_a_tenth_has_come_or_gone(
    chunks: int, come: int, is_stale: bool
) -> None:
    medians = (1.0, 1.0, 0.0)
    large = Calibration(*medians, characters=SMALL_BLOG, chunks=100, last_chunk=100)
    assert large.is_stale(chunks, come) is is_stale
    assert replace(large, characters=SMALL_BLOG - 1).is_stale(chunks, come)
