import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.text.tokenizer import fold, index_terms, name_key, spell_words, terms

ANY_TEXT = st.text(alphabet=st.characters(), max_size=80)
"""Of any code point, halves of surrogate pairs among them."""


def exacts(text: str, language: str = "en") -> list[str]:
    return [term.exact for term in terms(text, language)]


def stems(text: str, language: str = "en") -> list[str]:
    return [term.stem for term in terms(text, language)]


TERMS = {
    "faiss.IndexFlatIP": "faissindexflatip faiss indexflatip index flat ip",
    "OLLAMA_HOST": "ollamahost ollama host",
    "--top-k": "topk top k",
    "C++ or C#": "c++ c or c# c",
    "C/C++20 in .NET": "cc++ c c++ c 20 in .net net",
    "std::mem::swap": "stdmem std memswap mem swap",
    "src/main.rs": "srcmain src mainrs main rs",
    "HTTPServer2": "httpserver2 http server 2",
    "v1.25 go1.25.1rc2": "1 1.25 go 1 1.25 1.25.1 rc2 rc 2",
    "1,250,000 1.250,5 12,50,000 3,14 0.125": "1250000 1250 1250.5 1250000 3 14 3.14 0 0.125",
    "k8s on B2B": "k8s on b2b",
    "© 30 €": "© 30 €",
    "01.05.2024": "01 05 2024",
    "2024-05-01": "20240501 2024.05 2024 05.01 05 01",
    "Möbius": "mobius moebius",
    "Use faiss. It reads (quickly): __init__, a/b/.": "use faiss it reads quickly init ab a b",
    "don't": "don",
    "we'll they're I'm": "we they i",
    "rock’n’roll": "rock n roll",
    "l'eau d’été": "l eau d ete",
    "'tis": "tis",
    "鍵值快取": "键值 值快 快取",
    "快": "快",
    "快取。鍵": "快取 键",
    "ภาพเขียว": "ภา าพ พเ เขี ขีย ยว",
    "カタカナ": "カタ タカ カナ",
    "데이터": "데이 이터",
    "KV快取map": "kv 快取 map",
    "人々": "人々",
    "𠮷野家": "𠮷野 野家",
    "コピーとキー": "コピ ピー ーと とキ キー",
    "エラーログ": "エラ ラー ーロ ログ",
    "よーーー": "よー ーー ーー",
}


@pytest.mark.parametrize(("text", "expected"), TERMS.items())
def test_identifiers_give_their_parts_and_scripts_without_spaces_pairs(
    text: str, expected: str
) -> None:
    assert exacts(text) == expected.split()


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Café", "cafe"),
        ("cafe\u0301", "cafe"),
        ("ＫＶ", "kv"),
        ("ﬁle", "file"),
        ("İstanbul", "istanbul"),
        ("Ёлка", "елка"),
        ("ﷺ", "صلياللهعليهوسلم"),
    ],
)
def test_case_width_accents_and_chinese_script_are_folded(written: str, plain: str) -> None:
    assert fold(written) == fold(plain) == plain


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ｻｰﾊﾞｰへﾃﾞｰﾀ", "サーバーへデータ"),
        ("か\u3099きﾊﾟ", "がきパ"),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165", "한국어"),
        ("サーバーの設定", "サーバの設定"),
        ("リクエスト・レスポンス", "リクエスト レスポンス"),
    ],
)
def test_east_asian_text_has_the_same_terms_however_it_is_spelled(one: str, other: str) -> None:
    assert stems(one) == stems(other)
    assert exacts(one) == exacts(other)


def test_a_term_stands_for_the_marks_of_its_characters_too() -> None:
    text = "xｻｰﾊﾞｰの"
    assert [text[term.start : term.end] for term in terms(text)] == ["x", "ｻｰ", "ｰﾊﾞｰ", "ﾊﾞｰの"]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "searching caches", "search cache"),
        ("de-at", "Hauses Buches", "Haus Buch"),
        ("es", "búsquedas funciones", "búsqueda función"),
        ("fr", "recherches modèles", "recherche modèle"),
        ("pt", "informações", "informação"),
        ("nb", "husene", "hus"),
        ("zh-tw", "searching", "search"),
    ],
)
def test_inflected_words_share_a_stem_by_the_rules_of_their_language(
    language: str, one: str, other: str
) -> None:
    assert stems(one, language) == stems(other, language)
    assert exacts(one, language) != exacts(other, language)


@given(st.one_of(ANY_TEXT, st.text(alphabet="aB3'’.#_- 快取キャ", max_size=40)))
@settings(deadline=None)
def test_terms_of_any_text_are_words_of_it_and_those_of_the_index(text: str) -> None:
    found = [*terms(text, "de")]
    assert index_terms(text, "de").split() == [term.stem for term in found]
    assert all(text[term.start : term.end].strip() for term in found)


def test_marks_case_and_width_do_not_make_another_name() -> None:
    assert name_key("KV-Cache: Ｗhy?") == name_key("kv cache why") == "kvcachewhy"


@pytest.mark.parametrize(
    ("words", "text", "holds"),
    [
        ("pip install -e", "Run `pip install -e .` first.", True),
        ("pip install -e", "Run pip install example.", False),
        ("art", "A good start.", False),
        ("MAX_SIZE=10", "max size = 10", True),
        ("无法开启", "系統說「無法開啟」。", True),
        ("KV cache", "ＫＶ　Cache的用途", True),
    ],
)
def test_a_text_holds_the_words_of_another_in_their_order(
    words: str, text: str, holds: bool
) -> None:
    assert (spell_words(words) in spell_words(text)) is holds
