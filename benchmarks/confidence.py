"""How sure an answer is, as one number: the single place that says what is measured."""

from __future__ import annotations

from blog_search_mcp.index.types import Answer


def confidence_of(answer: Answer) -> float:
    """What `high`, `medium` and `low` are cut from; only its order between answers is used."""
    return answer.certainty
