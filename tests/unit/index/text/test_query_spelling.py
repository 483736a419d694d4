"""Words that no post has count as the words of the blog that they are misspellings of."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blog_search_mcp.index.text.query import correct_spelling
from blog_search_mcp.index.text.tokenizer import stem

BLOG = {"kubernetes": 7, "project": 9, "parser": 1, "parsec": 2, "parset": 1, "rust": 5}
BLOG |= {"organize": 1, "organist": 9, "swarm": 2}
"""In how many posts each word is, in this form alone."""
STEMS = {stem(word, "en"): word for word in BLOG}
ENGLISH = {"protect", "how", "do", "i", "run"}


def corrected(text: str, languages: tuple[str, ...] = ("en",)) -> dict[str, str]:
    """The misspelled words, and those of the blog that are meant."""

    def frequency_of(stem: str) -> int:
        return BLOG.get(STEMS.get(stem, ""), 0)

    def find_written(word: str) -> str:
        return word if word in BLOG else ""

    return correct_spelling(text, languages, frequency_of, ENGLISH.__contains__, find_written)


@pytest.mark.parametrize(
    "word",
    [
        *("kuberntes", "kubernettes", "kubernates", "kubenretes", "Kubernetez", "KuberNtes"),
        *("kobernetes", "kbuernetes", "kbernetes", "ubernetes", "iubernetes", "ukbernetes"),
    ],
)
def test_a_letter_may_be_wrong_missing_added_or_exchanged_with_the_next(word: str) -> None:
    assert corrected(f"How do I run {word}?") == {word: "kubernetes"}
    assert corrected(f"用 {word} 部署", ("zh",)) == {word: "kubernetes"}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("parsecc", {"parsecc": "parsec"}),  # the commonest of several
        ("organise", {}),  # a form of organize, which posts have
        ("kuberntes porject", {"kuberntes": "kubernetes", "porject": "project"}),
        ("sawrm for kuberntes", {"sawrm": "swarm", "kuberntes": "kubernetes"}),
        ("Kuberntes, porject, Grafana", {"Kuberntes": "kubernetes", "porject": "project"}),
    ],
)
def test_every_unknown_word_is_corrected_by_itself(text: str, meant: dict[str, str]) -> None:
    assert corrected(text) == meant


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kubernetes", "a post has it"),
        ("protect", "it is a word, though project is the only one like it"),
        ("projectex", "no post has it as it would be shown: projected"),
        ("rustproject", "it is not taken apart"),
        ("kubertnse", "two letters are wrong"),
        ("parsc", "it is too short"),
        ("kubernetez" * 5, "it is too long"),
        ("kuberntes_client", "it is part of one"),
        ("kuberntes/yaml", "it is part of a path"),
        ("--kuberntes", "it is a flag"),
        ("Wie kann ich das mit kuberntes und dem Rest machen?", "another language's words"),
        ("Warum kuberntes?", "of two unknown words, both are likely another language's"),
    ],
)
def test_other_words_stay_what_they_are(text: str, why: str) -> None:
    assert corrected(text) == {}, why


@given(st.text())
@example("\u0130stanb kuberntes")
def test_any_query_is_read(text: str) -> None:
    found = corrected(text)
    assert all(word in text and meant in BLOG for word, meant in found.items())
