"""The embedder in the package: a model run by onnxruntime, no network ever.

Its graph pools and normalises, so a text costs a tokenizer call and one run. Every text runs
by itself: the int8 graph scales its activations by the largest value of the whole batch, so
in batches of 4 or 16 a vector moved to a cosine of .987 with itself, and batches were no
faster on a CPU (31 texts of 256 word pieces a second alone, 26 in sixteens, one thread).
Threads therefore work on different texts, never inside one operator.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.embedders.base import DEFAULT_MODELS, mean_direction, replace_surrogates
from blog_search_mcp.index.errors import EmbedderRefused
from blog_search_mcp.index.types import EmbedderIdentity

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]
    from tokenizers import Tokenizer

    from blog_search_mcp.index.types import Vectors


MODEL: Final = Path(__file__).parent / "model"
"""Holds `model.onnx`, with inputs `input_ids` and `attention_mask` and the output `embedding`,
pooled and of unit length, and `tokenizer.json`, with bert-base-uncased's vocabulary."""

UNCOVERED: Final = 0.45
"""Share of words that are one Latin piece below which a text is foreign (other European
languages lie just above)."""

COVERED: Final = 0.75
"""Share from which a text counts as English throughout; ordinary English prose and code."""

_LATIN = re.compile(r"[a-z]+")

_RUN = re.compile(r"[^ \t\n\r!-/:-@\[-`{-~]+")
"""What BERT's tokenizer reads by itself: it cuts at each of ASCII's spaces and marks."""


def find_file(name: str) -> Path:
    """Return the path of the model's file. Raises EmbedderRefused if it is not there."""
    path = MODEL / name
    if not path.is_file():
        raise EmbedderRefused(
            f"The embedded model's {name} is missing from the installed package; install it again."
        )
    return path


@cache
def load_tokenizer() -> Tokenizer:
    """Load the model's tokenizer, without the truncation and padding the file asks for."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(find_file("tokenizer.json")))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def english_coverage(texts: Sequence[str]) -> list[float]:
    """Return how well an English word-piece vocabulary covers each text, in [0, 1]."""
    return [
        min(max((_known_share(text) - UNCOVERED) / (COVERED - UNCOVERED), 0.0), 1.0)
        for text in texts
    ]


def _known_share(text: str) -> float:
    counts = [_count_words(run) for run in _RUN.findall(text)]
    words = sum([words for words, _ in counts])
    return sum([known for _, known in counts]) / words if words else 0.0


@lru_cache(maxsize=65536)
def _count_words(run: str) -> tuple[int, int]:
    """Count the words of a run and those that are one Latin piece; marks are no words.

    Cached, so that a run is tokenized once, however often a blog repeats it.
    """
    pieces = load_tokenizer().encode(run, add_special_tokens=False).tokens
    words = known = 0
    for piece, following in pairwise([*pieces, ""]):
        if piece.startswith("##") or not (piece == "[UNK]" or any(map(str.isalpha, piece))):
            continue
        words += 1
        known += bool(_LATIN.fullmatch(piece)) and not following.startswith("##")
    return words, known


IDENTITY: Final = EmbedderIdentity(
    kind="embedded",
    model=DEFAULT_MODELS["embedded"],
    digest="30df2cb605f69fdb18af8861425e4243fcbd43dee54478cef5b15f3dae61b02b",
    dimension=384,
)
"""The digest is the SHA-256 of model.onnx; hashing it at each start would buy nothing."""

WINDOW: Final = 254
"""Pieces the model reads at once: it was trained on 256 with [CLS] and [SEP]."""

MOST_THREADS: Final = 4
"""Each holds one text's activations; a blog is embedded in minutes with fewer."""


class OnnxEmbedder:
    """all-MiniLM-L6-v2 in int8, as Embedder; loads at the first text."""

    identity = IDENTITY

    def __reduce__(self) -> tuple[type[OnnxEmbedder], tuple[()]]:
        """Let another process load its own."""
        return OnnxEmbedder, ()

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        """As Embedder."""
        return english_coverage(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder; a text without a piece (blank) gets a row of zeros: near to nothing."""
        import numpy as np

        if not texts:
            return np.zeros((0, IDENTITY.dimension), dtype=np.float32)
        from concurrent.futures import ThreadPoolExecutor

        first = self.embed_query(texts[0])  # before there are threads, so the model loads once
        with ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1)) as pool:
            return np.stack([first, *pool.map(self.embed_query, texts[1:])])

    def embed_query(self, text: str) -> Vectors:
        """As Embedder; a long text is the mean of its windows."""
        encoding = load_tokenizer().encode(replace_surrogates(text), add_special_tokens=False)
        rows = [self._run(window) for window in split_windows(encoding.ids, WINDOW)]
        return mean_direction(rows, IDENTITY.dimension)

    def _run(self, window: list[int]) -> Vectors:
        import numpy as np

        begin, end = map(load_tokenizer().token_to_id, ("[CLS]", "[SEP]"))
        ids = np.array([[begin, *window, end]], dtype=np.int64)
        (vectors,) = self._session.run(
            ["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        )
        row: Vectors = np.asarray(vectors, dtype=np.float32)[0]
        return row

    @cached_property
    def _session(self) -> InferenceSession:
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when the library loads, from 1.31 on
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        path = str(find_file("model.onnx"))
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def split_windows(pieces: list[int], most: int) -> list[list[int]]:
    """Split pieces into the fewest runs of at most `most`, of equal length within one.

    Equal, so that the mean of their vectors does not let a short tail weigh as much as a
    full window.
    """
    count = -(-len(pieces) // most)
    cuts = [len(pieces) * i // count for i in range(count + 1)] if count else []
    return [pieces[a:b] for a, b in pairwise(cuts)]
