"""Which words of a query are names that no post has."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.analysis.query import analyse_query, find_missing_names

BLOG = {"stream", "event", "pipelin", "31.75"}
"""The stems that posts have."""
ENGLISH = {"how", "do", "i", "run", "the", "with", "slack", "engine", "deploy"}


@pytest.mark.parametrize(
    ("text", "blog", "names"),
    [
        ("How do I run Kafka with event streams?", "en", ["Kafka"]),
        ("How do I deploy with Slack?", "en", ["Slack"]),
        ("Deploy it with Slack", "en", ["Slack"]),
        ("How To Deploy The Engine", "en", []),
        ("streams for XQuery 3.1", "en", ["XQuery", "3.1"]),
        ("load_all, or event.loadAll?", "en", ["load_all", "loadAll"]),
        ("Jupyter pipelines", "en", ["Jupyter"]),
        ("Deploy pipelines", "en", []),
        ("Is it 31,75 a day?", "en", []),
        ("wie geht das mit dem Rest", "en", []),
        ("Welche Karte zeigt FHIR?", "de", ["FHIR"]),
        ("giscus 要怎麼接 event", "zh", ["giscus"]),
        ("怎麼接留言板", "zh", []),
        ("engine deploy", "ja", []),
    ],
)
def test_names_numbers_and_identifiers_are_told_from_common_words(
    text: str, blog: str, names: list[str]
) -> None:
    query = analyse_query(text, [blog])
    having = BLOG.__contains__
    assert find_missing_names(query, [blog], having, ENGLISH.__contains__) == names
