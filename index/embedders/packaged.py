"""Packaged embedding models, run offline by onnxruntime, and how well they cover a text.

A graph pools and normalizes, so one run of it embeds a short text. Texts are not batched, since an
int8 graph scales its activations by the largest value of the batch, which changes the vectors.
Threads work on different texts, never inside one operator, which is faster on a CPU.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from blog_search_mcp.index.embedders.embedder import mean_direction
from blog_search_mcp.index.text.display import replace_surrogates
from blog_search_mcp.index.types import EmbedderIdentity, Vectors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]
    from tokenizers import Tokenizer


MODELS_FOLDER: Final = Path(__file__).parent / "models"
"""Folder with one folder per model: `model.onnx` (inputs `input_ids` and `attention_mask`; output
`embedding`, pooled and of unit length), `embedder.json`, `tokenizer.json`, the license, and for a
large vocabulary `normalizer.json` and `pieces.db`. See `README.md`."""
_LOADING = threading.Lock()
_SESSIONS: Final[dict[str, InferenceSession]] = {}


def import_onnxruntime() -> Any:
    """Import the library, with its telemetry off."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when the library loads, from 1.31 on
    import onnxruntime

    return onnxruntime


def load_session(model: str) -> InferenceSession:
    """Load a model's graph, once per process, from any thread."""
    with _LOADING:
        if model not in _SESSIONS:
            onnxruntime = import_onnxruntime()
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            path, providers = str(MODELS_FOLDER / model / "model.onnx"), ["CPUExecutionProvider"]
            _SESSIONS[model] = onnxruntime.InferenceSession(path, options, providers=providers)
        return _SESSIONS[model]


TOKENIZERS: Final[dict[str, Tokenizer]] = {}


