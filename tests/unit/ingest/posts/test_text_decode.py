"""Which text a file's bytes are, and which are none."""

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.ingest.posts.front_matter import decode

CHINESE = "向量檢索把文字變成數字，再比較它們之間的距離。\n關鍵字檢索則計算詞語出現的次數。\n"
SIMPLIFIED = "向量检索把文字变成数字，再比较它们之间的距离。\n关键词检索则计算词语出现的次数。\n"
JAPANESE = (
    "ベクトル検索は文章を数字に変えて、その距離を比べます。\n全文検索は言葉の出現回数を数えます。\n"
)
KOREAN = "벡터 검색은 글을 숫자로 바꾸어 거리를 비교합니다.\n전문 검색은 단어의 빈도를 셉니다.\n"
GERMAN = "Wir wünschen allen Lesern ein schönes neues Jahr, und größere Übersicht.\n"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_decides_and_is_dropped(mark: bytes, encoding: str) -> None:
    assert decode(mark + JAPANESE.encode(encoding)) == (JAPANESE, encoding, 0)


@pytest.mark.parametrize(
    ("text", "encodings"),
    [
        (CHINESE, "big5hkscs"),
        (SIMPLIFIED, "gb18030"),
        (JAPANESE, "cp932 euc_jp iso2022_jp iso2022_jp_2"),
        ("ﾊﾝｶｸ の カナ\n", "iso2022_jp_ext"),
        (KOREAN, "cp949 iso2022_kr"),
        (
            "Żółwie jedzą sałatę, a źrebięta piją wodę ze źródła pod dębem.",
            "cp1250 iso8859_2 cp852",
        ),
        ("Želvy žerou salát a hříbata pijí vodu z pramene pod dubem.", "cp1250 iso8859_2"),
        ("A teknősök salátát esznek, a csikók a tölgyfa tövében ülő nőt nézik.", "cp1250"),
        ("Οι χελώνες τρώνε μαρούλι και τα πουλάρια πίνουν νερό.", "cp1253 iso8859_7"),
        ("Черепахи едят салат, а жеребята пьют воду.", "cp1251 koi8_r cp866 iso8859_5"),
        ("Черепахи їдять салат, а лошата п'ють воду з джерела.", "cp1251 koi8_u"),
        ("Kaplumbağalar marul yiyor, taylar meşe ağacının altında su içiyor.", "cp1254"),
        ("הצבים אוכלים חסה והסייחים שותים מים מהמעיין.", "cp1255"),
        ("السلاحف تأكل الخس والمهور تشرب الماء من النبع.", "cp1256"),
        ("Rīgā šodien ir saulains laiks un jūra ir silta.", "cp1257"),
        (GERMAN, "cp1252 cp850"),
        ("The café was closed on Monday, and nobody minded.\n", "cp1252"),
        ("“Turtles” don’t eat naïve Ångströms – they prefer crème brûlée.", "cp1252"),
    ],
)
def test_encodings_are_told_apart_by_what_a_language_would_have(text: str, encodings: str) -> None:
    for encoding in encodings.split():
        assert decode((text * 3).encode(encoding))[0] == text * 3


@pytest.mark.parametrize(
    ("data", "text", "repaired"),
    [
        ("好".encode() * 20 + b"\xff" + "壞".encode() * 20, f"{'好' * 20}\ufffd{'壞' * 20}", 1),
        (("好" * 20).encode()[:-1], f"{'好' * 19}\ufffd", 1),
        ("\ufffd stands for what is lost".encode(), "\ufffd stands for what is lost", 0),
        (b"one\x00two", "one\ufffdtwo", 1),
        (b"one\r\ntwo\rthree\n\r\nfour\x0cfive", "one\ntwo\nthree\n\nfour\x0cfive", 0),
        (b"\x1b[31mred\x1b[0m\x07", "\x1b[31mred\x1b[0m\x07", 0),
    ],
)
def test_damaged_utf8_costs_a_character_and_is_counted(
    data: bytes, text: str, repaired: int
) -> None:
    assert decode(data) == (text, "utf-8", repaired)


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
        b"PK\x03\x04" + bytes(400),
        GERMAN.encode("utf-16-le"),
    ],
)
def test_what_is_no_text_of_a_known_encoding_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadablePost):
        decode(data)


@given(st.binary(max_size=400))
@settings(max_examples=100)
def test_any_bytes_are_text_or_unreadable(data: bytes) -> None:
    try:
        text, *_ = decode(data)
    except UnreadablePost:
        return
    assert "\r" not in text
    assert text.encode("utf-8").decode("utf-8") == text
