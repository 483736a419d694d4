"""Words that say the same find each other: of both regions of Chinese, English and Japanese."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import Query, Word, analyse_query
from blog_search_mcp.index.analysis.synonyms import add_synonyms, gloss_in_english
from blog_search_mcp.index.types import Filters

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog


def asked(text: str, languages: Sequence[str], passages: dict[str, int]) -> Query:
    """What is asked of a blog in these languages with so many passages of each stem."""
    return add_synonyms(
        analyse_query(text, languages), languages, lambda stem: passages.get(stem, 0)
    )


def stems(query: Query) -> dict[str, tuple[str, ...]]:
    return {word.exact: word.stems for word in query.words}


@pytest.mark.parametrize(
    ("text", "passages", "expected"),
    [
        ("内存", {"记忆": 3, "忆体": 3}, {"内存": ("内存", "忆体", "记忆")}),
        ("記憶體", {"内存": 3}, {"记忆": ("内存", "记忆"), "忆体": ("内存", "忆体")}),
        ("软件", {"软体": 1}, {"软件": ("软件", "软体")}),
        (
            "軟體很慢",
            {"软件": 1},
            {"软体": ("软件", "软体"), "体很": ("件很", "体很"), "很慢": ("很慢",)},
        ),
        (
            "软件网络",
            {"软体": 1, "网路": 1},
            {
                "软件": ("软件", "软体"),
                "件网": ("件网", "体网"),
                "网络": ("网络", "网路"),
            },
        ),
    ],
)
def test_a_word_counts_as_what_the_other_region_of_chinese_calls_it(
    text: str, passages: dict[str, int], expected: dict[str, tuple[str, ...]]
) -> None:
    assert stems(asked(text, ["zh"], passages)) == expected


@pytest.mark.parametrize(
    ("text", "languages", "passages", "expected"),
    [
        ("memory", ["zh"], {"内存": 2}, {"memory": ("memori", "内存")}),
        ("memory", ["ja"], {"メモ": 2, "モリ": 2}, {"memory": ("memori", "メモ", "モリ")}),
        ("内存", ["en"], {"memori": 2}, {"内存": ("memori", "内存")}),
        ("メモリ", ["en"], {"memori": 2}, {"メモ": ("memori", "メモ"), "モリ": ("memori", "モリ")}),
        ("Caches", ["zh-TW"], {"快取": 2, "缓存": 1}, {"caches": ("cach", "快取", "缓存")}),
    ],
)
def test_a_word_of_computing_counts_as_what_the_blogs_language_calls_it(
    text: str, languages: list[str], passages: dict[str, int], expected: dict[str, tuple[str, ...]]
) -> None:
    assert stems(asked(text, languages, passages)) == expected


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("memory_limit", ["zh"]),
        ("--memory", ["zh"]),
        ("gc.memory", ["zh"]),
        ("memory 的用途", ["zh"]),
        ("memory", ["de"]),
    ],
)
def test_parts_of_identifiers_and_names_in_a_chinese_sentence_stay_what_they_are(
    text: str, languages: list[str]
) -> None:
    plain = analyse_query(text, languages)
    assert add_synonyms(plain, languages, lambda stem: int(stem == "内存")) == plain


@pytest.mark.parametrize(("own", "other", "counts"), [(0, 0, False), (0, 1, True), (5, 4, False)])
def test_a_synonym_counts_only_where_the_blog_says_it_as_often(
    own: int, other: int, counts: bool
) -> None:
    plain = analyse_query("软件", ["zh"])
    expected = Word("软件", ("软件", "软体"), 1.0) if counts else plain.words[0]
    assert asked("软件", ["zh"], {"软件": own, "软体": other}).words == (expected,)


def test_the_longest_word_is_taken_and_its_parts_are_no_words_of_their_own() -> None:
    """数据库 is a database, and neither data nor a library."""
    passages = {"databas": 1, "data": 1, "librari": 1}
    assert stems(asked("数据库", ["zh"], passages)) == {
        "数据": ("databas", "数据"),
        "据库": ("databas", "据库"),
    }


@given(st.text(), st.sampled_from([["en"], ["zh"], ["ja"], ["zh", "en"], []]))
@example("。記憶體\U00020000内存", ["zh"])
def test_any_query_keeps_its_words_and_their_own_stems(text: str, languages: list[str]) -> None:
    plain = analyse_query(text, languages or ("en",))
    further = add_synonyms(plain, languages, lambda _stem: 1)
    assert [replace(word, stems=()) for word in further.words] == [
        replace(word, stems=()) for word in plain.words
    ]
    for word, before in zip(further.words, plain.words, strict=True):
        assert set(before.stems) <= set(word.stems)


TAIWAN = {
    "a.md": "---\ntitle: 記憶體不足\n---\n程式佔用的記憶體太多。\n",
    "b.md": "---\ntitle: 網路\n---\n網路斷線的時候怎麼辦。\n",
}
MAINLAND = {
    "a.md": "---\ntitle: 内存不足\n---\n程序占用的内存太多。\n",
    "b.md": "---\ntitle: 网络\n---\n网络断线的时候怎么办。\n",
}
JAPANESE = {"a.md": "# メモリが足りない\n\nプログラムが使うメモリが多すぎます。\n"}
ENGLISH = {"a.md": "# Out of memory\n\nThe program takes too much memory, whatever it does.\n"}


@pytest.mark.parametrize(
    ("posts", "query", "source", "preview"),
    [
        (TAIWAN, "内存", "a.md", "程式佔用的記憶體太多。"),
        (TAIWAN, "網絡", "b.md", "網路斷線的時候怎麼辦。"),
        (TAIWAN, "the network", "b.md", "網路斷線的時候怎麼辦。"),
        (MAINLAND, "記憶體", "a.md", "程序占用的内存太多。"),
        (MAINLAND, "網路", "b.md", "网络断线的时候怎么办。"),
        (JAPANESE, "memory", "a.md", "プログラムが使うメモリが多すぎます。"),
        (
            ENGLISH,
            "記憶體不夠",
            "a.md",
            "The program takes too much memory, whatever it does.",
        ),
        (ENGLISH, "メモリー", "a.md", "The program takes too much memory, whatever it does."),
    ],
)
def test_a_reader_finds_the_post_in_other_words(
    blog: MakeBlog, posts: dict[str, str], query: str, source: str, preview: str
) -> None:
    answer = blog(posts).reader(by_words=True).search(query, Filters(), limit=5, offset=0)
    assert [(hit.post.source, hit.preview) for hit in answer.hits] == [(source, preview)]


def test_a_japanese_blog_is_not_asked_for_the_words_of_chinese_regions(blog: MakeBlog) -> None:
    posts = {"a.md": "# 資訊のこと\n\nこれは資訊についての話です。\n"}
    answer = blog(posts).reader(by_words=True).search("信息", Filters(), limit=5, offset=0)
    assert answer.hits == ()


@pytest.mark.parametrize(
    ("text", "language", "gloss"),
    [
        ("如何減少記憶體用量？", "zh", ("reduce memory", 5 / 9)),
        ("FastAPI 怎么处理 CORS 请求", "zh", ("FastAPI handle CORS request", 8 / 10)),
        ("メモリのリーク", "ja", ("memory leak", 6 / 7)),
        ("IndexFlatIP faiss_index", "en", None),
        ("記憶體", "zh", None),
        ("", "zh", None),
        ("내 메모리", "ko", None),
    ],
)
def test_a_query_of_two_such_words_is_put_in_english(
    text: str, language: str, gloss: tuple[str, float] | None
) -> None:
    assert gloss_in_english(text, language) == gloss