def load_tokenizer(model: str) -> Tokenizer:
    """Load a model's tokenizer, without the truncation and padding its file may ask for."""
    if model not in TOKENIZERS:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(MODELS_FOLDER / model / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        TOKENIZERS[model] = tokenizer
    return TOKENIZERS[model]


@cache
def load_character_map(model: str) -> Mapping[int, str]:
    """Load the replacement of each code point that a model's tokenizer does not keep."""
    table = json.loads((MODELS_FOLDER / model / "normalizer.json").read_text(encoding="utf-8"))
    return {int(code): text for code, text in table.items()}


def encode_by_table(path: Path, text: str) -> list[int]:
    """Return the ids of the pieces of a text normalized by `encode`, looked up in a table of all.

    Only pieces that occur in a text decide how it is cut, so a tokenizer with only these cuts it
    alike. It takes .5 ms for a question; loading all pieces takes .35 s and 170 MB.
    """
    from tokenizers import Tokenizer

    longest = 16  # characters of a piece, with the U+2581 that SentencePiece puts before each word
    parts = {
        word[begin : begin + length]
        for word in (f"\u2581{word}" for word in text.split(" "))
        for begin in range(len(word))
        for length in range(1, min(longest, len(word) - begin) + 1)
    }
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as table:
        ((description,),) = table.execute("SELECT description FROM tokenizer")
        rows = table.execute(
            "SELECT piece, id, score FROM pieces WHERE piece IN (SELECT value FROM json_each(?))",
            [json.dumps(sorted(parts))],
        ).fetchall()
    described = json.loads(description)
    numbers = [described["model"]["unk_id"], *(number for _, number, _ in rows)]
    described["model"]["unk_id"] = 0
    described["model"]["vocab"] += [(piece, score) for piece, _, score in rows]
    pieces = Tokenizer.from_str(json.dumps(described)).encode(text, add_special_tokens=False)
    return [numbers[place] for place in pieces.ids]


ENGLISH_MODEL: Final = "all-MiniLM-L6-v2"
"""Name of the English model. Other English models share its vocabulary, bert-base-uncased's."""
FOREIGN_SHARE = 0.45
"""Share of words that are a single piece of ASCII letters, up to which a text's coverage is 0."""
ENGLISH_SHARE = 0.75
"""Share of these words from which the coverage is 1. English prose and code lie above it."""
_TOKENIZER_RUN = re.compile(r"[^ \t\n\r!-/:-@\[-`{-~]+")
"""Text between ASCII spaces and punctuation, where BERT's tokenizer always cuts."""


def english_coverage(texts: Sequence[str]) -> list[float]:
    """Return how well an English vocabulary covers each text, in [0, 1]; 0 without words."""
    return [
        min(max((_known_share(text) - FOREIGN_SHARE) / (ENGLISH_SHARE - FOREIGN_SHARE), 0.0), 1.0)
        for text in texts
    ]


def is_english_word(word: str) -> bool:
    """Whether a word is one piece of the English vocabulary, as common words are."""
    return _known_share(word) == 1.0


def _known_share(text: str) -> float:
    counts = map(_count_words, _TOKENIZER_RUN.findall(replace_surrogates(text)))
    words, pieces = map(sum, zip((0, 0), *counts, strict=True))
    return pieces / words if words else 0.0


@lru_cache(maxsize=65536)
def _count_words(run: str) -> tuple[int, int]:
    """Count a run's words, and its words of one Latin piece. Cached, since blogs repeat runs."""
    tokenizer = load_tokenizer(ENGLISH_MODEL)
    if run.isascii() and run.isalpha():  # a word, and looked up in a fifteenth of the time
        return 1, int(tokenizer.token_to_id(run.lower()) is not None)
    pieces = tokenizer.encode(run, add_special_tokens=False).tokens
    words = [
        piece.isascii() and piece.isalpha() and not following.startswith("##")
        for piece, following in pairwise([*pieces, ""])
        if not piece.startswith("##") and (piece == "[UNK]" or any(map(str.isalpha, piece)))
    ]
    return len(words), sum(words)


_ANY_LETTER = re.compile(r"[^\W\d_]")
_COVERED_SCRIPTS: Final = (
    *("LATIN", "GREEK", "CYRILLIC", "CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL"),
    *("IDEOGRAPHIC", "HALFWIDTH", "FULLWIDTH", "MASCULINE", "FEMININE", "MICRO"),
)
"""First words of the Unicode names of letters in the packaged multilingual vocabulary. All other
letters (Arabic, Hebrew, Thai, Devanagari) are unknown pieces to the model."""


def script_coverage(texts: Sequence[str]) -> list[float]:
    """Return the share of each text's letters in the multilingual vocabulary; 0 without letters."""
    letters = [_ANY_LETTER.findall(text) for text in texts]
    return [sum(map(_is_covered, text)) / len(text) if text else 0.0 for text in letters]


@lru_cache(maxsize=65536)
def _is_covered(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(_COVERED_SCRIPTS)


@dataclass(frozen=True)
class OnnxEmbedder:
    """Embedder with a packaged model, which is loaded at the first text."""

    identity: EmbedderIdentity
    """Identity of the model; its digest, the SHA-256 of model.onnx, is not verified at start."""
    most_pieces: int
    """Maximum word pieces of a run of the model, including prefix and the two of `frame`."""
    frame: tuple[int, int]
    """IDs of the first and the last piece of each run."""
    has_tables: bool
    """Whether the model has `normalizer.json`, which maps composed (NFC) text, and `pieces.db`, for
    `encode_by_table` until `embed_documents` loads the whole tokenizer."""
    vocabulary_coverage: Callable[[Sequence[str]], list[float]]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in threads: the mean direction of each one's runs, zeros without pieces."""
        import numpy as np

        load_tokenizer(self.identity.model)  # before there are threads, so it loads once
        # Each thread holds the activations of one text.
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            rows = [*pool.map(partial(self._embed, self.identity.document_prefix), texts)]
        return np.reshape(np.array(rows, np.float32), (-1, self.identity.dimension))

    def embed_query(self, text: str) -> Vectors:
        """Embed a query: the mean direction of its runs, zeros if it has no pieces."""
        return self._embed(self.identity.query_prefix, text)

    def encode(self, text: str) -> list[int]:
        """Return the piece ids of a text, without the frame; none for a blank text."""
        name, text = self.identity.model, replace_surrogates(text)
        if self.has_tables:
            composed = unicodedata.normalize("NFC", text)
            text = composed.translate(load_character_map(name)).strip()
            if name not in TOKENIZERS:
                return encode_by_table(MODELS_FOLDER / name / "pieces.db", text)
        return load_tokenizer(name).encode(text, add_special_tokens=False).ids

    def _embed(self, prefix: str, text: str) -> Vectors:
        """Return the mean direction of a text's runs, each with frame and prefix.

        There are as few runs as possible. Their lengths differ by at most one piece, so that a
        short tail does not weigh as much as a full run. A prefix ends between words, so it can be
        tokenized separately. A text without pieces gets zeros.
        """
        import numpy as np

        begin, end = self.frame
        opening, pieces = [begin, *self.encode(prefix)], self.encode(text)
        count = -(-len(pieces) // (self.most_pieces - len(opening) - 1))
        cuts = [len(pieces) * i // count for i in range(count + 1)] if count else []
        rows = list[Vectors]()
        for a, b in pairwise(cuts):
            ids = np.array([[*opening, *pieces[a:b], end]], dtype=np.int64)
            inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            (vectors,) = load_session(self.identity.model).run(["embedding"], inputs)
            rows.extend(vectors)
        return mean_direction(rows, self.identity.dimension)


def _make_embedder(model: str, coverage: Callable[[Sequence[str]], list[float]]) -> OnnxEmbedder:
    facts = json.loads((MODELS_FOLDER / model / "embedder.json").read_bytes())
    identity = EmbedderIdentity("embedded", model, **facts.pop("identity"))
    return OnnxEmbedder(identity, vocabulary_coverage=coverage, **facts)


MINILM: Final = _make_embedder(ENGLISH_MODEL, english_coverage)
"""all-MiniLM-L6-v2: English, reads 256 pieces in a run."""
E5: Final = _make_embedder("multilingual-e5-small", script_coverage)
"""multilingual-e5-small: about 100 languages, packaged with the scripts of Europe and East Asia."""
PACKAGED: Final = {model.identity.model: model for model in (MINILM, E5)}
"""Packaged models by name."""
OTHER_SHARE: Final = 0.1
"""Minimum share of posts in languages other than English to choose E5. Six English sites have at
most .002, three other sites at least .79, and a blog in two languages .38."""


def share_not_english(posts: Mapping[str, int]) -> float:
    """Return the share of posts with a language tag other than English; `posts` counts by tag."""
    others = [count for tag, count in posts.items() if tag.partition("-")[0] not in ("en", "")]
    return sum(others) / max(sum(posts.values()), 1)


def choose_packaged(posts: Mapping[str, int]) -> OnnxEmbedder:
    """Choose the packaged model by the number of posts in each language."""
    return E5 if share_not_english(posts) >= OTHER_SHARE else MINILM
