"""Words that no post has count as the words of the blog that they are misspellings of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import analyse_query, correct_spelling
from blog_search_mcp.index.analysis.tokenizer import stem


@dataclass(frozen=True)
class Words:
    """A blog's, with the number of posts that each is in."""

    posts: Mapping[str, int]

    def having(self, stem: str) -> int:
        return sum(
            n for word, n in self.posts.items() if stem in analyse_query(word).words[0].stems
        )


ENGLISH = {"protect", "how", "do", "i", "run"}
BLOG = Words({"kubernetes": 7, "project": 9, "parser": 1, "parsec": 2, "parset": 1, "rust": 5})


def corrected(text: str, languages: tuple[str, ...] = ("en",)) -> tuple[str, str] | None:
    """As the blog writes it: an edit is known by its stem alone."""
    found = correct_spelling(text, languages, BLOG.having, ENGLISH.__contains__)
    if found is None:
        return None
    [written] = [word for word in BLOG.posts if stem(word, "english") == stem(found[1], "english")]
    return found[0], written


@pytest.mark.parametrize(
    "word",
    [
        "kuberntes",
        "kubernettes",
        "kubernates",
        "kubenretes",
        "Kubernetez",
        "KuberNtes",
    ],
)
def test_a_letter_may_be_wrong_missing_added_or_exchanged_with_the_next(word: str) -> None:
    assert corrected(f"How do I run {word}?") == (word, "kubernetes")


@pytest.mark.parametrize(
    "text", ["用 kuberntes 部署", "kuberntes を使う", "kuberntes", "(kuberntes)"]
)
def test_a_name_is_corrected_in_a_sentence_without_an_alphabet_too(text: str) -> None:
    assert corrected(text, ("zh",)) == ("kuberntes", "kubernetes")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kubernetes", "a post has it"),
        ("protect", "it is a word, though project is the only one like it"),
        ("ubernetes", "the first letter is seldom wrong"),
        ("kubertnse", "two letters are wrong"),
        ("parsc", "it is too short"),
        ("kuberntes_client", "it is part of one"),
        ("kuberntes/yaml", "it is part of a path"),
        ("--kuberntes", "it is a flag"),
        ("Wie kann ich das mit kuberntes und dem Rest machen?", "another language's words"),
        ("Warum kuberntes?", "of two unknown words, both are likely another language's"),
    ],
)
def test_other_words_stay_what_they_are(text: str, why: str) -> None:
    assert corrected(text) is None, why


def test_of_several_words_the_commonest_is_meant() -> None:
    assert corrected("parsex") == ("parsex", "parsec")


def test_a_word_longer_than_any_that_is_written_is_not_corrected() -> None:
    longest = "kubernetes" * 4
    for word, is_corrected in ((f"{longest[:-1]}z", True), (f"{longest}z", False)):
        blog = Words({longest: 1, f"{longest}s": 1})
        found = correct_spelling(word, ("en",), blog.having, ENGLISH.__contains__)
        assert (found is not None) is is_corrected


@given(st.text())
@example("\u0130stanb kuberntes")
def test_any_query_is_read(text: str) -> None:
    found = corrected(text)
    assert found is None or (found[0] in text and found[1] in BLOG.posts)
