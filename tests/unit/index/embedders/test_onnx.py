"""The embedder in the package: its files, its vectors, and what it does with any text."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.embedders.onnx import (
    COVERED,
    IDENTITY,
    MODEL,
    UNCOVERED,
    WINDOW,
    OnnxEmbedder,
    english_coverage,
    load_tokenizer,
    split_windows,
)
from tests.support.paths import ROOT

REFERENCE = ROOT / "tests" / "data" / "minilm_reference.json"
"""Texts with the vectors that the float32 weights and the shipped int8 file give them."""


@pytest.fixture(scope="module")
def minilm() -> OnnxEmbedder:
    return OnnxEmbedder()


@pytest.mark.parametrize(
    ("name", "sha256"),
    [
        ("model.onnx", IDENTITY.digest),
        ("tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    ],
)
def test_the_files_are_the_ones_their_readme_names(name: str, sha256: str) -> None:
    assert hashlib.sha256((MODEL / name).read_bytes()).hexdigest() == sha256
    assert sha256 in (MODEL / "README.md").read_text(encoding="utf-8")


def test_vectors_are_those_of_the_reference(minilm: OnnxEmbedder) -> None:
    """A wrong tokenizer, pooling, mask or file shows here: each moves a cosine below .999."""
    entries = json.loads(REFERENCE.read_text(encoding="utf-8"))
    rows = minilm.embed_documents([entry["text"] for entry in entries])
    expected = np.array([entry["int8"] for entry in entries], dtype=np.float32)
    assert rows.shape == (len(entries), 384)
    assert np.sum(rows * expected, axis=1).min() >= 0.999


def test_quantising_moved_no_reference_vector_far(minilm: OnnxEmbedder) -> None:
    """Against the float32 weights; the README says .991 on average and .973 at worst."""
    entries = json.loads(REFERENCE.read_text(encoding="utf-8"))
    whole = [entry for entry in entries if entry["float32"] is not None]
    rows = minilm.embed_documents([entry["text"] for entry in whole])
    expected = np.array([entry["float32"] for entry in whole], dtype=np.float32)
    assert np.sum(rows * expected, axis=1).min() >= 0.97


def test_rows_are_unit_float32_in_the_order_of_the_texts(minilm: OnnxEmbedder) -> None:
    texts = ["a", "a much longer text about vector search and its cost", "快取", "b"]
    rows = minilm.embed_documents(texts)
    assert rows.dtype == np.float32
    assert rows.shape == (4, 384)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), np.ones(4), atol=1e-5)
    np.testing.assert_array_equal(rows, np.stack([minilm.embed_query(text) for text in texts]))


def test_a_text_has_one_vector_whatever_is_embedded_beside_it(minilm: OnnxEmbedder) -> None:
    alone = minilm.embed_documents(["the same text"])[0]
    beside = minilm.embed_documents(["word " * 240, "the same text", "x"])[1]
    np.testing.assert_array_equal(alone, beside)


def test_no_texts_make_no_rows(minilm: OnnxEmbedder) -> None:
    assert minilm.embed_documents([]).shape == (0, 384)


def test_blank_texts_are_near_to_nothing(minilm: OnnxEmbedder) -> None:
    np.testing.assert_array_equal(minilm.embed_documents(["", " \n"]), np.zeros((2, 384)))
    np.testing.assert_array_equal(minilm.embed_query(""), np.zeros(384))


def test_a_lone_surrogate_is_embedded_like_a_question_mark(minilm: OnnxEmbedder) -> None:
    np.testing.assert_array_equal(
        minilm.embed_query("half \ud83d pair"), minilm.embed_query("half ? pair")
    )


def test_the_end_of_a_long_text_counts(minilm: OnnxEmbedder) -> None:
    filler = "The weather was mild and the garden was quiet. " * 60
    ending = "Flash attention tiles the softmax to save memory bandwidth on the GPU. " * 20
    query = minilm.embed_query("How does flash attention save GPU memory bandwidth?")
    with_ending, without = minilm.embed_documents([filler + ending, filler])
    assert query @ with_ending > query @ without + 0.2


def test_a_long_text_is_the_unit_mean_of_its_windows(minilm: OnnxEmbedder) -> None:
    first, second = "apple " * 200, "orange " * 200
    mean = minilm.embed_query(first) + minilm.embed_query(second)
    whole = minilm.embed_query(first + second)
    np.testing.assert_allclose(whole, mean / np.linalg.norm(mean), atol=1e-6)


@pytest.mark.parametrize(
    ("count", "lengths"),
    [
        (0, []),
        (1, [1]),
        (WINDOW, [WINDOW]),
        (WINDOW + 1, [127, 128]),
        (2 * WINDOW, [WINDOW, WINDOW]),
        (600, [200, 200, 200]),
    ],
)
def test_windows_are_as_few_as_possible_and_equally_long(count: int, lengths: list[int]) -> None:
    pieces = list(range(count))
    cut = split_windows(pieces, WINDOW)
    assert [len(window) for window in cut] == lengths
    assert [piece for window in cut for piece in window] == pieces


def test_english_is_readable_and_what_the_vocabulary_lacks_is_not(
    minilm: OnnxEmbedder,
) -> None:
    texts = ["What is a KV cache?", "def f(x): return x + 1", "這邊買醬鴨", "word 嗎", ""]
    assert minilm.vocabulary_coverage(texts) == [1.0, 1.0, 0.0, pytest.approx(1 / 6), 0.0]


@given(
    st.text(alphabet=st.one_of(st.characters(), st.sampled_from("aéß .,-#[]快\t\x1c")), max_size=60)
)
@example("A:¹")
@settings(deadline=None)
def test_words_are_known_by_themselves_as_they_are_within_their_text(text: str) -> None:
    text = text.encode("utf-8", "replace").decode().replace("[", "(")  # [MASK] is a piece
    pieces = load_tokenizer().encode(text, add_special_tokens=False).tokens
    spoken = [
        (piece, following.startswith("##"))
        for piece, following in pairwise([*pieces, ""])
        if not piece.startswith("##") and (piece == "[UNK]" or any(map(str.isalpha, piece)))
    ]
    known = [re.fullmatch("[a-z]+", piece) and not goes_on for piece, goes_on in spoken]
    share = sum(map(bool, known)) / len(known) if known else 0.0
    assert english_coverage([text]) == [
        min(max((share - UNCOVERED) / (COVERED - UNCOVERED), 0.0), 1.0)
    ]
