"""`NAME=VALUE` in, the program changed in that one respect while a block runs.

A constant is set wherever it was imported, so that one line on the command
line answers what it is worth. Nothing of this is reachable from the program.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import ModuleType

from index.analysis import fold
from index.errors import UsageError
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
    "folding": Knob("index.analysis", "fold", True, str.lower),
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
    for field in dataclasses.fields(Weights)
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


_STEPS = ("ingest.outcome", "ingest.indexing", "index.search")
"""What imports every user of a value: one imported later would keep what was varied."""


@dataclass(frozen=True, slots=True)
class Ablation:
    """One thing varied."""

    name: str
    value: object

    @property
    def reshapes(self) -> bool:
        """Whether an index must be made for it."""
        return KNOBS[self.name].reshapes


def read_ablation(setting: str) -> Ablation:
    """Read `NAME=VALUE`: a number, `off` or `on`. Raises UsageError."""
    name, _, value = setting.partition("=")
    if name not in KNOBS:
        raise UsageError(f"There is no {name!r} to vary. Choose among {', '.join(KNOBS)}.")
    knob = KNOBS[name]
    if knob.without is not None:
        if value != knob.switch:
            way = knob.switch
            raise UsageError(f"{name} can only be switched {way}: write {name}={way}.")
        return Ablation(name, knob.without)
    try:
        return Ablation(name, float(value) if "." in value else int(value))
    except ValueError as error:
        raise UsageError(f"{name} takes a number, not {value!r}.") from error


@contextmanager
def ablated(ablations: Iterable[Ablation]) -> Iterator[None]:
    """Everything varied until the block ends."""
    with ExitStack() as stack:
        stack.callback(_forget)
        for ablation in ablations:
            for undo in _applied(ablation):
                stack.callback(undo)
        _forget()
        yield


def _forget() -> None:
    """Empty what remembers results, which may have been other ones."""
    for module in _modules():
        for value in vars(module).values():
            if getattr(value, "__module__", None) == module.__name__ and hasattr(
                value, "cache_clear"
            ):
                value.cache_clear()


def _modules() -> list[ModuleType]:
    """Every module of the program that is loaded."""
    return [
        module for name, module in sys.modules.items() if name.startswith(("index.", "ingest."))
    ]


def _applied(ablation: Ablation) -> list[Callable[[], None]]:
    """Vary one thing; how to take it back."""
    knob = KNOBS[ablation.name]
    for step in _STEPS:
        import_module(step)
    value = getattr(import_module(knob.module), knob.name)
    if knob.field:
        before = getattr(value, knob.field)
        object.__setattr__(value, knob.field, ablation.value)
        return [partial(object.__setattr__, value, knob.field, before)]
    users = [module for module in _modules() if getattr(module, knob.name, None) is value]
    for module in users:
        setattr(module, knob.name, ablation.value)
    return [partial(setattr, module, knob.name, value) for module in users]
