"""What of the program can be varied, and the settings that are compared: a table and no code.

Each is a value that the program has once, wherever it is used. Nothing of this is reachable
from the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from blog_search_mcp.index.analysis.query import Word
from blog_search_mcp.index.analysis.tokenizer import fold
from blog_search_mcp.index.search.candidates import Findings
from blog_search_mcp.index.search.ranking import WEIGHTS, Weights
from blog_search_mcp.index.types import Chunk, Post


@dataclass(frozen=True, slots=True)
class Knob:
    """One thing that can be varied."""

    module: str
    name: str
    """Of the value; several names apart by spaces are varied alike."""
    reshapes: bool
    """Whether it shapes what is on disk, so that an index must be made for it."""
    without: object = None
    """What stands in for it when it is switched; `None` for a number."""
    field: str = ""
    """The field of the named value that is varied; empty for the value itself."""
    switch: str = "off"
    """Which way it can be switched: `on` for what is off by default."""


def _window_alone(_post: Post, _chunk: Chunk, window: str) -> str:
    return window


def _unstemmed(word: str, _stemmer: str) -> str:
    return fold(word)


def _as_rare_as_they_are(_words: Sequence[Word], rarities: Sequence[float]) -> Sequence[float]:
    return rarities


def _always_open(_findings: Findings, _is_prose: bool, _weights: Weights = WEIGHTS) -> float:
    return 1.0


KNOBS = {
    "header": Knob("blog_search_mcp.ingest.prepare", "embedding_text", True, _window_alone),
    "stemming": Knob("blog_search_mcp.index.analysis.tokenizer", "stem", True, _unstemmed),
    "folding": Knob("blog_search_mcp.index.analysis.tokenizer", "fold simplified", True, str.lower),
    "chunk_least": Knob("blog_search_mcp.ingest.chunking.chunker", "PASSAGE", True, field="least"),
    "chunk_most": Knob("blog_search_mcp.ingest.chunking.chunker", "PASSAGE", True, field="most"),
    "window_most": Knob("blog_search_mcp.ingest.chunking.packing", "WINDOW", True, field="most"),
    "title_times": Knob("blog_search_mcp.index.lexical.documents", "TITLE_TIMES", True),
    "heading_times": Knob("blog_search_mcp.index.lexical.documents", "HEADING_TIMES", True),
    "name_times": Knob("blog_search_mcp.index.lexical.documents", "NAME_TIMES", True),
    "padding": Knob("blog_search_mcp.index.lexical.documents", "PADDING", True),
    "read_least": Knob("blog_search_mcp.index.search.retrieval", "READ_LEAST", False),
    "synonyms": Knob(
        "blog_search_mcp.index.analysis.synonyms", "with_synonyms", False, lambda query, *_: query
    ),
    "gloss": Knob("blog_search_mcp.index.analysis.synonyms", "in_english", False, lambda *_: None),
    "limiting": Knob(
        "blog_search_mcp.index.lexical.searcher", "limited", False, _as_rare_as_they_are
    ),
    "stopword_weight": Knob("blog_search_mcp.index.analysis.stopwords", "WEIGHT", False),
    "prefixes": Knob("blog_search_mcp.index.embedders.ollama.models", "PREFIXES", True, ()),
    "nomic_layernorm": Knob(
        "blog_search_mcp.index.embedders.ollama.models",
        "NOMIC_NORMALISATION",
        True,
        "layernorm+l2",
        switch="on",
    ),
    "gating": Knob("blog_search_mcp.index.search.ranking", "openness", False, _always_open),
    "per_post": Knob("blog_search_mcp.index.search.diversify", "PER_POST", False),
    "fall": Knob("blog_search_mcp.index.search.diversify", "FALL", False),
    "fall_described": Knob("blog_search_mcp.index.search.diversify", "FALL_DESCRIBED", False),
    "agreement": Knob("blog_search_mcp.index.search.confidence", "AGREEMENT", True),
    "length": Knob("blog_search_mcp.index.search.confidence", "LENGTH", True),
    "near_passage": Knob("blog_search_mcp.index.search.confidence", "PASSAGE", True),
    "near_post": Knob("blog_search_mcp.index.search.confidence", "POST", True),
    "near_blog": Knob("blog_search_mcp.index.search.confidence", "BLOG", True),
} | {
    field.name: Knob("blog_search_mcp.index.search.ranking", "WEIGHTS", False, field=field.name)
    for field in fields(Weights)
}
"""By the name on the command line."""

SETTINGS = (
    "header=off",
    "chunk_least=180 chunk_most=400",
    "chunk_least=540 chunk_most=1200",
    "window_most=400",
    "meaning=0",
    "meaning=3",
    "meaning=12",
    "gating=off",
    "per_post=1",
    "padding=0",
    "limiting=off",
    "synonyms=off",
    "stemming=off",
    "folding=off",
)
"""What `--ablations` varies, one after the other; each part is what `--ablate` takes."""
