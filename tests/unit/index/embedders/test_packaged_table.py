"""Pieces that are looked up for a text are those that the whole vocabulary cuts it into."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.export_e5 import write_pieces

from blog_search_mcp.index.embedders.packaged import (
    E5,
    LONGEST_PIECE,
    MODELS,
    OnnxEmbedder,
    encode_by_table,
)
from tests.support.python import output_of

MODEL = E5.identity.model

WORDS = (
    *("how does a hash map grow?", "什麼是 KV cache？", "記憶體", "内存", "シリアライズ", "ｻｰﾊﾞｰ"),
    *("Größenänderung", "naïveté", "привет", "안녕하세요", "--rebuild", "ORA-00942", "2026-11-23"),
    *("▁", " ", "  ", "\n", "\x00", "مرحبا", "สวัสดี", "𠮷", "👩‍💻", "\ud800"),
)
"""Of scripts that the vocabulary has, of some that it lacks, and what has a part in its files."""

TEXTS = st.lists(st.sampled_from(WORDS) | st.text(max_size=12)).map("".join)


@given(TEXTS)
def test_a_text_has_the_pieces_that_the_whole_vocabulary_gives_it(text: str) -> None:
    assert E5.encode(text, looks_up=True) == E5.encode(text)


def test_the_table_holds_the_pieces_of_the_tokenizer() -> None:
    described = json.loads((MODELS / MODEL / "tokenizer.json").read_text(encoding="utf-8"))
    with closing(sqlite3.connect(MODELS / MODEL / "pieces.db")) as table:
        rows = table.execute("SELECT piece, score FROM pieces ORDER BY id").fetchall()
    assert rows == [(piece, score) for piece, score in described["model"]["vocab"]]
    assert max(len(piece) for piece, _ in rows) == LONGEST_PIECE


def test_a_table_written_anew_cuts_likewise(tmp_path: Path) -> None:
    tokenizer = (MODELS / MODEL / "tokenizer.json").read_text(encoding="utf-8")
    write_pieces(tmp_path / "pieces.db", tokenizer)
    pieces = [35447, 12, 25666, 31, 7174]
    assert encode_by_table(tmp_path / "pieces.db", "passage: hello world") == pieces


def test_a_query_has_the_same_vector_before_and_after_the_vocabulary_is_loaded() -> None:
    embedder = OnnxEmbedder(E5)
    before = embedder.embed_query("什麼是 KV cache？")
    embedder.embed_documents(["word"])
    assert (embedder.embed_query("什麼是 KV cache？") == before).all()


@pytest.mark.parametrize(("query", "loaded"), [("what is a map?", 0), ("map " * 5001, 1)])
def test_queries_load_no_vocabulary(query: str, loaded: int) -> None:
    code = (
        "from blog_search_mcp.index.embedders.packaged import E5, OnnxEmbedder, load_tokenizer\n"
        "embedder = OnnxEmbedder(E5)\n"
        f"embedder.embed_query({query!r})\n"
        "print(load_tokenizer.cache_info().currsize)\n"
    )
    assert output_of(code) == f"{loaded}\n"
