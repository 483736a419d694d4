"""Facts about Ollama's embedding models: role prefixes, languages, lengths, misreadings.

Ollama adds no prefixes and its API does not report them; so they stand here, as the model's
own card gives them, and beside them what a person asks before pulling a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MULTILINGUAL_MODEL: Final = "bge-m3"
"""Named for a blog that is not in English. Of the models in the table on nomic-embed-text-v2-moe's
card, the one with the highest figure for MIRACL, retrieval in 18 languages: 69.2, the six others
59.9 to 66.5."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """One model, or several sisters that are used alike."""

    name: str
    """What `ollama pull` takes."""
    document_prefix: str
    query_prefix: str
    context: int
    """Tokens that Ollama reads of one text at most, its prefix and marks among them."""
    size: str
    """To download, in decimal units."""
    is_multilingual: bool
    """Trained on some hundred languages. The others know English alone, and their vocabulary is
    that of bert-base-uncased, which `index.embedders.packaged` measures."""
    elsewhere: tuple[str, ...] = ()
    """Parts of the names that sisters and copies in other places have."""

    @property
    def prefixes(self) -> tuple[str, str]:
        """Of a document and of a query."""
        return self.document_prefix, self.query_prefix


_NOMIC = ("search_document: ", "search_query: ")
_GEMMA = ("title: none | text: ", "task: search result | query: ")
_PASSAGES = ("", "Represent this sentence for searching relevant passages: ")
_TASK = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

KNOWN_MODELS: Final = (
    # Card of BAAI/bge-m3: no prefixes.
    KnownModel("bge-m3", "", "", 8192, "1.2 GB", True),
    # config_sentence_transformers.json of Qwen/Qwen3-Embedding-0.6B: no space after "Query:".
    KnownModel("qwen3-embedding:0.6b", "", _TASK, 32768, "639 MB", True),
    # Card of google/embeddinggemma-300m, prompts "Retrieval-document" and "Retrieval-query";
    # those of embeddinggemma-2 are the same.
    KnownModel("embeddinggemma", *_GEMMA, 2048, "622 MB", True),
    # Card of Snowflake/snowflake-arctic-embed-l-v2.0.
    KnownModel(
        "snowflake-arctic-embed2",
        *("", "query: ", 8192, "1.2 GB", True),
        elsewhere=("arctic-embed-l-v2", "arctic-embed-m-v2"),
    ),
    # Cards of nomic-ai/nomic-embed-text-v1, -v1.5 and -v2-moe: a prefix on both sides is a must.
    KnownModel(
        "nomic-embed-text-v2-moe", *_NOMIC, 512, "958 MB", True, elsewhere=("nomic-embed-text-v2",)
    ),
    # Cards of intfloat/multilingual-e5-large-instruct, with a space after "Query:", and of its
    # sisters without instructions. Ollama's own library has none of them.
    KnownModel(
        "jeffh/intfloat-multilingual-e5-large-instruct:q8_0",
        *("", f"{_TASK} ", 512, "603 MB", True),
        elsewhere=("multilingual-e5-large-instruct",),
    ),
    KnownModel(
        "jeffh/intfloat-multilingual-e5-large:q8_0",
        *("passage: ", "query: ", 512, "603 MB", True),
        elsewhere=("multilingual-e5",),
    ),
    KnownModel("qwen3-embedding:4b", "", _TASK, 32768, "2.5 GB", True),
    KnownModel("qwen3-embedding:8b", "", _TASK, 32768, "4.7 GB", True, ("qwen3-embedding",)),
    # Its card says 8192; its file's n_ctx_train is 2048, beyond which Ollama does not go.
    KnownModel("nomic-embed-text", *_NOMIC, 2048, "274 MB", False),
    # Cards of mixedbread-ai/mxbai-embed-large-v1 and of BAAI/bge-small-en-v1.5 and its sisters.
    KnownModel(
        "mxbai-embed-large",
        *(*_PASSAGES, 512, "670 MB", False),
        elsewhere=("bge-small-en", "bge-base-en", "bge-large-en"),
    ),
    # Card of Snowflake/snowflake-arctic-embed-m and its sisters of the first generation.
    KnownModel("snowflake-arctic-embed", *_PASSAGES, 512, "669 MB", False),
    # Card of sentence-transformers/all-MiniLM-L6-v2: longer texts are cut at 256.
    KnownModel("all-minilm", "", "", 256, "46 MB", False),
)
"""Those for many languages in the order in which one is taken, then those for English. Contexts
and sizes are those of ollama.com."""


def find_model(name: str) -> KnownModel | None:
    """Return the first known model that `name` names, or a copy of it; `None` for any other."""
    bare = _bare(name)
    return next((known for known in KNOWN_MODELS if any(p in bare for p in _parts(known))), None)


def _bare(name: str) -> str:
    """Write a name without its place, and as copies write it: a hyphen for the colon."""
    return name.rpartition("/")[2].lower().replace(":", "-")


def _parts(known: KnownModel) -> tuple[str, ...]:
    return (_bare(known.name), *known.elsewhere)


def choose_multilingual(installed: Iterable[str]) -> str | None:
    """Choose the first of KNOWN_MODELS for many languages that is installed; `None` if none is."""
    found = {find_model(name): name for name in sorted(installed, reverse=True)}
    names = (found[known] for known in KNOWN_MODELS if known.is_multilingual and known in found)
    return next((name.removesuffix(":latest") for name in names), None)


def full_name(model: str) -> str:
    """Return the name as Ollama compares it: without regard to case, `:latest` where no tag is."""
    tagged = ":" in model.rpartition("/")[2]
    return (model if tagged else f"{model}:latest").lower()


_MISREADS = re.compile(r"v?0\.(?:13\.[1-9]|1[4-9]\b|2\d\b)")
"""From 0.13.1 on, until llama.cpp tokenizes from 0.30 on, whatever the model."""


def misreads_capitals(version: str) -> bool:
    """Whether this version of Ollama tokenizes uncased models wrongly."""
    return _MISREADS.match(version) is not None


def misreading_warning(version: str, model: str) -> str:
    """Describe what is wrong with a version that misreads `model`, and what to do."""
    return (
        f"Ollama {version} misreads capitals and accents for {model}. "
        "Update Ollama to 0.30 or later."
    )
