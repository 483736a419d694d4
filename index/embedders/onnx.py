"""The embedders in the package: models run by onnxruntime, no network ever.

A graph pools and normalises, so a text costs a tokenizer call and one run. Every text runs
by itself: an int8 graph scales its activations by the largest value of the whole batch, so
in batches of 4 or 16 a vector moved to a cosine of .987 with itself, and batches were no
faster on a CPU (31 texts of 256 word pieces a second alone, 26 in sixteens, one thread).
Threads therefore work on different texts, never inside one operator.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.embedders.base import LocalBackend, mean_direction, replace_surrogates
from blog_search_mcp.index.errors import EmbedderRefused
from blog_search_mcp.index.types import EmbedderIdentity

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]
    from tokenizers import Tokenizer

    from blog_search_mcp.index.types import Vectors


ENGLISH_MODEL: Final = Path(__file__).parent / "model"
"""The packaged model whose tokenizer has this vocabulary."""

UNCOVERED: Final = 0.45
"""Share of words that are one Latin piece below which a text is foreign (other European
languages lie just above)."""

COVERED: Final = 0.75
"""Share from which a text counts as English throughout; ordinary English prose and code."""

_LATIN = re.compile(r"[a-z]+")
_UNKNOWN = "[UNK]"

_RUN = re.compile(r"[^ \t\n\r!-/:-@\[-`{-~]+")
"""What BERT's tokenizer reads by itself: it cuts at each of ASCII's spaces and marks."""


def find_file(folder: Path, name: str) -> Path:
    """Return the path of a packaged model's file. Raises EmbedderRefused if it is not there."""
    path = folder / name
    if not path.is_file():
        raise EmbedderRefused(
            f"The embedded model's {name} is missing from the installed package; install it again."
        )
    return path


@cache
def load_tokenizer(folder: Path = ENGLISH_MODEL) -> Tokenizer:
    """Load a packaged model's tokenizer, without the truncation and padding the file asks for."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(find_file(folder, "tokenizer.json")))
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
    """Return the share of the text's words that are one Latin piece."""
    counts = [_count_words(run) for run in _RUN.findall(text)]
    words = sum([words for words, _ in counts])
    return sum([known for _, known in counts]) / words if words else 0.0


@lru_cache(maxsize=65536)
def _count_words(run: str) -> tuple[int, int]:
    """Count the words of a run and those that are one Latin piece; marks are no words.

    Cached, so that a run is tokenized once, however often a blog repeats it.
    """
    pieces = load_tokenizer().encode(run, add_special_tokens=False).tokens
    words = [word for word in _group_pieces(pieces) if _is_word(word[0])]
    known = sum(len(word) == 1 and bool(_LATIN.fullmatch(word[0])) for word in words)
    return len(words), known


def _group_pieces(pieces: list[str]) -> Iterator[list[str]]:
    """Group pieces into words: one that begins with `##` continues the word before it."""
    word: list[str] = []
    for piece in pieces:
        if word and not piece.startswith("##"):
            yield word
            word = []
        word.append(piece)
    if word:
        yield word


@cache
def _is_word(piece: str) -> bool:
    return piece == _UNKNOWN or any(map(str.isalpha, piece))


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """One model in the package: its files and how texts become their pieces."""

    folder: Path
    """Holds `model.onnx`, with inputs `input_ids` and `attention_mask` and the output
    `embedding`, pooled and of unit length, and `tokenizer.json`."""
    name: str
    digest: str
    """SHA-256 of model.onnx; hashing it at each start would buy nothing."""
    dimension: int
    window: int
    """Pieces the model reads at once, without the two that mark begin and end."""
    begin: str
    end: str
    """The pieces that mark begin and end."""
    document_prefix: str = ""
    query_prefix: str = ""
    coverage: Callable[[Sequence[str]], list[float]] | None = None
    """How well its vocabulary covers texts; `None` for one that covers every language."""

    @property
    def identity(self) -> EmbedderIdentity:
        """What an index made with it records."""
        prefixes = self.document_prefix, self.query_prefix
        return EmbedderIdentity("embedded", self.name, self.digest, self.dimension, *prefixes)


MINILM: Final = PackagedModel(
    folder=ENGLISH_MODEL,
    name="all-MiniLM-L6-v2",
    digest="30df2cb605f69fdb18af8861425e4243fcbd43dee54478cef5b15f3dae61b02b",
    dimension=384,
    window=254,  # trained on 256
    begin="[CLS]",
    end="[SEP]",
    coverage=english_coverage,
)

MODELS: Final = {model.name: model for model in (MINILM,)}

MOST_THREADS: Final = 4
"""Each holds one text's activations; a blog is embedded in minutes with fewer."""


class OnnxEmbedder:
    """A packaged model in int8, as Embedder; loads at the first text."""

    def __init__(self, model: PackagedModel = MINILM) -> None:
        self.model = model
        self.identity = model.identity

    def __reduce__(self) -> tuple[Callable[[str], OnnxEmbedder], tuple[str]]:
        """Let another process load its own."""
        return load_embedder, (self.model.name,)

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        """As Embedder."""
        coverage = self.model.coverage
        return [1.0] * len(texts) if coverage is None else coverage(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder; a text without a piece (blank) gets a row of zeros: near to nothing."""
        import numpy as np

        if not texts:
            return np.zeros((0, self.model.dimension), dtype=np.float32)
        return np.stack(self._embed_in_threads(texts))

    def embed_query(self, text: str) -> Vectors:
        """As Embedder."""
        return self._embed(text, self.model.query_prefix)

    def _embed_in_threads(self, texts: Sequence[str]) -> list[Vectors]:
        """Embed the first text before there are threads, so that the model loads once."""
        from concurrent.futures import ThreadPoolExecutor

        embed = partial(self._embed, prefix=self.model.document_prefix)
        first = embed(texts[0])
        with ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1)) as pool:
            return [first, *pool.map(embed, texts[1:])]

    def _embed(self, text: str, prefix: str) -> Vectors:
        """Embed one text; a long one is the mean of its windows, each with the prefix."""
        opening = self._encode(prefix)
        windows = split_windows(self._encode(text), self.model.window - len(opening))
        rows = [self._run(opening + window) for window in windows]
        return mean_direction(rows, self.model.dimension)

    def _encode(self, text: str) -> list[int]:
        tokenizer = load_tokenizer(self.model.folder)
        return list(tokenizer.encode(replace_surrogates(text), add_special_tokens=False).ids)

    def _run(self, window: list[int]) -> Vectors:
        import numpy as np

        tokenizer = load_tokenizer(self.model.folder)
        begin, end = (tokenizer.token_to_id(name) for name in (self.model.begin, self.model.end))
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
        path = str(find_file(self.model.folder, "model.onnx"))
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def split_windows(pieces: list[int], most: int) -> list[list[int]]:
    """Split pieces into the fewest runs of at most `most`, of equal length within one.

    Equal, so that the mean of their vectors does not let a short tail weigh as much as a
    full window.
    """
    count = -(-len(pieces) // most)
    cuts = [len(pieces) * i // count for i in range(count + 1)] if count else []
    return [pieces[a:b] for a, b in pairwise(cuts)]


def load_embedder(name: str) -> OnnxEmbedder:
    """Return the embedder of one of MODELS."""
    return OnnxEmbedder(MODELS[name])


BACKEND: Final = LocalBackend(default_model=MINILM.name, models=tuple(MODELS), load=load_embedder)
