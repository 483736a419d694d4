"""Group questions that ask for the same, so that ten wordings of one are seen as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.relations.corpus import Corpus

ALIKE = 0.2
"""Mean likeness to a group from which on a question is of it: on four blogs no two questions of
fifteen in two wordings are joined wrongly."""


def group_questions(corpus: Corpus, questions: Sequence[str]) -> list[list[int]]:
    """Put each question, in order, to the group it is most like on average, else by itself.

    Two are alike by the cosine of their words, each weighed by its rarity. Returns their places.
    """
    columns: dict[tuple[str, ...], int] = {}
    rows = np.zeros((len(questions), sum(map(len, questions)) + 1))
    for row, question in zip(rows, questions, strict=True):
        query = analyse_query(question, corpus.snapshot.languages)
        for word, idf in corpus.snapshot.lexical.chunks.idf(query).items():
            row[columns.setdefault(word.stems or (word.exact,), len(columns))] = idf
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    groups: list[list[int]] = []
    for place, likeness in enumerate(rows @ rows.T):
        best = max(groups, key=lambda group: float(likeness[group].mean()), default=[])
        if best and likeness[best].mean() >= ALIKE:
            best.append(place)
        else:
            groups.append([place])
    return groups
