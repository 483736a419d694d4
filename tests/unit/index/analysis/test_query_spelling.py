"""Words that no post has count as the words of the blog that they are misspellings of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import analyse_query, correct_spelling


@dataclass(frozen=True)
class Words:
    """A blog's, with the number of posts that each is in."""

    posts: Mapping[str, int]
    taken_for_one: str = ""
    """What has the same hash as a word, by its spelling and not by its stem."""

    def having(self, stem: str) -> int:
        return sum(
            n for word, n in self.posts.items() if stem in analyse_query(word).words[0].stems
        )

    def spelled(self, word: str) -> int:
        return 99 if word == self.taken_for_one else self.posts.get(word, 0)


ENGLISH = {"protect", "how", "do", "i", "run"}
BLOG = Words({"kubernetes": 7, "project": 9, "parser": 1, "parsec": 2, "rust": 5})


def corrected(text: str, languages: tuple[str, ...] = ("en",)) -> tuple[str, str] | None:
    return correct_spelling(text, languages, BLOG, ENGLISH.__contains__)


@pytest.mark.parametrize(
    "word",
    [
        "kuberntes",
        "kubernettes",
        "kubernates",
        "kubenretes",
        "Kubernetez",
        "kubernetess",
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
    assert corrected("parsee") == ("parsee", "parsec")


def test_what_only_has_the_hash_of_a_word_is_not_meant() -> None:
    collides = replace(BLOG, taken_for_one="kuberxntes")
    found = correct_spelling("kuberntes", ("en",), collides, ENGLISH.__contains__)
    assert found == ("kuberntes", "kubernetes")
    collides = replace(BLOG, taken_for_one="philosaophiesbehind")
    said = "the philosophiesbehind it"
    assert correct_spelling(said, ("en",), collides, {"the", "it"}.__contains__) is None


def test_a_word_longer_than_any_that_is_written_is_not_corrected() -> None:
    longest = "kubernetes" * 4
    blog = Words({longest: 1, f"{longest}s": 1})

    def corrected_in_blog(word: str) -> tuple[str, str] | None:
        return correct_spelling(word, ("en",), blog, ENGLISH.__contains__)

    assert corrected_in_blog(f"{longest[:-1]}z") == (f"{longest[:-1]}z", longest)
    assert corrected_in_blog(f"{longest}z") is None


@given(st.text())
@example("\u0130stanb kuberntes")
def test_any_query_is_read(text: str) -> None:
    found = corrected(text)
    assert found is None or (found[0] in text and found[1] in BLOG.posts)
