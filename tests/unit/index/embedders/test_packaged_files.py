"""The files of the models in the package are those that their READMEs name."""

from __future__ import annotations

import hashlib

import pytest
from tools.export_e5 import SPECIAL, is_kept

from blog_search_mcp.index.embedders.packaged import MODELS, PACKAGED, load_tokenizer

FILES = [
    (model, name)
    for model, packaged in PACKAGED.items()
    for name in (
        *("model.onnx", "tokenizer.json"),
        *(("normalizer.json", "pieces.db") if packaged.has_tables else ()),
    )
]


@pytest.mark.parametrize(("model", "name"), FILES)
def test_the_files_are_the_ones_their_readme_names(model: str, name: str) -> None:
    digest = hashlib.sha256((MODELS / model / name).read_bytes()).hexdigest()
    assert digest in (MODELS / model / "README.md").read_text(encoding="utf-8")
    assert name != "model.onnx" or digest == PACKAGED[model].identity.digest


@pytest.mark.parametrize("model", PACKAGED)
def test_each_model_comes_with_its_licence(model: str) -> None:
    assert "Licen" in (MODELS / model / "LICENSE").read_text(encoding="utf-8")


def test_the_pieces_are_those_that_the_tool_keeps() -> None:
    vocabulary = load_tokenizer("multilingual-e5-small").get_vocab()
    pieces = {piece for piece in vocabulary if not piece.startswith("\ue000")}
    assert len(vocabulary) == 178_960
    assert [piece for piece in pieces if not is_kept(SPECIAL, piece)] == []
    others = ["▁что", "▁خ", "▁हिन्दी", "▁ภาษา", "ש", "▁2026", "、", "快取", "ｶ"]
    kept = [piece for piece in others if is_kept(SPECIAL, piece)]
    assert kept == ["▁что", "▁2026", "、", "快取", "ｶ"]
