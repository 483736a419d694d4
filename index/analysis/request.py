"""Take a request for posts apart: of "find the posts I wrote about caching", what they are about.

The words that ask for posts are in hardly any post, or in all, and do not tell which is meant. So
what is searched for is the subject, which stands between an opening and an ending; either may be
empty, and both are where a query is no request. The model is a conditional random field over these
three parts (Lafferty, McCallum and Pereira 2001): each way to cut a query is weighed by the words
in the opening and the ending, those around them, and those around the two cuts. The weights are
fitted on sentences that ask for posts and on queries that do not (`python -m tools.fit_requests`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from blog_search_mcp.index.analysis.languages import CJK, function_words
from blog_search_mcp.index.analysis.tokenizer import to_simplified

MODEL_FILE = Path(__file__).parents[1] / "data" / "requests.json"

WORD_WINDOWS = ((0,), (-1,), (1,), (-1, 0), (0, 1), (-1, 0, 1), (-2, -1, 0), (0, 1, 2))
"""The features of a word: the words at these places from it."""

CUT_WINDOWS = ((-1,), (0,), (-2, -1), (-1, 0), (0, 1))
"""The features of a cut: the words at these places from the one behind it."""

MOST_WORDS = 200
"""Words of the longest request: what is longer was pasted."""

UNKNOWN, UNKNOWN_EAST_ASIAN = "?", "？"
"""Stand for the words that the model does not know, nearly all of a subject's."""

START, END = "^", "$"
"""Stand for what is before the first word and behind the last."""

NUMBER, BLANK, QUOTE = "0", "_", '"'
"""Stand for any number, for a blank beside a Han, kana or hangul letter, and for any quotation
mark."""

_QUOTES = "\"'“”„‚‘’«»「」『』《》＂"
_MARKS = "\u0300-\u036f\u3099\u309a"
_LETTER = rf"[^\W_{CJK}][{_MARKS}]*"
_PIECE = re.compile(
    rf"(?P<letter>[{CJK}][{_MARKS}]*)|(?P<word>(?:{_LETTER})+(?:['’](?:{_LETTER})+)*)"
    r"|(?P<blank>\s+)|(?P<sign>.)",
    re.DOTALL,
)
_EAST_ASIAN = re.compile(f"[{CJK}]")
_SILENT_BEHIND = frozenset(f".?!。？！…~～,，、;；:：{BLANK}")
_SILENT_BEFORE = _SILENT_BEHIND - {"."}
"""Signs that say nothing where a query begins or ends; the one in front of .NET does."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A word, a Han, kana or hangul letter, or a sign of a query, by its characters' places."""

    start: int
    end: int
    word: str
    """As it is compared: in NFKC and lower case, and Simplified where it is Chinese."""


class RequestModel(BaseModel):
    """Everything that was fitted, by `python -m tools.fit_requests`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str
    commit: str
    fitted_on: tuple[str, ...]
    """Blogs and collections, beside the tool's sentences."""
    words: frozenset[str]
    """Those of the sentences that ask for posts."""
    in_opening: dict[str, float]
    """Weights by feature of a word in the opening; of one in the subject all are 0."""
    in_ending: dict[str, float]
    after_opening: dict[str, float]
    """Weights by feature of the cut between the opening and the subject."""
    before_ending: dict[str, float]
    least_odds: float
    """Natural log of the odds that the best cut must have against none."""


@cache
def load_request_model() -> RequestModel:
    """Read the packaged model."""
    return RequestModel.model_validate_json(MODEL_FILE.read_bytes())


def find_subject(query: str) -> str:
    """Return what a query asks for posts about, or the query itself if it is no such request."""
    units = split_units(query)
    if not 0 < len(units) <= MOST_WORDS:
        return query
    cuts = find_cuts([unit.word for unit in units], load_request_model())
    first, last = _keep_quotes_paired(units, *cuts)
    subject = units[first:last]
    if subject == units or all(_says_nothing(unit.word) for unit in subject):
        return query
    return _unquote(query[subject[0].start : subject[-1].end])


