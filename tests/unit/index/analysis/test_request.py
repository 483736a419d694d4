"""What a query asks for posts about."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis import request
from blog_search_mcp.index.analysis.request import KINDS, find_subject


@pytest.mark.parametrize(
    "sentence",
    [
        "blog post about {}",
        "find my article on {}",
        "do I have a post about {}?",
        "I wrote something about {}, where is it?",
        "show me posts related to {}",
        "Which of my blog posts answers this: {}",
        "find the blog post that explains {}",
        "What did I write on the blog about {}",
        'find posts about "{}"',
        "{} - did we ever write about that?",
        "where's the post about {} that I wrote last year?",
        "can you summarise our posts covering {} please",
        "Regarding {}: what have we published so far?",
    ],
)
def test_english_that_asks_for_posts_is_about_what_it_names(sentence: str) -> None:
    assert find_subject(sentence.format("KV cache eviction")) == "KV cache eviction"


@pytest.mark.parametrize(
    "sentence",
    [
        "關於{}的文章",
        "我之前寫過{}嗎",
        "有沒有介紹{}的文章？",
        "幫我找{}",
        "最新一篇講{}的文章",
        "我的部落格有沒有文章講到{}",
        "哪一篇文章有提到{}？",
        "{}的文章",
        "我想看{}相關的文章",
        "{}，我有寫過嗎？",
    ],
)
@pytest.mark.parametrize("subject", ["連線池設定", "KV cache"])
def test_chinese_that_asks_for_posts_is_about_what_it_names(sentence: str, subject: str) -> None:
    assert find_subject(sentence.format(subject)) == subject


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("接続プールについての記事", "接続プール"),
        ("接続プールに関する記事はありますか", "接続プール"),
        ("ブログで接続プールについて書いた記事", "接続プール"),
        ("うちのブログに接続プールの記事ある？", "接続プール"),
        ("Artikel über Swift auf Linux", "Swift auf Linux"),
        ("Hast du einen Beitrag zu Swift auf Linux?", "Swift auf Linux"),
        ("Was habe ich über Swift auf Linux geschrieben?", "Swift auf Linux"),
    ],
)
def test_japanese_and_german_that_ask_for_posts_are_about_what_they_name(
    query: str, subject: str
) -> None:
    assert find_subject(query) == subject


@pytest.mark.parametrize(
    "query",
    [
        "KV cache",
        "how to deploy KV cache on my blog",
        "how do I write to a file?",
        "publish on PyPI",
        "release notes",
        "What is new in Go 1.22?",
        "“Fallible” constant expressions",
        "about",
        "what did we write about",
        "如何寫出好的文章",
        "如何設定連線池",
        "有没有无服务器",
        "解释器实现",
        "提示詞怎麼寫",
        "文件系统",
        "接続プールの使い方",
        "",
        "?!",
    ],
)
def test_what_asks_for_something_else_than_posts_stays_as_it_is(query: str) -> None:
    assert find_subject(query) == query


@given(st.text())
def test_any_text_has_a_subject_that_is_part_of_it(text: str) -> None:
    found = find_subject(text)
    assert found in text
    assert bool(found) == bool(text)


def test_the_table_has_words_of_known_kinds_in_the_characters_that_are_compared() -> None:
    rows = [line.split("\t") for line in request._WORDS.read_text("utf-8").splitlines()]
    assert {kind for _, kind, _ in rows} == KINDS.keys()
    words = [word for _, _, text in rows for word in text.split(" ")]
    assert all((word and word == word.lower()) or re.search("[A-Z]", word) for word in words)
