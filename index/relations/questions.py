"""Group questions that ask for the same, so that ten wordings of one are seen as one.

How alike two are is the mean of two cosines: of their words, weighed by rarity on the blog, and of
their vectors, as far as it is above what any two texts of the blog have. Words alone part names
best, and vectors alone find what is asked in other words; either can stand for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.errors import EmbedderError, EmbedderMismatch

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus

Cosines = npt.NDArray[np.float64]

ALIKE = 0.2
"""Mean likeness of two groups from which on they are one. Chosen on an English blog (MiniLM) and a
Chinese one (e5), confirmed on another of each: no two questions are joined wrongly, and .87 to 1 of
the rewordings are found (`python -m benchmarks.author gaps`)."""


class Likeness(NamedTuple):
    """How alike some questions are."""

    values: Cosines
    """In [0, 1], of shape (questions, questions)."""
    notice: str | None
    """What the reader must know if only words were compared."""


def compare_questions(corpus: Corpus, questions: Sequence[str]) -> Likeness:
    """Compare each question with each."""
    words = _compare_words(corpus, questions)
    snapshot = corpus.snapshot
    if not len(snapshot.vectors) or not questions:
        return Likeness(words, None)
    try:
        covered = np.array(snapshot.embedder.vocabulary_coverage(questions)) > 0
        rows = snapshot.embedder.embed_queries(questions)
    except (EmbedderError, EmbedderMismatch) as error:
        return Likeness(words, f"Grouped by words alone: {error.for_clients}")
    mean = snapshot.vectors.mean()
    common = min(float(mean @ mean), 0.99)
    meaning = np.clip((rows @ rows.T - common) / (1 - common), 0.0, 1.0)
    return Likeness(np.where(np.outer(covered, covered), (words + meaning) / 2, words), None)


def _compare_words(corpus: Corpus, questions: Sequence[str]) -> Cosines:
    """Return the cosines of the questions' words, each weighed by its rarity."""
    snapshot = corpus.snapshot
    weights = [
        {
            word.stems or (word.exact,): idf
            for word, idf in snapshot.lexical.chunks.idf(query).items()
        }
        for query in (analyse_query(each, snapshot.languages) for each in questions)
    ]
    places = {
        word: place for place, word in enumerate(dict.fromkeys(w for e in weights for w in e))
    }
    rows = np.zeros((len(questions), len(places)))
    for row, each in zip(rows, weights, strict=True):
        for word, weight in each.items():
            row[places[word]] = weight
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return np.clip(rows @ rows.T, 0.0, 1.0)


def group_alike(likeness: Cosines, least: float = ALIKE) -> list[list[int]]:
    """Join the two groups most alike on average until none are as alike as `least`.

    Return the groups by their first member, each ascending.
    """
    between = likeness.astype(np.float64, copy=True)
    np.fill_diagonal(between, -np.inf)
    groups = [[place] for place in range(len(between))]
    while len(groups) > 1:
        one, other = divmod(int(between.argmax()), len(between))
        if between[one, other] < least:
            break
        sizes = len(groups[one]), len(groups[other])
        joined = np.average(between[[one, other]], axis=0, weights=sizes)
        between[one] = between[:, one] = joined
        between[one, one] = between[other] = between[:, other] = -np.inf
        groups[one] += groups[other]
        groups[other] = []
    return sorted(sorted(group) for group in groups if group)
