"""Scores of posts in, the same with one post of each group of translations out.

A reader wants an answer once and in the language of the question. The group stands where
its best post stands, since its translations say the same; which of them is shown is
decided by the query's language, and by the scores where that does not decide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from blog_search_mcp.index.analysis.languages import TRADITIONAL, function_words, language_of
from blog_search_mcp.index.analysis.tokenizer import simplified
from blog_search_mcp.index.store.translations import Translation, Translations

NEARLY = 0.8
"""Share of the best score with which English is shown for a query of an unknown language. Names
and identifiers are the same in all languages, so the scores of translations differ little."""

_WORD = re.compile(r"[^\W\d_]+")


def one_of_each(
    scores: Mapping[int, float], translations: Translations, query: str
) -> dict[int, float]:
    """Scores by post id, with the best score of a group given to the post that stands for it.

    Only posts that have a score are shown: the others were filtered out, or nothing speaks
    for them.
    """
    shown: dict[int, float] = {}
    for post, score in scores.items():
        group = [each for each in translations.of(post) if each.post in scores]
        chosen = _chosen(group, scores, query) if len(group) > 1 else post
        shown[chosen] = max(score, shown.get(chosen, 0.0))
    return shown


def query_language(text: str) -> str:
    """ISO 639-1, or `""` for words that any language may use (names, identifiers)."""
    language = language_of(text)
    if language == "en" and function_words("en").isdisjoint(_WORD.findall(text.lower())):
        return ""
    return language


def _chosen(group: Sequence[Translation], scores: Mapping[int, float], query: str) -> int:
    """The id of the post to show, of two or more."""
    ranked = sorted(group, key=lambda each: (-scores[each.post], each.post))
    language = query_language(query)
    if language:
        spoken = [each for each in ranked if _primary(each) == language] or ranked
        return (_in_script(spoken, query) if language == "zh" else spoken)[0].post
    nearly = NEARLY * scores[ranked[0].post]
    english = [each for each in ranked if _primary(each) == "en" and scores[each.post] >= nearly]
    return (english or ranked)[0].post


def _primary(translation: Translation) -> str:
    return translation.language.partition("-")[0]


def _in_script(group: Sequence[Translation], query: str) -> Sequence[Translation]:
    """Those whose language tag is of the query's script, or all if there is none."""
    traditional = simplified(query) != query
    return [
        each for each in group if bool(TRADITIONAL.search(each.language)) is traditional
    ] or group
