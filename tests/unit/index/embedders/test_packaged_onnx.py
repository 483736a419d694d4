"""The embedder in the package: its vectors, and what it does with any text."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from blog_search_mcp.index.embedders.packaged import (
    E5,
    MINILM,
    OnnxEmbedder,
    frame_pieces,
    load_session,
    split_windows,
)
from blog_search_mcp.index.embedders.registry import preload
from tests.support.paths import ROOT
from tests.support.python import output_of

REFERENCE = ROOT / "tests" / "data" / "minilm_reference.json"
"""Texts with the vectors that the float32 weights and the shipped int8 file give them."""


@pytest.fixture(scope="module")
def minilm() -> OnnxEmbedder:
    return OnnxEmbedder()


@pytest.fixture(scope="module")
def e5() -> OnnxEmbedder:
    return OnnxEmbedder(E5)


def test_threads_that_ask_at_once_share_one_session() -> None:
    preload(MINILM.identity.name)
    with ThreadPoolExecutor(4) as threads:
        sessions = [*threads.map(load_session, [MINILM.identity.model] * 4)]
    assert {id(session) for session in sessions} == {id(sessions[0])}


def test_nothing_is_loaded_ahead_for_a_model_elsewhere() -> None:
    code = "import sys; from blog_search_mcp.index.embedders.registry import preload"
    code += "; preload('ollama all-minilm'); print('onnxruntime' in sys.modules)"
    assert output_of(code) == "False\n"


def test_a_model_of_the_package_needs_nothing_that_speaks_to_a_server() -> None:
    code = "import sys; from blog_search_mcp.index.embedders import packaged, registry"
    code += "; registry.serve_embedder(packaged.MINILM.identity, '')"
    code += "; print({'httpx', 'ollama'} & set(sys.modules))"
    assert output_of(code) == "set()\n"


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


def test_the_multilingual_models_vectors_are_those_of_its_readme(e5: OnnxEmbedder) -> None:
    """Its numbers come from another program with the same weights."""
    row = e5.embed_documents(["hello world"])[0]
    assert [round(float(number), 5) for number in row[:5]] == pytest.approx(
        [0.03678, 0.04161, -0.02819, -0.05789, 0.08117], abs=2e-4
    )


def test_a_question_meets_its_answer_across_languages(e5: OnnxEmbedder) -> None:
    """Within what int8 moves a cosine when other texts stand in the batch: .006."""
    query = e5.embed_query("what is a KV cache?")
    answer, bread = e5.embed_documents(
        ["什麼是 KV cache：讓 LLM 不必每個 token 都從頭算", "如何烤酸種麵包"]
    )
    assert (query @ answer, query @ bread) == pytest.approx((0.8345, 0.7582), abs=6e-3)


def test_a_text_is_framed_with_its_prefix_and_the_models_own_pieces() -> None:
    assert frame_pieces(E5, "passage: ", "hello world") == [[0, 35447, 12, 25666, 31, 7174, 2]]
    assert frame_pieces(MINILM, "", "hello world") == [[101, 7592, 2088, 102]]
    assert frame_pieces(E5, "passage: ", " \n\u3000") == []


def test_every_run_of_a_long_text_has_the_prefix_and_fits_the_model() -> None:
    runs = frame_pieces(E5, "query: ", "world " * 600)
    assert [len(run) for run in runs] == [305, 305]
    opening = frame_pieces(E5, "query: ", "world")[0][:4]
    assert [(run[:4], run[-1]) for run in runs] == [(opening, 2), (opening, 2)]


def test_rows_are_unit_float32_in_the_order_of_the_texts(minilm: OnnxEmbedder) -> None:
    texts = ["a", "a much longer text about vector search and its cost", "快取", "b"]
    rows = minilm.embed_documents(texts)
    assert rows.dtype == np.float32
    assert rows.shape == (4, 384)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), np.ones(4), atol=1e-5)
    np.testing.assert_array_equal(rows, np.stack([minilm.embed_query(text) for text in texts]))


def test_queries_together_have_the_vectors_that_each_has_alone(e5: OnnxEmbedder) -> None:
    texts = ["what is a KV cache?", "快取", ""]
    rows = e5.embed_queries(texts)
    np.testing.assert_array_equal(rows, np.stack([e5.embed_query(text) for text in texts]))


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


WINDOW = 254
"""Pieces of MiniLM's longest run without its frame."""


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
