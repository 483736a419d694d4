"""The models in the package: their files, what they read, and the vectors they give."""

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.embedders.fingerprint import TEXTS as FINGERPRINT
from blog_search_mcp.index.embedders.fingerprint import pack_vectors, usual_cosine
from blog_search_mcp.index.embedders.packaged import (
    E5,
    MINILM,
    MODELS_FOLDER,
    PACKAGED,
    TOKENIZERS,
    OnnxEmbedder,
    english_coverage,
    load_tokenizer,
    script_coverage,
)
from blog_search_mcp.index.types import Fingerprint
from tests.support.paths import ROOT
from tests.support.python import output_of

REFERENCE = ROOT / "tests" / "data" / "minilm_reference.json"
"""Texts with the vectors that the float32 weights and the shipped int8 file give them."""


@pytest.mark.parametrize("model", PACKAGED)
def test_the_files_are_the_ones_their_readme_names(model: str) -> None:
    folder = MODELS_FOLDER / model
    readme = (MODELS_FOLDER / "README.md").read_text(encoding="utf-8")
    names = {path.name for path in folder.iterdir()} - {"LICENSE", "embedder.json"}
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    assert {name for name in names if digests[name] not in readme} == set()
    assert digests["model.onnx"] == PACKAGED[model].identity.digest
    assert "Licen" in (folder / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "Full width"),
        ("e\u0301te\u0301", "été"),
        ("ﬁle", "file"),
        ("one\n\ntwo\t three", "one two three"),
        ("half \ud83d pair", "half ? pair"),
    ],
)
def test_what_looks_alike_has_the_same_pieces(text: str, same: str) -> None:
    assert E5.encode(text) == E5.encode(same)


WORDS = (
    *("how does a hash map grow?", "什麼是 KV cache？", "記憶體", "内存", "シリアライズ", "ｻｰﾊﾞｰ"),
    *("Größenänderung", "naïveté", "привет", "안녕하세요", "--rebuild", "ORA-00942", "2026-11-23"),
    *("▁", " ", "  ", "\n", "\x00", "مرحبا", "สวัสดี", "𠮷", "👩‍💻", "\ud800"),
)
"""Of scripts that the vocabulary has, of some that it lacks, and what has a part in its files."""

VOCABULARY = load_tokenizer(E5.identity.model)


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=12)).map("".join))
def test_pieces_that_are_looked_up_are_those_of_the_whole_vocabulary(text: str) -> None:
    TOKENIZERS.pop(E5.identity.model, None)
    looked_up = E5.encode(text)
    TOKENIZERS[E5.identity.model] = VOCABULARY
    assert looked_up == E5.encode(text)


ENGLISH = {
    "What is a KV cache?": 1.0,
    "def f(x): return x + 1": 1.0,
    "這邊買醬鴨": 0.0,
    "word 嗎": pytest.approx(1 / 6),
    "half \ud83d pair": 1.0,
    "": 0.0,
}
SCRIPTS = {
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


def test_what_a_vocabulary_covers_can_be_read() -> None:
    assert dict(zip(ENGLISH, english_coverage(list(ENGLISH)), strict=True)) == ENGLISH
    assert dict(zip(SCRIPTS, script_coverage(list(SCRIPTS)), strict=True)) == SCRIPTS
    for text, coverage in SCRIPTS.items():
        has_unknown = 3 in E5.encode(text)
        assert has_unknown == (coverage < 1.0 and any(map(str.isalpha, text)))


@pytest.mark.parametrize(
    ("call", "unwanted"),
    [
        ("registry.preload('ollama all-minilm')", "onnxruntime numpy httpx ollama"),
        ("registry.open_embedder(packaged.MINILM.identity, '', waits=False)", "httpx ollama"),
        ("packaged.E5.embed_query('what is a map?')", "httpx ollama"),
    ],
)
def test_what_an_index_or_a_query_does_not_need_is_not_loaded(call: str, unwanted: str) -> None:
    code = "import sys; from blog_search_mcp.index.embedders import packaged, registry"
    code += f"; {call}; print(set({unwanted!r}.split()) & set(sys.modules), packaged.TOKENIZERS)"
    assert output_of(code) == "set() {}\n"


@pytest.mark.parametrize(("column", "least"), [("int8", 0.999), ("float32", 0.97)])
def test_vectors_are_those_of_the_reference(column: str, least: float) -> None:
    """A wrong tokenizer, pooling, mask or file shows here: each moves a cosine below .999.

    Quantising moved those of the float32 weights to .991 on average and .973 at worst.
    """
    entries = [e for e in json.loads(REFERENCE.read_text(encoding="utf-8")) if e[column]]
    rows = MINILM.embed_documents([entry["text"] for entry in entries])
    expected = np.array([entry[column] for entry in entries], dtype=np.float32)
    assert np.sum(rows * expected, axis=1).min() >= least


def test_the_multilingual_models_vectors_are_those_of_its_readme() -> None:
    """Its numbers come from another program with the same weights."""
    row = E5.embed_documents(["hello world"])[0]
    assert [round(float(number), 5) for number in row[:5]] == pytest.approx(
        [0.03678, 0.04161, -0.02819, -0.05789, 0.08117], abs=2e-4
    )


TEXTS = ["a", "a much longer text about search " * 60, "快取", "half \ud83d pair", "", " \n"]


@pytest.mark.parametrize("model", [MINILM, E5])
def test_a_text_has_one_unit_vector_whatever_is_embedded_beside_it(model: OnnxEmbedder) -> None:
    embed = model.embed_documents
    rows = embed(TEXTS)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 1, 1, 1, 0, 0], atol=1e-5)
    np.testing.assert_array_equal(rows, np.concatenate([embed([text]) for text in TEXTS]))
    assert embed([]).shape == (0, 384)


@pytest.mark.parametrize("model", [MINILM, E5])
def test_texts_that_have_nothing_in_common_are_as_near_as_is_said(model: OnnxEmbedder) -> None:
    fingerprint = Fingerprint("", pack_vectors(model.embed_documents(FINGERPRINT)))
    measured = usual_cosine(replace(model.identity, fingerprint=fingerprint))
    assert usual_cosine(model.identity) == pytest.approx(measured, abs=0.01)


def test_a_long_text_is_the_unit_mean_of_its_windows() -> None:
    minilm = MINILM
    first, second = "apple " * 200, "orange " * 200
    mean = minilm.embed_query(first) + minilm.embed_query(second)
    whole = minilm.embed_query(first + second)
    np.testing.assert_allclose(whole, mean / np.linalg.norm(mean), atol=1e-6)


def test_embedding_leaves_no_trace_outside_the_index(tmp_path: Path) -> None:
    """The runtime's telemetry stays off."""
    home = {name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "TMPDIR", "LOCALAPPDATA")}
    code = (
        "from blog_search_mcp.index.embedders.packaged import PACKAGED\n"
        "print([each.embed_query('a draft').shape for each in PACKAGED.values()])"
    )
    assert output_of(code, env={**os.environ, **home}) == "[(384,), (384,)]\n"
    assert list(tmp_path.rglob("*")) == []
