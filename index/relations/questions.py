"""Group questions that ask for the same, so that ten wordings of one are seen as one.

How alike two are is the mean of two cosines: of their words, weighed by rarity on the blog, and of
their vectors, as far as it is above what any two texts of the blog have. Words alone part names
best, and vectors alone find what is asked in other words; either can stand for both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.errors import EmbedderError, EmbedderMismatch
from blog_search_mcp.index.relations.corpus import Corpus

Cosines = npt.NDArray[np.float64]

ALIKE = 0.2
"""Mean likeness to a group from which on a question is of it: on four blogs no two questions of
fifteen in two wordings are joined wrongly, and .87 to 1 of the rewordings are found."""


def group_questions(corpus: Corpus, questions: Sequence[str]) -> tuple[list[list[int]], str | None]:
    """Group questions by their places; also returns what must be known if words alone tell."""
    alike = _compare_words(corpus, questions)
    snapshot, notice = corpus.snapshot, None
    if len(snapshot.vectors) and questions:
        try:
            is_read = np.array(snapshot.embedder.vocabulary_coverage(questions)) > 0
            rows = snapshot.embedder.embed_queries(questions)
            mean = snapshot.vectors.mean()
            common = min(float(mean @ mean), 0.99)
            meaning = np.clip((rows @ rows.T - common) / (1 - common), 0.0, 1.0)
            alike = np.where(np.outer(is_read, is_read), (alike + meaning) / 2, alike)
        except (EmbedderError, EmbedderMismatch) as error:
            notice = f"Grouped by words alone: {error.for_clients}"
    return group_alike(alike), notice


def _compare_words(corpus: Corpus, questions: Sequence[str]) -> Cosines:
    """Return the cosines of the questions' words, each weighed by its rarity."""
    columns: dict[tuple[str, ...], int] = {}
    rows = np.zeros((len(questions), sum(map(len, questions)) + 1))
    for row, question in zip(rows, questions, strict=True):
        query = analyse_query(question, corpus.snapshot.languages)
        for word, idf in corpus.snapshot.lexical.chunks.idf(query).items():
            row[columns.setdefault(word.stems or (word.exact,), len(columns))] = idf
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return np.clip(rows @ rows.T, 0.0, 1.0)


def group_alike(likeness: Cosines) -> list[list[int]]:
    """Put each question, in order, to the group that it is most like on average, or by itself."""
    groups: list[list[int]] = []
    for place, row in enumerate(likeness):
        best = max(groups, key=lambda group: float(row[group].mean()), default=[])
        if best and row[best].mean() >= ALIKE:
            best.append(place)
        else:
            groups.append([place])
    return groups
