from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import STOPWORD_WEIGHT, Word, analyse_query


def weights(text: str, *languages: str) -> dict[str, float]:
    return {word.exact: word.weight for word in analyse_query(text, languages or ("en",)).words}


def test_a_query_is_its_words_in_order_without_repeats() -> None:
    assert analyse_query("Caches of the cache, CACHES!").words == (
        Word("caches", ("cach",), 1.0),
        Word("of", ("of",), STOPWORD_WEIGHT),
        Word("the", ("the",), STOPWORD_WEIGHT),
        Word("cache", ("cach",), 1.0),
    )


def test_an_identifier_is_asked_for_whole_and_in_parts() -> None:
    assert list(weights("read_chunk")) == ["read_chunk", "read", "chunk"]


def test_a_word_is_looked_up_by_its_stem_in_every_language_of_the_blog() -> None:
    [word] = analyse_query("Funktionen", ("en", "de", "fr")).words
    assert word == Word("funktionen", ("funktion", "funktionen"), 1.0)


def test_languages_that_stem_alike_cost_one_look_up() -> None:
    assert analyse_query("searching", ("zh-tw", "en", "en-gb", "ja")).words == (
        Word("searching", ("search",), 1.0),
    )


def test_function_words_weigh_little() -> None:
    assert weights("what is a KV cache") == {
        **dict.fromkeys(["what", "is", "a"], STOPWORD_WEIGHT),
        **dict.fromkeys(["kv", "cache"], 1.0),
    }


def test_pairs_with_grammar_in_them_weigh_little_in_both_scripts() -> None:
    expected = {
        "快取": 1.0,
        "取是": STOPWORD_WEIGHT,
        "是什": STOPWORD_WEIGHT,
        "什么": STOPWORD_WEIGHT,
    }
    assert weights("快取是什麼") == weights("快取是什么") == expected


def test_pairs_of_hiragana_weigh_little_and_katakana_is_a_word() -> None:
    assert weights("キャッシュとは", "ja") == {
        **dict.fromkeys(["キャ", "ャッ", "ッシ", "シュ", "ュと"], 1.0),
        "とは": STOPWORD_WEIGHT,
    }


@pytest.mark.parametrize("text", ["KV 的 cache 在 GPU 上", "KVのcacheをGPUに"])
def test_one_character_of_grammar_between_names_weighs_little(text: str) -> None:
    found = weights(text)
    assert [word for word, weight in found.items() if weight == 1.0] == ["kv", "cache", "gpu"]


@pytest.mark.parametrize("text", ["使用時間", "会社の使用時間は"])
def test_what_is_grammar_in_chinese_makes_words_in_japanese(text: str) -> None:
    assert weights(text, "ja-jp")["时间"] == weights(text, "ja")["使用"] == 1.0


def test_a_chinese_query_has_chinese_grammar_where_a_blog_has_both() -> None:
    word = analyse_query("使用时间", ("ja", "zh")).words[0]
    assert word == Word("使用", ("使用",), STOPWORD_WEIGHT)
    assert analyse_query("会社の使用時間は", ("ja", "zh")).words[3].weight == 1.0


@pytest.mark.parametrize("language", ["en", "en-us", "zh", "zh-tw", "de"])
def test_function_words_of_the_querys_own_language_weigh_little_on_any_blog(language: str) -> None:
    """Where the blog has none of them, they would be its rarest words."""
    found = weights("what is the cache of keys", language)
    assert [word for word, weight in found.items() if weight == 1.0] == ["cache", "keys"]


@pytest.mark.parametrize(
    ("language", "text", "own"),
    [
        ("de", "Warum sehe ich meine Auswahl nicht mehr?", ["sehe", "auswahl"]),
        ("es", "¿Por qué no puedo ver nada de nuestro estado?", ["ver", "estado"]),
        ("fr", "Pourquoi nous avons notre propre cache C?", ["propre", "cache", "c"]),
    ],
)
def test_what_any_sentence_is_made_of_weighs_little(
    language: str, text: str, own: list[str]
) -> None:
    assert [word for word, weight in weights(text, language).items() if weight == 1.0] == own


