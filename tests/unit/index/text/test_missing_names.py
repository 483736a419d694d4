"""Which words of a query no post has, the names first."""

import re

import pytest

from blog_search_mcp.index.text.query import Word, analyze_query, find_missing_words

BLOG = {"stream", "event", "pipelin", "31.75"}
"""The stems that posts have."""
ENGLISH = {"how", "do", "i", "run", "the", "with", "slack", "engine", "deploy"}


def has_word(word: Word) -> bool:
    """Whether posts have a word, or the compound of data and a map."""
    return not BLOG.isdisjoint(word.stems) or bool(re.fullmatch(word.pattern, "datenkart"))


@pytest.mark.parametrize(
    ("text", "blog", "names", "words"),
    [
        ("How do I run Kafka with event streams?", "en", ["Kafka"], ["run"]),
        ("How do I deploy with Slack?", "en", ["Slack"], ["deploy"]),
        ("Deploy it with Slack", "en", ["Slack"], ["Deploy"]),
        ("How To Deploy The Engine", "en", [], ["Deploy", "Engine"]),
        ("streams for XQuery 3.1", "en", ["XQuery", "3.1"], []),
        ("load_all, or event.loadAll?", "en", ["load_all", "loadAll"], []),
        ("Jupyter pipelines", "en", ["Jupyter"], []),
        ("Why don't they stream pipelined events to us anyway?", "en", [], []),
        ("Is it 31,75 a day?", "en", [], ["day"]),
        ("wie geht das mit dem Rest", "en", [], []),
        ("How do I stream with a dog?", "en", [], ["dog"]),  # a function word in Danish
        ("Как работает Kafka?", "en", ["Kafka"], []),
        ("Wieviel kann ich mit FHIR streamen?", "de", ["FHIR"], []),
        ("Wieso hat die Karte ein Zebra?", "de", [], ["Zebra"]),
        ("Combien de zèbres y a-t-il aujourd'hui ?", "fr", [], ["zèbres"]),
        ("¿Cuántas cebras hay?", "es", [], ["cebras"]),
        ("Perché? Quali zebre? Cos'è?", "it", [], ["zebre"]),
        ("Hoeveel zebra's, en waarvoor?", "nl", [], ["zebra"]),
        ("Quais zebras, e quantas?", "pt", [], ["zebras"]),
        ("Сколько зебр и каких?", "ru", [], ["зебр"]),
        ("Hvornår er en zebra her?", "da", [], ["zebra"]),
        ("Hvorfor er en sebra her?", "no", [], ["sebra"]),
        ("Varifrån är en zebra?", "sv", [], ["zebra"]),
        ("Montako seepraa siellä on?", "fi", [], ["seepraa"]),
        ("Mennyi zebra van itt?", "hu", [], ["zebra"]),
        ("Câte zebre sunt aici?", "ro", [], ["zebre"]),
        ("Kaç zebra var, neden?", "tr", [], ["zebra"]),
        ("giscus 要怎麼接 event", "zh", ["giscus"], []),
        ("怎麼接留言板", "zh", [], []),
        ("どの event ですか", "ja", [], []),
        ("engine deploy", "ja", [], []),
        ("zlutoucky zebra", "sk", [], []),
    ],
)
def test_words_that_no_post_has_are_told_from_function_words_and_names_come_first(
    text: str, blog: str, names: list[str], words: list[str]
) -> None:
    query = analyze_query(text, [blog])
    found = find_missing_words(query, [blog], has_word, ENGLISH.__contains__)
    assert ([*found], [word for word in found if found[word]]) == (names + words, names)
