import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.index.posts.text import Decoded, decode

CHINESE = "向量檢索把文字變成數字，再比較它們之間的距離。\n關鍵字檢索則計算詞語出現的次數。\n"
SIMPLIFIED = "向量检索把文字变成数字，再比较它们之间的距离。\n关键词检索则计算词语出现的次数。\n"
JAPANESE = (
    "ベクトル検索は文章を数字に変えて、その距離を比べます。\n全文検索は言葉の出現回数を数えます。\n"
)
KOREAN = "벡터 검색은 글을 숫자로 바꾸어 거리를 비교합니다.\n전문 검색은 단어의 빈도를 셉니다.\n"
RUSSIAN = "Векторный поиск превращает текст в числа и сравнивает расстояния между ними.\n"
GERMAN = "Wir wünschen allen Lesern ein schönes neues Jahr, und größere Übersicht.\n"


def test_utf8_is_read_as_it_is() -> None:
    assert decode(CHINESE.encode()) == Decoded(CHINESE, "utf-8")


def test_an_empty_file_is_an_empty_text() -> None:
    assert decode(b"") == Decoded("", "utf-8")


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_decides_and_is_dropped(mark: bytes, encoding: str) -> None:
    data = mark + JAPANESE.encode(encoding)
    assert decode(data) == Decoded(JAPANESE, encoding)


def test_a_doubled_byte_order_mark_is_dropped_whole() -> None:
    data = codecs.BOM_UTF8 * 2 + b"text"
    assert decode(data) == Decoded("text", "utf-8")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [CHINESE, GERMAN])
def test_utf16_without_a_mark_is_known_by_its_zeros(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == Decoded(text, encoding)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE, "big5hkscs"),
        (SIMPLIFIED, "gb18030"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "cp949"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (GERMAN, "cp1252"),
    ],
)
def test_legacy_encodings_are_told_apart(text: str, encoding: str) -> None:
    data = (text * 3).encode(encoding)
    assert decode(data) == Decoded(text * 3, encoding)


def test_an_english_post_with_one_western_byte_is_western() -> None:
    data = b"The caf\xe9 was closed on Monday, and nobody minded.\n"
    text = "The café was closed on Monday, and nobody minded.\n"
    assert decode(data) == Decoded(text, "cp1252")


def test_a_bad_byte_in_utf8_costs_one_character_and_is_counted() -> None:
    data = "好".encode() * 20 + b"\xff" + "壞".encode() * 20
    text = "好" * 20 + "\ufffd" + "壞" * 20
    assert decode(data) == Decoded(text, "utf-8", repaired=1)


def test_a_post_cut_inside_a_character_is_still_utf8() -> None:
    data = ("好" * 20).encode()[:-1]
    assert decode(data) == Decoded("好" * 19 + "\ufffd", "utf-8", repaired=1)


def test_a_replacement_character_the_author_wrote_is_not_a_repair() -> None:
    data = "the character \ufffd stands for what is lost".encode()
    assert decode(data).repaired == 0


def test_nul_becomes_the_replacement_character() -> None:
    expected = Decoded("one\ufffdtwo", "utf-8", repaired=1)
    assert decode(b"one\x00two") == expected


def test_all_line_endings_become_line_feeds() -> None:
    data = b"one\r\ntwo\rthree\n\r\nfour\x0cfive\xe2\x80\xa8six"
    assert decode(data).text == "one\ntwo\nthree\n\nfour\x0cfive\u2028six"


def test_terminal_colours_are_text() -> None:
    assert decode(b"\x1b[31mred\x1b[0m\x07").text == "\x1b[31mred\x1b[0m\x07"


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
        b"PK\x03\x04" + bytes(400),
        bytes(range(31)) * 31,
    ],
)
def test_a_binary_file_is_refused_as_such(data: bytes) -> None:
    with pytest.raises(
        UnreadablePost,
        match=r"^it is not text but a binary file; rename it, or name it in a .blogignore$",
    ):
        decode(data)


def test_a_mark_that_lies_is_refused() -> None:
    with pytest.raises(UnreadablePost, match=r"^it is marked as UTF-32-LE but is not; save it as"):
        decode(codecs.BOM_UTF32_LE + b"plain text that is not what its mark says")


def test_bytes_of_no_known_encoding_are_refused() -> None:
    with pytest.raises(UnreadablePost, match=r"^its encoding cannot be told; save it as UTF-8$"):
        decode(b"\x98\xff\xa0\x80\xff\x98 " * 9)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00\ufeff")))
@settings(max_examples=100)
def test_utf8_goes_there_and_back(text: str) -> None:
    marked = codecs.BOM_UTF8 + text.encode()
    assert decode(marked) == Decoded(text, "utf-8")


@given(st.binary(max_size=400))
@settings(max_examples=100)
def test_any_bytes_are_text_or_unreadable(data: bytes) -> None:
    try:
        decoded = decode(data)
    except UnreadablePost:
        return
    assert "\r" not in decoded.text
    assert decoded.text.encode("utf-8").decode("utf-8") == decoded.text


def test_halves_of_surrogate_pairs_are_utf8_with_a_fault() -> None:
    assert decode(b"lone \xed\xa0\x80 half") == Decoded(
        "lone \ufffd\ufffd\ufffd half", "utf-8", repaired=3
    )
