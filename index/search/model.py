"""The fitted numbers of ranking and confidence, read from `index/data/ranking.json`.

`python -m tools.fit_ranking` writes them; the file names the command, the commit and the blogs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, NonNegativeFloat

from blog_search_mcp.index.types import Feature

PATH = Path(__file__).parents[1] / "data" / "ranking.json"

QueryKind = Literal["question", "prose", "short"]
"""What a query is: asked, running text, or a name, an identifier or a few words."""

Weights: TypeAlias = dict[Feature, NonNegativeFloat]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LogisticModel(_Frozen):
    """The probability that a blog holds an answer, from features of what was retrieved."""

    bias: float
    weights: dict[str, float]
    low: float
    """Probability below which an answer has low confidence."""
    high: float
    """From which it has high confidence."""

    def probability(self, features: Mapping[str, float]) -> float:
        """Estimate it for these features, which have a value for each weight."""
        logit = self.bias + sum(self.weights[name] * features[name] for name in self.weights)
        return 1.0 / (1.0 + math.exp(-max(min(logit, 50.0), -50.0)))


class RankingModel(_Frozen):
    """Everything that was fitted."""

    command: str
    commit: str
    fitted_on: tuple[str, ...]
    """Blogs and collections."""
    ranking: dict[QueryKind, Weights]
    confidence: LogisticModel
    confidence_by_words: LogisticModel
    """Where there is no cosine."""


@cache
def ranking_model() -> RankingModel:
    """Read the packaged model."""
    return RankingModel.model_validate_json(PATH.read_bytes())