def test_function_words_of_the_blogs_language_weigh_little_in_any_query() -> None:
    assert weights("die Brücke", "de-at") == {"die": STOPWORD_WEIGHT, "brucke": 1.0}
    assert weights("die without error")["die"] == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "cache?",
        "快取？",
        "how does paging work",
        "Why is it slow",
        '"can it page',
        "wie groß ist der Speicher",
        "¿dónde está la caché",
        "comment vider le cache",
        "快取是什麼",
        "如何估計大小",
        "哪個比較快",
        "キャッシュとはどういう意味ですか",
        "The tests are slow. How do I run them in parallel",
        "Once names are kept as text, how long does it take",
        "If a package ships an executable, do its users need a compiler",
        "Many writes: is there a neat way",
        "查询跑太久，能不能自动掐掉",
        "内存会多占几倍",
    ],
)
def test_a_question_is_told_by_its_mark_or_its_words(text: str) -> None:
    assert analyse_query(text).is_question


@pytest.mark.parametrize(
    "text",
    [
        *(
            "island life",
            "KV cache",
            "showing whatever",
            "鍵值快取的大小",
            "read_chunk",
            "",
            "Wasm",
        ),
        *("Traits, how they work and when to use them", "几乎没有", "v1.2 does more"),
    ],
)
def test_what_only_looks_like_one_is_no_question(text: str) -> None:
    assert not analyse_query(text).is_question


@pytest.mark.parametrize(
    ("text", "languages", "is_foreign"),
    [
        ("wie kann ich das einrichten", ("en",), True),
        ("wie kann ich das einrichten", ("en", "de-at"), False),
        ("快取是什麼", ("en",), True),
        ("how do I set it up", ("zh-tw",), True),
        ("how do I set it up", ("en",), False),
        ("RUSTUP_LOG", ("zh-tw",), False),
    ],
)
def test_a_query_is_foreign_if_it_shows_a_language_that_the_blog_is_not_written_in(
    text: str, languages: tuple[str, ...], is_foreign: bool
) -> None:
    assert analyse_query(text, languages).is_foreign is is_foreign


@pytest.mark.parametrize(
    "text",
    [
        "Serving long contexts on one small card",
        "鍵值快取為長文節省重算注意力",
        "notes about keys and values in memory pages",
    ],
)
def test_running_text_is_prose(text: str) -> None:
    assert analyse_query(text).is_prose


@pytest.mark.parametrize(
    "text",
    [
        "long contexts card",
        "what is it that they have been here for",
        "鍵值快取的大小",
        "cache caches cached caching",
        "",
    ],
)
def test_few_words_of_their_own_are_no_prose(text: str) -> None:
    assert not analyse_query(text).is_prose


@pytest.mark.parametrize(
    "mark",
    [
        *["read_chunk", "faiss.IndexFlatIP", "src/main", "run(x)", "std::mem", "`ls`", "a=b"],
        *["--top-k", "-v", "indexFlat", "list[int]", "$HOME", "a@b", "#tag", "a|b", "x;"],
    ],
)
def test_a_mark_of_code_makes_a_text_no_prose(mark: str) -> None:
    text = "serving long contexts on one small card fails"
    assert analyse_query(text).is_prose
    assert not analyse_query(f"{text} {mark} today").is_prose


def test_a_full_stop_and_a_hyphen_are_no_marks_of_code() -> None:
    assert analyse_query("Serving long-lived contexts. One small card is enough.").is_prose


@settings(deadline=None)
@given(
    st.text(alphabet=st.characters(), max_size=60),
    st.lists(st.sampled_from(["en", "de", "zh-tw", "pt-br", "", "xx"]), max_size=3),
)
def test_any_text_is_a_query(text: str, languages: list[str]) -> None:
    query = analyse_query(text, languages)
    assert query.text == text
    assert len(set(query.words)) == len(query.words)
    assert all(word.stems and word.weight in (STOPWORD_WEIGHT, 1.0) for word in query.words)
