import pytest

from blog_search_mcp.index.text.query import (
    STOPWORD_WEIGHT,
    Word,
    analyze_query,
    find_named_posts,
    index_names,
)


def content(text: str, *languages: str) -> list[str]:
    """The words of a query that are no grammar."""
    words = analyze_query(text, languages or ("en",)).words
    return [word.exact for word in words if word.weight == 1.0]


def test_a_query_is_its_words_in_order_without_repeats() -> None:
    assert analyze_query("Caches of the cache, CACHES!").words == (
        Word("caches", ("cach",), 1.0),
        Word("of", ("of",), STOPWORD_WEIGHT),
        Word("the", ("the",), STOPWORD_WEIGHT),
        Word("cache", ("cach",), 1.0),
    )


@pytest.mark.parametrize(
    ("languages", "word", "stems"),
    [
        (("en", "de", "fr"), "Funktionen", ("funktion", "funktionen")),
        (("zh-tw", "en", "en-gb", "ja"), "searching", ("search",)),
    ],
)
def test_a_word_is_looked_up_by_its_stem_in_every_language_of_the_blog(
    languages: tuple[str, ...], word: str, stems: tuple[str, ...]
) -> None:
    assert analyze_query(word, languages).words == (Word(word.lower(), stems, 1.0),)


@pytest.mark.parametrize(
    ("languages", "text", "words"),
    [
        ("en", "what is a KV cache", "kv cache"),
        ("en", "快取是什麼", "快取"),
        ("en", "快取是什么", "快取"),
        ("ja", "キャッシュとは", "キャ ャッ ッシ シュ ュと"),
        ("en", "KV 的 cache 在 GPU 上", "kv cache gpu"),
        ("en", "KVのcacheをGPUに", "kv cache gpu"),
        ("ja-jp", "使用時間", "使用 用时 时间"),
        ("zh-tw", "what is the cache of keys", "cache keys"),
        ("de", "what is the cache of keys", "cache keys"),
        ("de", "Warum sehe ich meine Auswahl nicht mehr?", "sehe auswahl"),
        ("fr", "Pourquoi nous avons notre propre cache C?", "propre cache c"),
        ("de-at", "die Brücke", "brucke"),
        ("en", "die without error", "die error"),
    ],
)
def test_function_words_of_the_query_and_of_the_blog_weigh_little(
    languages: str, text: str, words: str
) -> None:
    assert content(text, *languages.split()) == words.split()


@pytest.mark.parametrize(
    "text",
    [
        *("cache?", "快取？", "how does paging work", "Why is it slow", '"can it page'),
        *("wie groß ist der Speicher", "¿dónde está la caché", "comment vider le cache"),
        *("快取是什麼", "如何估計大小", "哪個比較快", "キャッシュとはどういう意味ですか"),
        *("The tests are slow. How do I run them in parallel", "内存会多占几倍"),
        *("If a package ships an executable, do its users need a compiler",),
        *("Many writes: is there a neat way", "查询跑太久，能不能自动掐掉"),
    ],
)
def test_a_question_is_told_by_its_mark_or_its_words(text: str) -> None:
    assert analyze_query(text).is_question


@pytest.mark.parametrize(
    "text",
    [
        *("island life", "KV cache", "showing whatever", "鍵值快取的大小", "read_chunk", ""),
        *("Traits, how they work and when to use them", "几乎没有", "v1.2 does more"),
    ],
)
def test_what_only_looks_like_one_is_no_question(text: str) -> None:
    assert not analyze_query(text).is_question


PROSE = "serving long contexts on one small card fails"
CODE = (
    *("read_chunk", "faiss.IndexFlatIP", "src/main", "run(x)", "std::mem", "`ls`", "a=b"),
    *("--top-k", "-v", "indexFlat", "list[int]", "$HOME", "a@b", "#tag", "a|b", "x;"),
)


@pytest.mark.parametrize(
    ("text", "is_prose"),
    [
        *[(text, True) for text in (PROSE, "鍵值快取為長文節省重算注意力")],
        ("Serving long-lived contexts. One small card is enough.", True),
        *[(text, False) for text in ("long contexts card", "鍵值快取的大小", "")],
        ("what is it that they have been here for", False),
        ("cache caches cached caching", False),
        *[(f"{PROSE} {mark} today", False) for mark in CODE],
    ],
)
def test_running_text_without_a_mark_of_code_is_prose(text: str, is_prose: bool) -> None:
    assert analyze_query(text).is_prose is is_prose


TITLES = index_names(enumerate(["RAG", "What is a KV cache?", "C++", "C", "rag", "記憶體", "…"]))
RAG = (
    *("RAG", " rag. ", "ＲＡＧ", "什么是RAG", "RAG 是什麼？", "RAGとは", "RAG とは何ですか？"),
    *("What's a RAG?", "Was ist RAG?", "¿Qué es RAG?", "Qu'est-ce que RAG ?"),
)


@pytest.mark.parametrize(
    ("query", "posts"),
    [
        *[(query, [0, 4]) for query in RAG],
        ("what is a KV cache?", [1]),
        ("what is C++", [2]),
        ("C", [3]),
        ("什麼是记忆体？", [5]),
        *[(query, []) for query in ("RAG pipelines", "what is", "…", "")],
    ],
)
def test_a_title_is_known_alone_and_inside_a_question(query: str, posts: list[int]) -> None:
    assert [*find_named_posts(TITLES, query)] == posts
