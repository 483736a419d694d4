"""A ranking model with round numbers, for tests that must not depend on the fitted model."""

from blog_search_mcp.index.search.ranking import LogisticModel, RankingModel

BY_MEANING = LogisticModel(bias=-2.0, weights={"coverage": 3.0, "nearest": 1.0}, low=0.25)
BY_WORDS = LogisticModel(bias=-2.0, weights={"coverage": 4.0}, low=0.2)
"""Both models are sure of the blog's own headings, and rate absent ones as low."""

MODEL = RankingModel(
    fitted_on=(),
    ranking={
        "question": {"passage": 1.0, "post": 2.0, "meaning": 4.0, "opening": 1.0},
        "short": {"passage": 5.0, "post": 1.0, "meaning": 2.0, "opening": 0.0},
    },
    confidence=BY_MEANING,
    confidence_by_words=BY_WORDS,
)
