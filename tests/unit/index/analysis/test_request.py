"""What a query asks for posts about."""

from __future__ import annotations

import unicodedata
from itertools import combinations
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.request import (
    CUT_WINDOWS,
    END,
    MOST_WORDS,
    START,
    UNKNOWN,
    UNKNOWN_EAST_ASIAN,
    WORD_WINDOWS,
    RequestModel,
    find_cuts,
    find_subject,
    load_request_model,
    split_units,
)


@pytest.mark.parametrize(
    "sentence",
    [
        "any article of ours about {}?",
        "do you know if I have a blog post about {}?",
        "I once wrote something about {}, where can I find it?",
        "list our articles related to {}",
        "find me the blog post that covers {}",
        "What did we write on our blog about {}?",
        'search our posts for "{}"',
        "where is the article about {} that we published last year?",
        "please summarise what our posts say about {}",
    ],
)
@pytest.mark.parametrize("subject", ["KV cache eviction", "dithering"])
def test_english_that_asks_for_posts_is_about_what_it_names(sentence: str, subject: str) -> None:
    assert find_subject(sentence.format(subject)) == subject


@pytest.mark.parametrize(
    "sentence",
    [
        "找關於{}的部落格文章",
        "我以前有沒有寫過{}？",
        "請問部落格有沒有介紹{}的文章？",
        "幫我找找{}的文章",
        "我的部落格裡有哪些文章講到{}",
        "有哪幾篇文章提到{}？",
        "我想找{}相關的文章",
        "关于{}的文章有哪些",
    ],
)
@pytest.mark.parametrize("subject", ["連線池設定", "套件", "KV cache", "RAG"])
def test_chinese_that_asks_for_posts_is_about_what_it_names(sentence: str, subject: str) -> None:
    assert find_subject(sentence.format(subject)) == subject


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("接続プールについての記事を教えてください", "接続プール"),
        ("接続プールに関する記事はどこ？", "接続プール"),
        ("私のブログで接続プールについて書いた記事を探して", "接続プール"),
        ("Haben wir einen Artikel über Swift auf Linux?", "Swift auf Linux"),
        ("Hast du schon einen Beitrag zu Swift auf Linux?", "Swift auf Linux"),
        ("Was haben wir über Swift auf Linux geschrieben?", "Swift auf Linux"),
    ],
)
def test_japanese_and_german_that_ask_for_posts_are_about_what_they_name(
    query: str, subject: str
) -> None:
    assert find_subject(query) == subject


@pytest.mark.parametrize(
    "query",
    [
        "KV cache eviction",
        "how do I add comments to my blog?",
        "I wrote a test that passes alone but not with the others. What did I miss?",
        "how do I write to a socket?",
        "publish wheels on PyPI",
        "release notes by hand",
        "What is new in Go 1.22?",
        "“Fallible” constant expressions",
        "what did we blog about",
        "如何設定執行緒池",
        "编译器实现",
        "提示詞怎麼寫才短",
        "日志文件系统",
        "スレッドプールの使い方",
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


def test_a_subject_may_be_in_another_language_than_what_asks_for_it() -> None:
    assert find_subject("do we have a post about 連線池設定?") == "連線池設定"
    assert (
        find_subject("我有寫過 Connection pooling in Go 的文章嗎？") == "Connection pooling in Go"
    )


def test_words_that_no_sentence_of_the_fit_has_end_no_opening() -> None:
    assert find_subject("What did zorbla say in the post about KV cache eviction?") == (
        "KV cache eviction"
    )


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ('posts about "KV cache"', "KV cache"),
        ("posts about “KV cache”", "KV cache"),
        ('my article on "zero downtime" deploys', '"zero downtime" deploys'),
        ("posts about “Foo” vs “Bar”", "“Foo” vs “Bar”"),
        ("posts about .NET", ".NET"),
    ],
)
def test_quotes_around_the_subject_are_no_part_of_it(query: str, subject: str) -> None:
    assert find_subject(query) == subject


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("Haben wir einen Artikel über Übersetzungen?", "Übersetzungen"),
        ("私のブログでデプロイについて書いた記事", "デプロイ"),
    ],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_an_accent_is_a_part_of_its_letter(
    query: str, subject: str, form: Literal["NFC", "NFD"]
) -> None:
    assert find_subject(unicodedata.normalize(form, query)) == unicodedata.normalize(form, subject)


@pytest.mark.parametrize("query", ["do we have a post about it?", "did I write about this?"])
def test_what_names_nothing_is_no_subject(query: str) -> None:
    assert find_subject(query) == query


def test_a_pasted_text_is_searched_for_as_it_stands() -> None:
    text = "find posts about " + "words " * MOST_WORDS
    assert find_subject(text) == text


@given(st.lists(st.sampled_from("abc?"), min_size=1, max_size=7), st.data())
def test_the_best_cut_is_the_best_of_all(words: list[str], data: st.DataObject) -> None:
    weights = st.integers(-9, 9).map(float)
    model = RequestModel(
        command="",
        commit="",
        fitted_on=(),
        words=frozenset("abc"),
        in_opening={f"0 {word}": data.draw(weights) for word in "abc?"},
        in_ending={f"1 {word}": data.draw(weights) for word in "abc^"},
        after_opening={f"1 {word}": data.draw(weights) for word in "abc?"},
        before_ending={f"0 {word}": data.draw(weights) for word in "abc?"},
        least_odds=data.draw(st.integers(0, 9).map(float)),
    )

    def weigh(first: int, last: int) -> float:
        known = ["^", *words, "$"]
        opening = sum(model.in_opening.get(f"0 {word}", 0.0) for word in words[:first])
        ending = sum(model.in_ending.get(f"1 {known[at]}", 0.0) for at in range(last, len(words)))
        start = model.after_opening.get(f"1 {words[first]}", 0.0) if first else 0.0
        end = model.before_ending.get(f"0 {known[last]}", 0.0) if last < len(words) else 0.0
        return opening + ending + start + end

    whole = (0, len(words))
    scores = {cut: weigh(*cut) for cut in combinations(range(len(words) + 1), 2)}
    scores[whole] += model.least_odds
    assert scores[find_cuts(words, model)] == max(scores.values())


def test_signs_at_the_edges_and_what_is_one_word_are_told_apart() -> None:
    words = [unit.word for unit in split_units("“KV cache” — 快取策略 2024, don’t.")]
    assert words == [
        '"',
        "kv",
        "cache",
        '"',
        "—",
        "_",
        "快",
        "取",
        "策",
        "略",
        "_",
        "0",
        ",",
        "don't",
    ]


def test_the_model_weighs_only_what_it_can_see() -> None:
    model = load_request_model()
    seen = model.words | {UNKNOWN, UNKNOWN_EAST_ASIAN, START, END}
    assert len(model.words) > 1000
    for windows, weights in (
        (WORD_WINDOWS, model.in_opening | model.in_ending),
        (CUT_WINDOWS, model.after_opening | model.before_ending),
    ):
        assert len(weights) > 1000
        for feature in weights:
            number, *words = feature.split(" ")
            assert len(words) == len(windows[int(number)])
            assert set(words) <= seen
