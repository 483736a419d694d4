"""The tables of what words are called elsewhere."""

from __future__ import annotations

from blog_search_mcp.index.analysis.synonyms import LANGUAGES, computing_words, regional_words


def test_a_table_has_no_word_twice_and_none_that_is_its_own_synonym() -> None:
    regional = [tuple(pair) for pair in regional_words()]
    assert len(set(regional)) == len(regional)
    assert all(one != other and min(len(one), len(other)) > 1 for one, other in regional)
    for language in LANGUAGES:
        words = list(computing_words(language))
        assert len({word for word, _ in words}) == len(words)
        assert all(word.isascii() and word.isalpha() and word.islower() for word, _ in words)
        assert all(len(other) > 1 for _, others in words for other in others)
        assert sum(map(bool, (others for _, others in words))) > 800
