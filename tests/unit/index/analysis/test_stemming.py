"""Stemmers of every language, one for each thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from blog_search_mcp.index.analysis.languages import STEMMERS
from blog_search_mcp.index.analysis.tokenizer import snowball


@pytest.mark.parametrize("algorithm", sorted(set(STEMMERS.values())))
def test_every_language_has_its_algorithm(algorithm: str) -> None:
    assert snowball(algorithm).stemWord("a") == "a"


def test_a_thread_keeps_its_stemmer_and_shares_it_with_no_other() -> None:
    own = snowball("english")
    with ThreadPoolExecutor(1) as pool:
        others = pool.submit(snowball, "english").result()
    assert snowball("english") is own
    assert others is not own


def test_an_algorithm_that_snowball_has_not_is_an_error() -> None:
    with pytest.raises(KeyError):
        snowball("klingon")
