"""The embedder in the package: text in, all-MiniLM-L6-v2 vectors out, no network ever.

The graph pools and normalises, so a text costs a tokenizer call and one run. Every
text runs by itself: the int8 graph scales its activations by the largest value
of the whole batch, so in batches of 4 or 16 a vector moved to a cosine of .987
with itself, and batches were no faster on a CPU (31 texts of 256 word pieces a
second alone, 26 in sixteens, one thread). Threads therefore work on different
texts, never inside one operator.
"""

from __future__ import annotations

import os
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.embedders.fingerprint import refuse_other_weights
from blog_search_mcp.index.embedders.normalize import mean_of, sendable
from blog_search_mcp.index.embedders.vocabulary import load_tokenizer, present, readable
from blog_search_mcp.index.types import EmbedderIdentity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

    from blog_search_mcp.index.types import Vectors

IDENTITY: Final = EmbedderIdentity(
    kind="embedded",
    model="all-MiniLM-L6-v2",
    digest="30df2cb605f69fdb18af8861425e4243fcbd43dee54478cef5b15f3dae61b02b",
    dimension=384,
)
"""`digest` is the SHA-256 of model.onnx; hashing 23 MB at each start would buy nothing."""

WINDOW: Final = 254
"""Word pieces the model reads at once: trained on 256, of which [CLS] and [SEP] take two."""

MOST_THREADS: Final = 4
"""Each holds one text's activations; a blog is embedded in minutes with fewer."""


class EmbeddedEmbedder:
    """all-MiniLM-L6-v2 in int8, run by onnxruntime; loads at the first text."""

    def __reduce__(self) -> tuple[type[EmbeddedEmbedder], tuple[()]]:
        """Another process loads its own."""
        return EmbeddedEmbedder, ()

    @property
    def identity(self) -> EmbedderIdentity:
        """Fixed: the package holds one model."""
        return IDENTITY

    def readable(self, texts: Sequence[str]) -> list[float]:
        """How well the model's English vocabulary reads each text, in [0, 1]."""
        return readable(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Float32 rows of shape (len(texts), 384), in order, of unit length.

        A text without a word piece (blank) gets a row of zeros: near to nothing.
        """
        import numpy as np

        if not texts:
            return np.zeros((0, IDENTITY.dimension), dtype=np.float32)
        return np.stack(self._in_threads(texts))

    def embed_query(self, text: str) -> Vectors:
        """One float32 unit vector of shape (384,); MiniLM treats queries as documents."""
        return self._vector(text)

    def _in_threads(self, texts: Sequence[str]) -> list[Vectors]:
        """Embed the first text before there are threads, so that the model loads once."""
        from concurrent.futures import ThreadPoolExecutor

        first = self._vector(texts[0])
        with ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1)) as pool:
            return [first, *pool.map(self._vector, texts[1:])]

    def _vector(self, text: str) -> Vectors:
        """Embed one text; a long one is the mean of its windows, never cut."""
        return mean_of([self._run(w) for w in windows(self._pieces(text))], IDENTITY.dimension)

    def _pieces(self, text: str) -> list[int]:
        return list(load_tokenizer().encode(sendable(text), add_special_tokens=False).ids)

    def _run(self, window: list[int]) -> Vectors:
        import numpy as np

        begin, end = (load_tokenizer().token_to_id(name) for name in ("[CLS]", "[SEP]"))
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
        return onnxruntime.InferenceSession(
            str(present("model.onnx")), options, providers=["CPUExecutionProvider"]
        )


def windows(pieces: list[int]) -> list[list[int]]:
    """Split word pieces into the fewest runs of at most WINDOW, of equal length within one.

    Equal, so that the mean of their vectors does not let a short tail weigh as
    much as a full window.
    """
    count = -(-len(pieces) // WINDOW)
    cuts = [len(pieces) * i // count for i in range(count + 1)] if count else []
    return [pieces[a:b] for a, b in pairwise(cuts)]


def of_package(identity: EmbedderIdentity) -> EmbeddedEmbedder:
    """Return the embedder of an index that was built with this one. Raises EmbedderMismatch."""
    refuse_other_weights(identity, IDENTITY.digest, IDENTITY.dimension)
    return EmbeddedEmbedder()
