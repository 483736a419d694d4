"""The same posts, whichever way they came: an index of many increments answers as a rebuilt one."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from blog_search_mcp.index.types import Filters
from tests.support.blog import Blog

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

WORDS = [f"{kind}{number}" for kind in ("pear", "bee", "clock", "loaf") for number in range(60)]
QUERIES = (
    "pear3 pear7",
    "how does bee5 help a clock9?",
    "loaf1",
    "clock30 clock31 clock32",
    "pear0 bee0 clock0 loaf0",
    "what is bee44",
    "loaf58 in a pear12",
    "rare",
)
NEAR = 0.02
"""Scores of 0 to 1 that differ by less are the same to a reader: tantivy counts deleted texts in
the rarity of words and in the average length."""


def post(number: int, edition: int = 0) -> str:
    rng = np.random.default_rng([number, edition])
    rare = " rare" if number % 7 == 0 else ""
    words = (rng.choice(WORDS, 25) for _ in range(3))
    lines = (f"## {' '.join(each[:2])}\n\n{' '.join(each)}" for each in words)
    return f"# Note {WORDS[number]}\n\n" + "\n\n".join(lines) + f"{rare}\n"


@pytest.fixture
def grown(blog: MakeBlog) -> Blog:
    """Five increments of posts, edits and deletions, of which deleted documents are left."""
    made = blog({f"{n}.md": post(n) for n in range(12)})
    for step in range(1, 5):
        made.write({f"{n}.md": post(n) for n in range(12 * step, 12 * step + 12)})
        made.ingest()
    for edition in (1, 2, 3):
        made.write({f"{n}.md": post(n, edition) for n in (3, 17)})
        (made.content / f"{edition * 7}.md").unlink()
        made.ingest()
    assert made.manifest.superseded
    return made


@pytest.fixture
def rebuilt(grown: Blog) -> Blog:
    made = Blog(grown.content, grown.index.with_name("rebuilt"))
    made.index.mkdir()
    shutil.copy(grown.layout.cache, made.layout.cache)
    made.ingest()
    assert not made.manifest.superseded
    return made


def test_scores_are_those_of_a_rebuilt_index(grown: Blog, rebuilt: Blog) -> None:
    for text in QUERIES:
        of_grown, of_rebuilt = (
            {
                (hit.post.source, hit.chunk.index): hit.score
                for hit in made.reader().search(text, Filters(), limit=10, offset=0).hits
            }
            for made in (grown, rebuilt)
        )
        both = of_grown.keys() & of_rebuilt.keys()
        assert len(both) >= len(of_rebuilt) - 1
        assert {key: of_grown[key] for key in both} == pytest.approx(
            {key: of_rebuilt[key] for key in both}, abs=NEAR
        )
