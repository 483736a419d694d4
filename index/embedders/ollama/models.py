"""Facts about Ollama's embedding models: role prefixes, vocabulary, dimension, misreadings.

Ollama adds no prefixes and its API does not report them; so they stand here, by the
beginning of a model's name, as the model's own card gives them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.embedders.base import DEFAULT_MODELS
from blog_search_mcp.index.embedders.ollama.errors import Kind, OllamaError

if TYPE_CHECKING:
    from ollama import ShowResponse

DEFAULT_MODEL: Final = DEFAULT_MODELS["ollama"]

_PASSAGES = "Represent this sentence for searching relevant passages: "
_INSTRUCT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

FAMILIES: Final[tuple[tuple[str, str, str, bool], ...]] = (
    # Cards of nomic-ai/nomic-embed-text-v1, -v1.5 and -v2-moe: a prefix on both sides is a must.
    ("nomic-embed-text-v2", "search_document: ", "search_query: ", False),
    ("nomic-embed-text", "search_document: ", "search_query: ", True),
    # Card of google/embeddinggemma-300m, prompts "Retrieval-document" and "Retrieval-query";
    # those of embeddinggemma-2 are the same.
    ("embeddinggemma", "title: none | text: ", "task: search result | query: ", False),
    # Qwen/Qwen3-Embedding-0.6B, config_sentence_transformers.json: no space after "Query:".
    ("qwen3-embedding", "", _INSTRUCT, False),
    # Card of mixedbread-ai/mxbai-embed-large-v1.
    ("mxbai-embed-large", "", _PASSAGES, True),
    # Card of Snowflake/snowflake-arctic-embed-l-v2.0, which Ollama calls snowflake-arctic-embed2.
    ("snowflake-arctic-embed2", "", "query: ", False),
    ("snowflake-arctic-embed-l-v2", "", "query: ", False),
    ("snowflake-arctic-embed-m-v2", "", "query: ", False),
    # Card of Snowflake/snowflake-arctic-embed-m and its sisters of the first generation.
    ("snowflake-arctic-embed", "", _PASSAGES, True),
    ("all-minilm", "", "", True),
)
"""Beginning of the name, document prefix, query prefix, and whether the vocabulary is that of
bert-base-uncased, which `index.embedders.onnx` measures; the first match counts.

The cards of bge-m3, all-MiniLM, granite-embedding and paraphrase-multilingual ask
for no prefixes. granite-embedding has RoBERTa's vocabulary, the multilingual ones XLM-R's.
"""


def find_family(model: str) -> tuple[str, str, str, bool]:
    """Return a model's row of FAMILIES; no prefixes and an unknown vocabulary for any other."""
    name = model.rpartition("/")[2].lower()
    found = (family for family in FAMILIES if name.startswith(family[0]))
    return next(found, (name, "", "", False))


def full_name(model: str) -> str:
    """Return the name as Ollama compares it: without regard to case, `:latest` where no tag is."""
    tagged = ":" in model.rpartition("/")[2]
    return (model if tagged else f"{model}:latest").lower()


def read_dimension(shown: ShowResponse) -> int:
    """Read the dimension from `/api/show`. Raises OllamaError if this is no embedding model.

    `capabilities` came with Ollama 0.6.4; older ones show at the first text what they can.
    """
    if shown.capabilities is not None and "embedding" not in shown.capabilities:
        raise OllamaError(Kind.NOT_EMBEDDING)
    info = shown.modelinfo or {}
    dimension = info.get(f"{info.get('general.architecture')}.embedding_length")
    if not isinstance(dimension, int) or dimension < 1:
        raise OllamaError(Kind.NO_VECTOR, "a model description without a dimension")
    return dimension


BROKEN_FROM: Final = (0, 13, 1)
"""The first version that misreads nomic-embed-text; BERT's accents followed in 0.13.5."""

FIXED_IN: Final = (0, 30, 0)
"""The first version that leaves tokenizing to llama.cpp, whatever the model."""

_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?")


def is_misread(info: Mapping[str, object], version: str) -> bool:
    """Whether this version tokenizes the model of `/api/show`'s `model_info` wrongly.

    Only models with BERT's lower-case vocabulary are. A version that is not known (empty,
    or the 0.0.0 of a build from source) counts as right.
    """
    architecture = info.get("general.architecture")
    uncased = info.get("tokenizer.ggml.model") == "bert" and architecture in ("bert", "nomic-bert")
    return uncased and misreads_capitals(version)


def misreads_capitals(version: str) -> bool:
    """Whether this version of Ollama tokenizes uncased models wrongly."""
    found = _VERSION.match(version)
    if found is None:
        return False
    numbers = tuple(int(part or 0) for part in found.groups())
    return BROKEN_FROM <= numbers < FIXED_IN


def fold_text(text: str) -> str:
    """Strip accents and capitals from a text, as the tokenizer of bert-base-uncased does.

    Marks go in every script, as they do there: its vocabulary has `か` and `и`, and
    neither `が` nor `й`. Letter by letter, since Python's own `lower` of a whole text
    writes a final sigma.
    """
    bare = (c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return "".join(c.lower() for c in bare)


def misreading_warning(version: str, model: str) -> str:
    """Say what is wrong with a version that misreads `model`, what is done, and what to do."""
    return (
        f"Ollama {version} misreads capitals and accents for {model}, so texts go to it in lower "
        "case and without accents. Update Ollama to 0.30 or later."
    )
