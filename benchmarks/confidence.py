"""How sure an answer is, as one number: the single place that says what is measured."""

from __future__ import annotations

from index.types import Answer


def confidence_of(answer: Answer) -> float:
    """The best hit's score, 0 without hits; only its order between answers is used."""
    return max((hit.score for hit in answer.hits), default=0.0)
