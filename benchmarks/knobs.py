"""What of the program can be varied, and the settings that are compared: a table and no code.

Each is a value that the program has once, wherever it is used. Nothing of this is reachable
from the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from index.analysis import fold
from index.findings import Findings
from index.lexical_documents import LexicalPost
from index.query import Word
from index.ranking import WEIGHTS, Weights
from index.types import Chunk, Post


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


def _every_word(entry: LexicalPost) -> list[str]:
    return [chunk.plain for chunk in entry.chunks]


def _as_rare_as_they_are(_words: Sequence[Word], rarities: Sequence[float]) -> Sequence[float]:
    return rarities


def _always_open(_findings: Findings, _is_prose: bool, _weights: Weights = WEIGHTS) -> float:
    return 1.0


KNOBS = {
    "header": Knob("index.embedding_text", "embedding_text", True, _window_alone),
    "stemming": Knob("index.analysis", "stem", True, _unstemmed),
    "folding": Knob("index.analysis", "fold simplified", True, str.lower),
    "chunk_least": Knob("ingest.chunker", "PASSAGE", True, field="least"),
    "chunk_most": Knob("ingest.chunker", "PASSAGE", True, field="most"),
    "window_most": Knob("ingest.windows", "WINDOW", True, field="most"),
    "title_times": Knob("index.lexical_documents", "TITLE_TIMES", True),
    "heading_times": Knob("index.lexical_documents", "HEADING_TIMES", True),
    "name_times": Knob("index.lexical_documents", "NAME_TIMES", True),
    "padding": Knob("index.lexical_documents", "PADDING", True),
    "pointers": Knob("index.lexical_documents", "own_words", True, _every_word, switch="on"),
    "read_least": Knob("index.evidence", "READ_LEAST", False),
    "in_passing": Knob("index.evidence", "IN_PASSING", False),
    "synonyms": Knob("index.synonyms", "with_synonyms", False, lambda query, *_: query),
    "gloss": Knob("index.gloss", "in_english", False, lambda *_: None),
    "limiting": Knob("index.rarity", "limited", False, _as_rare_as_they_are),
    "stopword_weight": Knob("index.stopwords", "WEIGHT", False),
    "prefixes": Knob("index.embedder.ollama_models", "PREFIXES", True, ()),
    "nomic_layernorm": Knob(
        "index.embedder.ollama_models", "NOMIC_NORMALISATION", True, "layernorm+l2", switch="on"
    ),
    "gating": Knob("index.ranking", "openness", False, _always_open),
    "per_post": Knob("index.passages", "PER_POST", False),
    "fall": Knob("index.passages", "FALL", False),
    "fall_described": Knob("index.passages", "FALL_DESCRIBED", False),
    "agreement": Knob("index.confidence", "AGREEMENT", True),
    "length": Knob("index.confidence", "LENGTH", True),
    "near_passage": Knob("index.confidence", "PASSAGE", True),
    "near_post": Knob("index.confidence", "POST", True),
    "near_blog": Knob("index.confidence", "BLOG", True),
} | {
    field.name: Knob("index.ranking", "WEIGHTS", False, field=field.name)
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
    "mentioned=0",
    "mentioned=12",
    "in_passing=1.0",
    "padding=0",
    "pointers=on",
    "limiting=off",
    "synonyms=off",
    "stemming=off",
    "folding=off",
)
"""What `--ablations` varies, one after the other; each part is what `--ablate` takes."""
