from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.languages import (
    STEMMED,
    language_of,
    stemmer_of,
)

SENTENCES = {
    "en": "The keys of every token are kept, so that the next one costs less than the first.",
    "de": "Die Schlüssel werden behalten, damit das nächste Wort nicht noch einmal so viel kostet.",
    "es": "Las claves se guardan en la memoria para que el siguiente paso no cueste tanto.",
    "fr": "Les clés sont gardées en mémoire pour que la suite ne coûte pas aussi cher.",
    "it": "Le chiavi sono tenute in memoria perché il passo che segue non costi di più.",
    "nl": "De sleutels worden bewaard, zodat het volgende woord niet nog een keer zo veel kost.",
    "pt": "As chaves são guardadas na memória para que o próximo passo não custe mais.",
    "ru": "Ключи остаются в памяти, чтобы следующий шаг не стоил так же дорого, как первый.",
    "sv": "Nycklarna sparas i minnet så att nästa steg inte ska kosta lika mycket som det första.",
    "zh": "每個詞元的鍵與值都會保留下來，所以下一個詞元不必重算注意力。",
    "ja": "トークンごとのキーと値を残しておくので、次の計算はずっと安くなります。",
    "ko": "토큰마다 키와 값을 남겨 두기 때문에 다음 계산은 훨씬 싸다.",
}


@pytest.mark.parametrize(("language", "sentence"), SENTENCES.items())
def test_a_sentence_tells_its_language(language: str, sentence: str) -> None:
    assert language_of(sentence) == language


@pytest.mark.parametrize("language", ["de", "es", "fr", "it", "pt", "ru", "zh"])
def test_technical_words_do_not_hide_the_language(language: str) -> None:
    names = "KV cache, prompt, faiss.IndexFlatIP and read_chunk"
    assert language_of(f"{SENTENCES[language]} ({names}) {SENTENCES[language]}") == language


@pytest.mark.parametrize(
    "text", ["", " ", "!!!", "\ud83e", "12345", "read_chunk OLLAMA_HOST", "async await yield"]
)
def test_a_text_without_function_words_has_no_language(text: str) -> None:
    assert language_of(text) == ""


NAMES = """AI|AI safety|OS|OS threads|man pages|IO|IO errors|I/O|async I/O|io_uring|CI/CD|du df|ES6
es modules|DE vs WM|Os X|si units|se linux|sur|par iter|del statement|nonlocal var|den server|i e
ne operator|war stories|die rolls|use per package|per user limits|un GA assembly|e2e tests|no std
de facto standard|la la land|la jolla|el capitan|van Rossum|ma bell|te reo|ad blocker|per-user de
git remote origin|KV cache|Token|Transformer|Rust 2021|let else|go mod tidy|x y o e a""".replace(
    "\n", "|"
).split("|")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_or_an_abbreviation_is_in_no_language(name: str) -> None:
    assert language_of(name) == ""


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("what is RAG?", "en"),
        ("where is the error", "en"),
        ("Was ist RAG?", "de"),
        ("Wie funktioniert ein KV-Cache?", "de"),
        ("Fehler bei der Installation", "de"),
        ("für OS threads", "de"),
        ("Pourquoi mon test est lent ?", "fr"),
        ("Comment fonctionne le cache", "fr"),
        ("¿Qué es un token?", "es"),
        ("por qué no funciona la búsqueda", "es"),
        ("Che cos'è un token?", "it"),
        ("Come si installa il pacchetto", "it"),
        ("O que é um token?", "pt"),
        ("por que não funciona a busca", "pt"),
        ("Wat is een token?", "nl"),
        ("Hoe werkt de cache", "nl"),
        ("Vad är en token?", "sv"),
        ("Что такое токен?", "ru"),
        ("почему так медленно", "ru"),
        ("什麼是 RAG？", "zh"),
        ("KV cache", ""),
        ("KV cache 是什麼", "zh"),
        ("キャッシュとは", "ja"),
        ("非同期 I/O の使い方", "ja"),
        ("비동기 I/O", "ko"),
    ],
)
def test_a_question_shows_its_language(query: str, language: str) -> None:
    assert language_of(query) == language


@pytest.mark.parametrize(
    "query",
    [
        "la gestion de la mémoire",
        "os erros de compilação",
        "Datei nicht gefunden",
        "AI in der Cloud",
    ],
)
def test_words_that_two_languages_share_or_one_word_alone_name_none(query: str) -> None:
    assert language_of(query) == ""


@pytest.mark.parametrize(
    "sentence",
    [
        "Klucze każdego tokenu zostają zapamiętane, więc kolejny krok kosztuje mniej. ",
        "คีย์ของทุกโทเค็นจะถูกเก็บไว้ ดังนั้นขั้นต่อไปจึงใช้เวลาน้อยกว่าขั้นแรก ",
        "يتم الاحتفاظ بمفاتيح كل رمز بحيث تكون الخطوة التالية أرخص من الخطوة الأولى. ",
    ],
)
def test_running_text_in_a_language_without_a_list_is_undetermined(sentence: str) -> None:
    assert language_of(sentence * 6) == "und"
    assert stemmer_of("und") == "en"


def test_the_larger_part_decides_between_scripts() -> None:
    english = SENTENCES["en"]
    assert language_of(f"{english} {english} 快取的鍵與值。") == "en"
    assert language_of(f"{SENTENCES['zh']} the cache of it") == "zh"


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_code_does_not_hide_the_language_it_is_explained_in(language: str) -> None:
    code = "const answer = await fetch(address);\nif (e) print(answer, es);\n" * 4
    assert language_of(f"{SENTENCES[language]}\n\n{code}\n\n{SENTENCES[language]}") == language


def test_a_few_kana_among_chinese_do_not_make_it_japanese() -> None:
    assert language_of(SENTENCES["zh"] + "の") == "zh"


@settings(deadline=None)
@given(st.text(alphabet=st.characters(), max_size=60))
def test_any_text_has_a_language_or_none(text: str) -> None:
    assert language_of(text) in {*STEMMED, "zh", "ja", "ko", "und", ""}


@pytest.mark.parametrize(
    ("tag", "stemmer"),
    [
        ("de", "de"),
        ("pt-br", "pt"),
        ("en-GB", "en"),
        ("NB", "no"),
        ("zh-tw", "en"),
        ("", "en"),
        ("tlh", "en"),
    ],
)
def test_the_language_alone_of_a_tag_decides_the_stemmer(tag: str, stemmer: str) -> None:
    assert stemmer_of(tag) == stemmer
