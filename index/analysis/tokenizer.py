"""Analyse text into the terms that the lexical index counts; one function for posts and queries.

Case, width, accents and Chinese script are folded, and words are stemmed by the rules of the text's
language. Han and kana runs, which have no spaces, become bigrams. Identifiers stay whole beside
their parts, so that `faiss.IndexFlatIP`, `IndexFlatIP` and `flat index` all find the same passage.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from operator import add
from pathlib import Path
from typing import NamedTuple, Protocol

from blog_search_mcp.index.analysis.languages import CJK, stemmer_of


class Stemmer(Protocol):
    """One algorithm; it keeps the word it works on in itself, so that two threads need two."""

    def stemWord(self, word: str, /) -> str:  # noqa: N802 - the library's own name
        """Return the stem of a word in lower case."""


class _Known(threading.local):
    def __init__(self) -> None:
        self.stemmers: dict[str, Stemmer] = {}


_KNOWN = _Known()


def snowball(algorithm: str) -> Stemmer:
    """Return the thread's own, such as of `english`. Raises KeyError for an unknown one."""
    found = _KNOWN.stemmers.get(algorithm)
    if found is None:
        import Stemmer as Snowball  # no part of an ingest that changes nothing

        # `index.analysis.tokenizer.stem` remembers words itself.
        found = _KNOWN.stemmers[algorithm] = Snowball.Stemmer(algorithm, 0)
    return found


SHORTEST_KATAKANA = 4
"""Characters of a katakana word with a long mark at its end from which on some leave it out:
コピー and キー always have theirs. Lucene's JapaneseKatakanaStemFilter draws the line there."""

_APART = re.compile("[\u1100-\u11ff\u3099\u309a\uff9e\uff9f]")
_CHARACTER = re.compile(
    "[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|.[\u3099\u309a\uff9e\uff9f]?", re.DOTALL
)
_LONG = "\u30fc\uff70"
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc\u31f0-\u31ff\uff66-\uff9d]")


def characters(run: str) -> list[str]:
    """The characters of `run`, which they make up together."""
    found = _CHARACTER.findall(run) if _APART.search(run) else list(run)
    return list(_ended(found)) if _LONG[0] in run or _LONG[1] in run else found


def without_final_mark(character: str) -> str:
    """A character of `characters` without the long mark that ends a word."""
    return character[:-1] if len(character) > 1 and character[-1] in _LONG else character


def _ended(found: Sequence[str]) -> Iterator[str]:
    """The same characters, the one before a last long mark together with it."""
    last = [_is_last(found, place) for place in range(len(found))]
    for place, character in enumerate(found):
        if not last[place]:
            yield character + (found[place + 1] if True in last[place + 1 : place + 2] else "")


def _is_last(found: Sequence[str], place: int) -> bool:
    """Whether the character is a long mark that ends a word long enough to lack it."""
    before = found[max(place + 1 - SHORTEST_KATAKANA, 0) : place]
    after = found[place + 1 : place + 2]
    return (
        found[place] in _LONG
        and len(before) == SHORTEST_KATAKANA - 1
        and all(map(_KATAKANA.match, before))
        and not any(map(_KATAKANA.match, after))
    )


_TABLE = Path(__file__).parents[1] / "data" / "traditional_to_simplified.txt"


def to_simplified(text: str) -> str:
    """`text` with every Traditional character as its commonest Simplified one."""
    return text if text.isascii() else text.translate(_table())


@cache
def _table() -> dict[int, int]:
    traditional, simple = _TABLE.read_text(encoding="utf-8").splitlines()
    return str.maketrans(traditional, simple)


LONGEST = 64
"""Characters of a term that count: beyond, it is data (a hash, an inlined file), not a word."""

_ACCENTS = "\u0300-\u036f"
_WORD = rf"(?:(?:[a-zA-Z0-9]++|[^\W_{CJK}a-zA-Z0-9]++)[{_ACCENTS}]*+)++"
_NAME = rf"{_WORD}(?:[._:/\-'’@+#]+{_WORD})*(?:\+\+|#)?"
TOKEN = re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<name>{_NAME})")
"""A run of characters that makes terms; the group that matched says by which rules."""
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
"""Characters of which nothing but their script is folded."""
_PART = re.compile(_WORD)
_HUMP = re.compile(
    rf"[A-Z]+(?=[A-Z][a-z])|[A-Z]?(?:[^\WA-Z\d_][{_ACCENTS}]*)+|[A-Z]+|\d+",
)
_ACCENT = re.compile(f"[{_ACCENTS}]")
_ENCLITICS = {"s", "t", "d", "re", "ll", "ve", "m"}
"""What English writes after an apostrophe; no word by itself."""


class Term(NamedTuple):
    """A term in both spellings and the characters of the text it stands for."""

    stem: str
    exact: str
    start: int
    end: int


def terms(text: str, language: str = "en") -> Iterator[Term]:
    """The terms of `text` in its order; an identifier comes before its parts.

    `language` is that of the text (`index.analysis.languages`), and decides how words are stemmed.
    """
    stemmer = stemmer_of(language)
    for match in TOKEN.finditer(text):
        if match["cjk"]:
            yield from _grams(match["cjk"], match.start())
        else:
            yield from _names(match["name"], match.start(), stemmer)


