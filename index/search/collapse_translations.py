"""Collapse the translations of a post into one result, in the language of the query.

The group ranks where its best post ranks, since its translations say the same; which of them is
shown is decided by the query's language, and by the scores where that does not decide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from blog_search_mcp.index.analysis.languages import (
    TRADITIONAL,
    function_words,
    language_of,
    primary_subtag,
)
from blog_search_mcp.index.analysis.tokenizer import to_simplified

if TYPE_CHECKING:
    from blog_search_mcp.index.store.translations import Translation, Translations

NEAR_BEST = 0.8
"""Share of the best score with which English is shown for a query of an unknown language. Names
and identifiers are the same in all languages, so the scores of translations differ little."""

_WORD = re.compile(r"[^\W\d_]+")


def collapse_translations(
    scores: Mapping[int, float], translations: Translations, query: str
) -> dict[int, float]:
    """Scores by post id, with the best score of a group given to the one post that is shown.

    Only posts that have a score are shown: the others were filtered out, or have no feature above
    0.
    """
    collapsed: dict[int, float] = {}
    for post, score in scores.items():
        group = [each for each in translations.of(post) if each.post in scores]
        shown = _choose_post(group, scores, query) if len(group) > 1 else post
        collapsed[shown] = max(score, collapsed.get(shown, 0.0))
    return collapsed


def query_language(text: str) -> str:
    """ISO 639-1, or `""` for words that any language may use (names, identifiers)."""
    language = language_of(text)
    if language == "en" and function_words("en").isdisjoint(_WORD.findall(text.lower())):
        return ""
    return language


def _choose_post(group: Sequence[Translation], scores: Mapping[int, float], query: str) -> int:
    """The id of the post to show, of two or more."""
    ranked = sorted(group, key=lambda each: (-scores[each.post], each.post))
    language = query_language(query)
    if language:
        same = [each for each in ranked if primary_subtag(each.language) == language] or ranked
        return (_in_script(same, query) if language == "zh" else same)[0].post
    least = NEAR_BEST * scores[ranked[0].post]
    english = [
        each
        for each in ranked
        if primary_subtag(each.language) == "en" and scores[each.post] >= least
    ]
    return (english or ranked)[0].post


def _in_script(group: Sequence[Translation], query: str) -> Sequence[Translation]:
    """Those whose language tag is of the query's script, or all if there is none."""
    traditional = to_simplified(query) != query
    return [
        each for each in group if bool(TRADITIONAL.search(each.language)) is traditional
    ] or group
