"""Which texts a model of the package can read, by its vocabulary."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.embedders.packaged import (
    E5,
    ENGLISH_MODEL,
    ENGLISH_SHARE,
    FOREIGN_SHARE,
    english_coverage,
    load_tokenizer,
    script_coverage,
)


def test_english_is_readable_and_what_the_vocabulary_lacks_is_not() -> None:
    texts = ["What is a KV cache?", "def f(x): return x + 1", "這邊買醬鴨", "word 嗎", ""]
    assert english_coverage(texts) == [1.0, 1.0, 0.0, pytest.approx(1 / 6), 0.0]


@given(
    st.text(alphabet=st.one_of(st.characters(), st.sampled_from("aéß .,-#[]快\t\x1c")), max_size=60)
)
@example("A:¹")
@settings(deadline=None)
def test_words_are_known_by_themselves_as_they_are_within_their_text(text: str) -> None:
    text = text.encode("utf-8", "replace").decode().replace("[", "(")  # [MASK] is a piece
    pieces = load_tokenizer(ENGLISH_MODEL).encode(text, add_special_tokens=False).tokens
    spoken = [
        (piece, following.startswith("##"))
        for piece, following in pairwise([*pieces, ""])
        if not piece.startswith("##") and (piece == "[UNK]" or any(map(str.isalpha, piece)))
    ]
    known = [re.fullmatch("[a-z]+", piece) and not goes_on for piece, goes_on in spoken]
    share = sum(map(bool, known)) / len(known) if known else 0.0
    assert english_coverage([text]) == [
        min(max((share - FOREIGN_SHARE) / (ENGLISH_SHARE - FOREIGN_SHARE), 0.0), 1.0)
    ]


WRITTEN = {
    "What is a KV cache?": 1.0,
    "什麼是快取？ㄅㄆㄇ": 1.0,
    "キャッシュとは何ですか": 1.0,
    "캐시란 무엇입니까": 1.0,
    "Что такое кэш": 1.0,
    "Τι είναι η κρυφή μνήμη": 1.0,
    "Größe, château, ångström, ı": 1.0,
    "ما هي الذاكرة": 0.0,
    "מהו זיכרון מטמון": 0.0,
    "แคชคืออะไร": 0.0,
    "कैश क्या है": 0.0,
    "cafe ما هي": 0.5,
    "2026-11-22 → 42 🎉": 0.0,
    "": 0.0,
}


def test_the_multilingual_model_reads_the_scripts_of_europe_and_east_asia() -> None:
    assert dict(zip(WRITTEN, script_coverage(list(WRITTEN)), strict=True)) == WRITTEN


def test_letters_count_as_read_where_the_vocabulary_has_them() -> None:
    for text, coverage in WRITTEN.items():
        assert (3 in E5.encode(text)) == (coverage < 1.0 and any(map(str.isalpha, text)))
