"""Words that say the same find each other: of both regions of Chinese, English and Japanese."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blog_search_mcp.index.text.query import Query, analyze_query
from blog_search_mcp.index.text.synonyms import add_synonyms
from blog_search_mcp.index.types import Filters

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog


def asked(text: str, languages: Sequence[str], passages: dict[str, int]) -> Query:
    """What is asked of a blog in these languages with so many passages of each stem."""
    return add_synonyms(
        analyze_query(text, languages), languages, lambda stem: passages.get(stem, 0)
    )


@pytest.mark.parametrize(
    ("text", "language", "passages", "expected"),
    [
        ("内存", "zh", {"记忆": 3, "忆体": 3}, {"内存": "内存 忆体 记忆"}),
        ("記憶體", "zh", {"内存": 3}, {"记忆": "内存 记忆", "忆体": "内存 忆体"}),
        ("軟體很慢", "zh", {"软件": 1}, {"软体": "软件 软体", "体很": "件很 体很", "很慢": "很慢"}),
        (
            "软件网络",
            "zh",
            {"软体": 1, "网路": 1},
            {"软件": "软件 软体", "件网": "件网 体网", "网络": "网络 网路"},
        ),
        # It is a database, and neither data nor a library.
        (
            "数据库",
            "zh",
            {"databas": 1, "data": 1, "librari": 1},
            {"数据": "databas 数据", "据库": "databas 据库"},
        ),
        ("memory", "ja", {"メモ": 2, "モリ": 2}, {"memory": "memori メモ モリ"}),
        ("内存", "en", {"memori": 2}, {"内存": "memori 内存"}),
        ("Caches", "zh-TW", {"快取": 2, "缓存": 1}, {"caches": "cach 快取 缓存"}),
        # Only where the blog says it as often.
        ("软件", "zh", {"软件": 5, "软体": 4}, {"软件": "软件"}),
        ("软件", "zh", {}, {"软件": "软件"}),
        ("--memory", "zh", {"内存": 2}, {"memory": "memori"}),
        ("memory", "de", {"内存": 2}, {"memory": "memory"}),
    ],
)
def test_a_word_counts_as_what_the_blog_calls_it(
    text: str, language: str, passages: dict[str, int], expected: dict[str, str]
) -> None:
    words = asked(text, [language], passages).words
    assert {word.exact: " ".join(word.stems) for word in words} == expected


@given(st.text(), st.sampled_from([["en"], ["zh"], ["ja"], ["zh", "en"], []]))
@example("。記憶體\U00020000内存", ["zh"])
def test_any_query_keeps_its_words_and_their_own_stems(text: str, languages: list[str]) -> None:
    plain = analyze_query(text, languages or ("en",))
    further = add_synonyms(plain, languages, lambda _stem: 1)
    for word, before in zip(further.words, plain.words, strict=True):
        assert replace(word, stems=before.stems) == before
        assert set(before.stems) <= set(word.stems)


TAIWAN = "---\ntitle: 記憶體不足\n---\n程式佔用的記憶體太多。\n"
MAINLAND = "---\ntitle: 内存不足\n---\n程序占用的内存太多。\n"
JAPANESE = "# メモリが足りない\n\nプログラムが使うメモリが多すぎます。\n"
ENGLISH = "# Out of memory\n\nThe program takes too much memory, whatever it does.\n"


@pytest.mark.parametrize(
    ("post", "query", "is_found"),
    [
        (TAIWAN, "内存", True),
        (TAIWAN, "the memory", True),
        (MAINLAND, "記憶體", True),
        (JAPANESE, "memory", True),
        (JAPANESE, "内存", False),
        (ENGLISH, "記憶體不夠", True),
        (ENGLISH, "メモリー", True),
    ],
)
def test_a_reader_finds_the_post_in_other_words(
    blog: MakeBlog, post: str, query: str, is_found: bool
) -> None:
    made = blog({"a.md": post})
    answer = made.reader(by_words=True).search(query, Filters(), limit=5, offset=0)
    assert len(answer.hits) == is_found
