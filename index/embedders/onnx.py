"""The embedder in the package: a model run by onnxruntime, no network ever.

Its graph pools and normalises, so a text costs a tokenizer call and one run. Every text runs
by itself: the int8 graph scales its activations by the largest value of the whole batch, so
in batches of 4 or 16 a vector moved to a cosine of .987 with itself, and batches were no
faster on a CPU (31 texts of 256 word pieces a second alone, 26 in sixteens, one thread).
Threads therefore work on different texts, never inside one operator.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.embedders.base import mean_direction
from blog_search_mcp.index.embedders.packaged import MINILM, PackagedModel, find_file

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

    from blog_search_mcp.index.types import Vectors

MOST_THREADS: Final = 4
"""Each holds one text's activations; a blog is embedded in minutes with fewer."""


class OnnxEmbedder:
    """A model of the package, as Embedder; loads at the first text."""

    def __init__(self, model: PackagedModel = MINILM) -> None:
        self.model = model
        self.identity = model.identity
        self.window_pieces = model.window_pieces
        self.concurrency = 1
        self.vocabulary_coverage = model.measure_coverage

    def __reduce__(self) -> tuple[type[OnnxEmbedder], tuple[PackagedModel]]:
        """Let another process load its own."""
        return OnnxEmbedder, (self.model,)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder; a text without a piece (blank) gets a row of zeros: near to nothing."""
        return self._embed_each(self.identity.document_prefix, texts)

    def embed_query(self, text: str) -> Vectors:
        """As Embedder; a long text is the mean of its windows."""
        return self._embed(self.identity.query_prefix, text)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As Embedder."""
        return self._embed_each(self.identity.query_prefix, texts)

    def _embed_each(self, prefix: str, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if not texts:
            return np.zeros((0, self.identity.dimension), dtype=np.float32)
        from concurrent.futures import ThreadPoolExecutor

        embed = partial(self._embed, prefix)
        first = embed(texts[0])  # before there are threads, so it loads once
        with ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1)) as pool:
            return np.stack([first, *pool.map(embed, texts[1:])])

    def _embed(self, prefix: str, text: str) -> Vectors:
        windows = frame_pieces(self.model, prefix, text)
        return mean_direction([self._run(window) for window in windows], self.identity.dimension)

    def _run(self, pieces: list[int]) -> Vectors:
        import numpy as np

        ids = np.array([pieces], dtype=np.int64)
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
        path = str(find_file(self.identity.model, "model.onnx"))
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def frame_pieces(model: PackagedModel, prefix: str, text: str) -> list[list[int]]:
    """Return the pieces of each run that a text takes, prefix and frame in each; none if blank.

    A prefix ends where a word does, so its pieces are the same by themselves.
    """
    begin, end = model.frame
    opening = [begin, *model.encode(prefix)]
    windows = split_windows(model.encode(text), model.most_pieces - len(opening) - 1)
    return [[*opening, *window, end] for window in windows]


def split_windows(pieces: list[int], most: int) -> list[list[int]]:
    """Split pieces into the fewest runs of at most `most`, of equal length within one.

    Equal, so that the mean of their vectors does not let a short tail weigh as much as a
    full window.
    """
    count = -(-len(pieces) // most)
    cuts = [len(pieces) * i // count for i in range(count + 1)] if count else []
    return [pieces[a:b] for a, b in pairwise(cuts)]