def index_terms(text: str, language: str = "en") -> str:
    """The stems that `terms` gives of a text, each apart by a space, and faster."""
    known = _stemmed_runs(stemmer_of(language))
    if len(known) > MOST_RUNS:
        known.clear()
    return " ".join([known[run] for run in _runs().findall(text)])


@cache
def _runs() -> re.Pattern[str]:
    """As TOKEN without its groups; a search needs none and does not wait for it."""
    return re.compile(rf"[{CJK}]+|{_NAME}")


def join_terms(parts: Iterable[str]) -> str:
    """The terms of several texts as those of one."""
    return " ".join(filter(None, parts))


MOST_RUNS = 65536
"""Runs whose terms are kept, by stemmer: some 20 MB."""

LONGEST_RUN = 32
"""Characters of a run whose terms are kept; longer ones hardly come again."""


class _StemmedRuns(dict[str, str]):
    """The stems of runs of characters, made when they are first looked up."""

    def __init__(self, stemmer: str) -> None:
        super().__init__()
        self._stemmer = stemmer

    def __missing__(self, run: str) -> str:
        match = TOKEN.match(run)
        is_name = match is None or match["cjk"] is None
        made = " ".join(
            [term.stem for term in _names(run, 0, self._stemmer)] if is_name else [_stem_grams(run)]
        )
        if len(run) <= LONGEST_RUN:
            self[run] = made
        return made


_stemmed_runs = cache(_StemmedRuns)


def _stem_grams(run: str) -> str:
    if _HAN.fullmatch(run):
        folded = to_simplified(run)
        return " ".join(map(add, folded, folded[1:])) or folded
    letters = [fold(without_final_mark(character)) for character in characters(run)]
    return " ".join([first + second for first, second in pairwise(letters)] or letters)


def _grams(run: str, offset: int) -> Iterator[Term]:
    own = characters(run)
    folded = [fold(without_final_mark(character)) for character in own]
    places = list(accumulate(map(len, own), initial=offset))
    if len(own) == 1:
        yield Term(folded[0], folded[0], places[0], places[1])
    for place, (first, second) in enumerate(pairwise(folded)):
        yield Term(first + second, first + second, places[place], places[place + 2])


def _names(name: str, offset: int, stemmer: str) -> Iterator[Term]:
    if name.isalnum():
        yield from _words(name, offset, stemmer)
        return
    words = list(_PART.finditer(name))
    spoken = "'" in name or "’" in name
    if not spoken and (len(words) > 1 or name[-1] in "+#"):
        whole = fold(name)
        yield Term(whole, whole, offset, offset + len(name))
    for word in words:
        if not (spoken and word.start() and word[0].lower() in _ENCLITICS):
            yield from _words(word[0], offset + word.start(), stemmer)


def _words(word: str, offset: int, stemmer: str) -> Iterator[Term]:
    yield _term(word, offset, stemmer)
    humps = [] if word.islower() and word.isalpha() else list(_HUMP.finditer(word))
    if len(humps) > 1:
        for hump in humps:
            yield _term(hump[0], offset + hump.start(), stemmer)


def _term(word: str, start: int, stemmer: str) -> Term:
    return Term(stem(word, stemmer), fold(word), start, start + len(word))


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """A word without case, width, accents or Traditional characters.

    Some compatibility forms (`ﷺ`) are phrases or begin with a space; the spaces go.
    """
    if word.isascii():
        return "".join(word[:LONGEST].lower().split())
    compatible = unicodedata.normalize("NFKC", word[:LONGEST]).casefold()
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", compatible))
    return to_simplified("".join(unicodedata.normalize("NFC", bare).split()))


_NO_SIGNS = {code: None for code in range(128) if not (chr(code).isalnum() or chr(code) in "+#")}


def name_key(text: str) -> str:
    """Return what two spellings of one name share: letters, digits and signs such as + and #.

    Width, case, spaces and marks do not count, and Chinese of both scripts is one.
    """
    if text.isascii():
        return text.lower().translate(_NO_SIGNS)
    folded = to_simplified(unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in folded if c.isalnum() or c in "+#")


@cache
def _word_or_character() -> re.Pattern[str]:
    """Match a word, or one character of a script without spaces; few queries need it."""
    return re.compile(rf"[{CJK}]|[^\W_{CJK}]+")


def spell_words(text: str) -> str:
    """Return the words of `text` with a blank around each, as what holds another's is searched for.

    Width, case and punctuation do not count, and Chinese of both scripts is one.
    """
    folded = text if text.isascii() else to_simplified(unicodedata.normalize("NFKC", text))
    return f" {' '.join(_word_or_character().findall(folded.casefold()))} "


@lru_cache(maxsize=131072)
def stem(word: str, algorithm: str) -> str:
    """The folded stem of a word by one of Snowball's algorithms.

    Accents are folded last: endings such as Portuguese -ção are told by them. What ends in a
    digit has no other ending; pages of issue numbers and hashes are the longest there are.
    """
    index_terms = unicodedata.normalize("NFKC", word[:LONGEST]).lower()
    return fold(
        index_terms if index_terms[-1:].isdecimal() else snowball(algorithm).stemWord(index_terms)
    )
