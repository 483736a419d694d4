"""The same posts, whichever way they came: an index of many increments answers as a rebuilt one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.blog import Blog, MakeBlog

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


Scores = dict[tuple[str, int], float]


def scores(made: Blog, query: str) -> Scores:
    """The scores of the best ten passages."""
    return {(hit.post.source, hit.chunk.index): hit.score for hit in made.search(query).hits}


def test_scores_after_increments_are_those_of_a_rebuilt_index(blog: MakeBlog) -> None:
    made = blog({f"{n}.md": post(n) for n in range(12)})
    for step in range(1, 5):
        made.write({f"{n}.md": post(n) for n in range(12 * step, 12 * step + 12)})
        made.ingest()
    for edition in (1, 2, 3):
        made.write({f"{n}.md": post(n, edition) for n in (3, 17)})
        (made.content / f"{edition * 7}.md").unlink()
        made.ingest()
    assert made.manifest.superseded
    grown = [scores(made, query) for query in QUERIES]
    made.ingest(rebuild=True)
    assert not made.manifest.superseded
    compare(made, grown, NEAR)
    made.write({f"{n}.md": post(n, 9) for n in range(20)})
    made.ingest()
    assert not made.manifest.superseded, "a third was replaced, and its words made anew"
    grown = [scores(made, query) for query in QUERIES]
    made.ingest(rebuild=True)
    compare(made, grown, 1e-9)


def compare(made: Blog, grown: Sequence[Scores], near: float) -> None:
    """Compare the scores of a rebuilt index with those that it grew to."""
    for of_grown, query in zip(grown, QUERIES, strict=True):
        of_rebuilt = scores(made, query)
        both = of_grown.keys() & of_rebuilt.keys()
        last = min(of_rebuilt.values())  # what is as near to it may be below the tenth
        assert {key for key, score in of_rebuilt.items() if score > last + near} <= both
        assert {key: of_grown[key] for key in both} == pytest.approx(
            {key: of_rebuilt[key] for key in both}, abs=near
        )