def _keep_quotes_paired(units: Sequence[Unit], first: int, last: int) -> tuple[int, int]:
    """Let the subject have the quotation mark beside it whose counterpart it has."""
    if sum(unit.word == QUOTE for unit in units[first:last]) % 2:
        if first and units[first - 1].word == QUOTE:
            return first - 1, last
        if last < len(units) and units[last].word == QUOTE:
            return first, last + 1
    return first, last


def _unquote(text: str) -> str:
    inner = text[1:-1]
    is_quoted = text[0] in _QUOTES and text[-1] in _QUOTES and not set(_QUOTES) & set(inner)
    return inner.strip() if is_quoted else text


def _says_nothing(word: str) -> bool:
    return not word.isalnum() or word in _function_words()


@cache
def _function_words() -> frozenset[str]:
    return function_words("en") | function_words("de") | function_words("zh")


def split_units(query: str) -> list[Unit]:
    """Split a query, without the signs where it begins and ends that say nothing."""
    units = list(_split_all(query))
    first, last = 0, len(units)
    while first < last and units[last - 1].word in _SILENT_BEHIND:
        last -= 1
    while first < last and units[first].word in _SILENT_BEFORE:
        first += 1
    return units[first:last]


def _split_all(query: str) -> Iterator[Unit]:
    text = to_simplified(query)
    for piece in _PIECE.finditer(query):
        start, end = piece.span()
        if piece["blank"]:
            beside = query[max(start - 1, 0)] + query[min(end, len(query) - 1)]
            if _EAST_ASIAN.search(beside):
                yield Unit(start, end, BLANK)
        elif piece["sign"]:
            yield Unit(start, end, QUOTE if piece[0] in _QUOTES else piece[0])
        else:
            word = unicodedata.normalize("NFKC", text[start:end]).lower().replace("’", "'")
            yield Unit(start, end, NUMBER if word.isdecimal() else word)


def find_cuts(words: Sequence[str], model: RequestModel) -> tuple[int, int]:
    """Return the places of the first word of the subject and of the first one behind it."""
    known, count = mask_unknown(words, model.words), len(words)
    places = [list(name_features(known, place, WORD_WINDOWS)) for place in range(count)]
    cuts = [list(name_features(known, place, CUT_WINDOWS)) for place in range(count)]
    opening = [0.0, *accumulate(_weigh(each, model.in_opening) for each in places)]
    ending = [0.0, *accumulate(_weigh(each, model.in_ending) for each in reversed(places))][::-1]
    starts = opening[:count]
    ends = ending[1:]
    for place in range(1, count):
        starts[place] += _weigh(cuts[place], model.after_opening)
        ends[place - 1] += _weigh(cuts[place], model.before_ending)
    best = (starts[0] + ends[-1] + model.least_odds, 0, count)
    first = 0
    for last in range(1, count + 1):
        if starts[last - 1] > starts[first]:
            first = last - 1
        best = max(best, (starts[first] + ends[last - 1], first, last), key=lambda cut: cut[0])
    return best[1], best[2]


def mask_unknown(words: Sequence[str], known: Container[str]) -> list[str]:
    """Replace every word that is not known, by its script."""
    return [word if word in known else _choose_unknown(word) for word in words]


def _choose_unknown(word: str) -> str:
    return UNKNOWN_EAST_ASIAN if _EAST_ASIAN.match(word) else UNKNOWN


def name_features(
    words: Sequence[str], place: int, windows: Sequence[tuple[int, ...]]
) -> Iterator[str]:
    """Name the features of a place: the windows' numbers, each with the words in it."""
    for number, offsets in enumerate(windows):
        seen = (_word_at(words, place + offset) for offset in offsets)
        yield f"{number} {' '.join(seen)}"


def _word_at(words: Sequence[str], place: int) -> str:
    if place < 0:
        return START
    return words[place] if place < len(words) else END


def _weigh(features: Sequence[str], weights: Mapping[str, float]) -> float:
    return sum(weights.get(feature, 0.0) for feature in features)
