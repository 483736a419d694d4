"""How well a model's vocabulary covers a text: what it cannot read is not embedded.

Costs no model run. For the multilingual model no tokenizer either, so that the processes that
read posts need not load its 179,000 pieces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from blog_search_mcp.index.embedders.model_files import load_tokenizer

ENGLISH_MODEL: Final = "all-MiniLM-L6-v2"
"""Its vocabulary is that of bert-base-uncased, which other English models share."""

UNCOVERED: Final = 0.45
"""Share of words that are one Latin piece below which a text is foreign (other European
languages lie just above)."""

COVERED: Final = 0.75
"""Share from which a text counts as English throughout; ordinary English prose and code."""

_LATIN = re.compile(r"[a-z]+")

_RUN = re.compile(r"[^ \t\n\r!-/:-@\[-`{-~]+")
"""What BERT's tokenizer reads by itself: it cuts at each of ASCII's spaces and marks."""


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
    pieces = load_tokenizer(ENGLISH_MODEL).encode(run, add_special_tokens=False).tokens
    words = known = 0
    for piece, following in pairwise([*pieces, ""]):
        if piece.startswith("##") or not (piece == "[UNK]" or any(map(str.isalpha, piece))):
            continue
        words += 1
        known += bool(_LATIN.fullmatch(piece)) and not following.startswith("##")
    return words, known


_LETTER = re.compile(r"[^\W\d_]")


@cache
def _read_letter() -> re.Pattern[str]:
    """Match a letter of the multilingual model's vocabulary as packaged, by its script.

    Every other one (Arabic, Hebrew, Thai, Devanagari) is unknown pieces to it. To compile it takes
    5 ms, which an index of another model need not wait for.
    """
    return re.compile(
        "[A-Za-zªµºÀ-ÖØ-öø-\u02af\u1e00-\u1eff\u2c60-\u2c7f\uff21-\uff3a\uff41-\uff5a"  # Latin
        "\u0370-\u0373\u0376-\u03ff\u1f00-\u1fff\u0400-\u052f"  # Greek, Cyrillic
        "\u3005-\u3007\u3041-\u3096\u3099-\u30ff\u3105-\u312f\u31f0-\u31ff\uff66-\uff9f"  # kana
        "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
        "\u1100-\u11ff\u3131-\u318e\uac00-\ud7af]"  # Hangul
    )


def script_coverage(texts: Sequence[str]) -> list[float]:
    """Return the share of each text's letters that the multilingual vocabulary has, in [0, 1].

    0 for a text without a letter, as for an English model.
    """
    return [_share_read(text) for text in texts]


def _share_read(text: str) -> float:
    letters = _LETTER.findall(text)
    return sum(map(bool, map(_read_letter().match, letters))) / len(letters) if letters else 0.0
