"""Split text into the terms that the lexical index counts; one grammar for posts and queries.

Case, width, accents, strokes, forms of letters and Chinese script are folded, and words are stemmed
by the rules of the text's language. Words have letters, digits and marks, no invisible characters.
Text without spaces becomes pairs of neighboring characters. Two neighboring parts of an identifier
are also one term without the separator, so `frontend` finds `front-end`. A version is split from
the word before it and also gives its prefixes (1.2 of 1.2.3). Thousands separators are removed.
"""

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence, Set
from functools import cache, lru_cache
from itertools import chain, pairwise, zip_longest
from typing import NamedTuple

from blog_search_mcp.index.text.languages import (
    CJK,
    NOT_LATIN,
    SOUTHEAST_ASIAN,
    read_rows,
    stemmer_of,
)

LONGEST_TERM = 64
"""Maximum characters of a word before folding; the rest is cut, since it is data (a hash)."""
_INVISIBLE = (
    "\xad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef"
)
"""Default_Ignorable_Code_Point without Hangul fillers, tags, notation controls and unassigned."""
_BLOCKS = chain(range(0x300, 0x3100), range(0xA66F, 0xAC00), range(0xFB1E, 0xFE30))
_MARK_RUNS = "".join(c if unicodedata.category(c)[0] == "M" else " " for c in map(chr, _BLOCKS))
_MARKS = _INVISIBLE + "".join(f"{run[0]}-{run[-1]}" for run in _MARK_RUNS.split())
"""Marks of the BMP and invisible characters, as ranges, which compile 5 ms faster than a list."""
_UNSPACED = f"{CJK}{SOUTHEAST_ASIAN}"
_NUMERAL = r"(?=\d)(?:\d++(?:[.,]\d++)++|\d{1,3}(?:['’_\u00a0\u2009\u202f]\d{3})++(?!\d))"
_WORD_LETTERS = rf"(?:(?:[a-zA-Z0-9]++|[^\W_ʼ{_UNSPACED}a-zA-Z0-9]++)[{_MARKS}]*+)++"
_SIGN = r"(?:\+\+|\#(?!\w))"
_APOSTROPHES = "'’ʼ"
_JOINERS = rf"._:/\\\-‐‑@+\#{_APOSTROPHES}{_INVISIBLE}"
_NAME_PIECE = rf"(?:{_NUMERAL}|{_WORD_LETTERS}{_SIGN}?)"
_IDENTIFIER = rf"(?=\w)(?:(?=[\w{_JOINERS}])[{_JOINERS}]{{0,16}}+{_NAME_PIECE})++"
_SYMBOLS = "¢-§©®™₠-₿←-⏿☀-➿\u2b00-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
_LONG_NUMBER = r"\b(?=[A-Z\d])(?:[A-Z]{2}\d\d|\d{1,5})(?=(?:[ -]?\d){8})(?:[ -]\d{1,7}){2,8}\b"
_TERM_RUN = re.compile(
    rf"[{_UNSPACED}][{_UNSPACED}{_MARKS}]*+|{_LONG_NUMBER}|\b[1-9]\d?(?: \d{{3}}){{2}}\b"
    rf"|(?:\.(?<![\w.]\.)(?=[a-zA-Z]))?+{_IDENTIFIER}|[{_SYMBOLS}][{_INVISIBLE}]*+"
)
"""A run of characters that gives terms. A name may begin with a dot (.NET). A long number may have
blanks (ISBN, telephone). Symbols exclude box drawing, blocks, geometric shapes and skin tones."""
_EAST_ASIAN = re.compile(f"[{_UNSPACED}{_SYMBOLS}]")
_NAME_PART = re.compile(
    rf"(?P<number>{_NUMERAL})|(?P<word>[^\W\d_{_UNSPACED}]++(?=\d+\.\d)|{_WORD_LETTERS})(?P<sign>{_SIGN}?)"
)
_HUMP = re.compile(
    rf"[A-Z]{{2,}}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[\u0620-\u06d3]{{1,40}}+(?=\u200c)"
    rf"|[A-Z]?(?:[^\WA-Z\d_][{_MARKS}]*)+|[A-Z]+|\d+"
)
"""A hump of a name (APIs is one), or the part of a Persian word before a zero-width non-joiner."""
_THOUSANDS = re.compile(
    r"([1-9]\d{0,2}(?:([.,'’_\u00a0\u2009\u202f])\d{3})(?:\2\d{3})*|[1-9]\d?(?:,\d\d)+,\d{3})"
    r"(?:[.,](\d+))?"
)
"""A number with thousands separators (all the same, or Indian grouping), and its decimals."""
MOST_VERSION_PARTS = 4
"""Maximum leading parts of a version that make one term (1.2.3.4)."""
LONGEST_PART = 3
"""Digits above which a part of a version is also a term (a year), unless it is the first part."""
_ENCLITICS = {"s", "t", "d", "re", "ll", "ve", "m"}
"""English endings after an apostrophe, which are no separate words."""
_APOSTROPHE_NAME = re.compile(rf"[A-Z][{_APOSTROPHES}][A-Z]\w+(?:[{_APOSTROPHES}]s)?")
"""A name such as O'Reilly or D'Angelo, whose joined parts are a term too, unlike those of l'eau."""
_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
"""Spellings of letters for keyboards that lack them."""
_UNIFIED = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
"""Han characters, which folding changes only from Traditional to Simplified."""
_LETTER = re.compile(
    rf"[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|.[\uff9e\uff9f{_MARKS}]*", re.DOTALL
)
"""A character of a script without spaces with the marks or the jamo that belong to it."""
_KATAKANA = "[\u30a1-\u30fa\u30fc\u31f0-\u31ff]"
_FINAL_MARK = re.compile(rf"(?<={_KATAKANA}{{3}})\u30fc(?!{_KATAKANA})")
"""The long mark at the end of a katakana word of four characters or more. Some writers omit it, but
not in shorter words (コピー, キー). Lucene's JapaneseKatakanaStemFilter has this limit too."""
LARGE_KATAKANA = str.maketrans(*read_rows("kana.txt"))
"""Large katakana of each kana, for stems: リンゴ for りんご, ウインドウ for ウィンドウ."""
EXTRA = "extra"
"""Role of a term that gets an IDF of 0, whatever its frequency: a passage may lack it."""
WHOLE = "whole"
"""Role of a term that gets an IDF only if no document has it; otherwise its parts count. A passage
that has an EXTRA or WHOLE term counts as having its parts."""
SPELLING = "spelling"
"""Role of another spelling of the term before."""
MAJOR = "major"
"""Role of a version's first number, which is indexed but not searched."""


class Term(NamedTuple):
    """A term, stemmed and unstemmed, and the characters of the text that it stands for."""

    stem: str
    exact: str
    start: int
    end: int
    role: str = ""
    """EXTRA, WHOLE, SPELLING, MAJOR or `""`."""


def terms(text: str, language: str = "en", among: Set[str] | None = None) -> Iterator[Term]:
    """Yield the terms of `text` in order; an identifier comes before its parts.

    `language` is the text's (`index.text.languages`) and selects the stemmer. If `among` is given,
    only terms with one of these stems are yielded.
    """
    stems_of = _stems_of_runs(language)
    for match in _TERM_RUN.finditer(text):
        run, place = match[0], match.start()
        if among is not None and among.isdisjoint(stems_of[run].split()):
            continue
        split = _split_term_run if len(run) <= LONGEST_RUN else _split_term_run.__wrapped__
        for stem, exact, start, end, role in split(run, language):
            if among is None or stem in among:
                yield Term(stem, exact, place + start, place + end, role)


LONGEST_RUN = 32
"""Maximum characters of a run whose terms are cached; longer runs seldom come again."""


def index_terms(text: str, language: str = "en") -> str:
    """Return the stems of `terms` joined by spaces; faster than `terms`."""
    return " ".join(map(_stems_of_runs(language).__getitem__, _TERM_RUN.findall(text)))


class _StemsOfRuns(dict[str, str]):
    """Cache of runs' stems, joined by spaces; three times as fast as `lru_cache`."""

    def __init__(self, language: str) -> None:
        self._language = language

    def __missing__(self, run: str) -> str:
        if run.isascii() and run.isalpha() and run[1:].islower():  # has no parts
            stems = stem(run, stemmer_of(self._language))
        else:
            parts = _split_term_run.__wrapped__(run, self._language)
            stems = " ".join([term.stem for term in parts])
        if len(run) <= LONGEST_RUN:
            if len(self) >= 32_768:
                self.clear()
            self[run] = stems
        return stems


_stems_of_runs = lru_cache(maxsize=16)(_StemsOfRuns)


@lru_cache(maxsize=16384)
def _split_term_run(run: str, language: str) -> Sequence[Term]:
    is_east_asian = _EAST_ASIAN.match(run)
    return tuple(_pair_letters(run) if is_east_asian else _split_name(run, stemmer_of(language)))


def _pair_letters(run: str) -> Iterator[Term]:
    """Yield pairs of neighboring characters of a run without spaces, or its only character."""
    letters, bounds = _fold_letters(run)
    if len(letters) == 1:
        yield Term(letters[0].translate(LARGE_KATAKANA), letters[0], bounds[0], bounds[-1])
    for place, (first, second) in enumerate(pairwise(letters)):
        pair = first + second
        yield Term(pair.translate(LARGE_KATAKANA), pair, bounds[place], bounds[place + 2])


def _fold_letters(run: str) -> tuple[list[str], list[int]]:
    """Return a run's folded characters, and the start of each with the end of the last one."""
    if _UNIFIED.fullmatch(run):
        return list(to_simplified(run)), list(range(len(run) + 1))
    matches = list(_LETTER.finditer(run))
    folded = [fold(match[0]) for match in matches]
    joined = "".join(letter[:1] or " " for letter in folded)
    marks = {mark.start() for mark in _FINAL_MARK.finditer(joined)}
    kept = [place for place in range(len(folded)) if place not in marks]
    starts = [matches[place].start() for place in kept]
    return [folded[place] for place in kept], [*starts, len(run)]


def _split_name(name: str, stemmer: str) -> Iterator[Term]:
    """Yield each part of a name, after the term that joins it with the next part."""
    parts, spoken = list(_NAME_PART.finditer(name)), any(mark in name for mark in _APOSTROPHES)
    spoken = spoken and not _APOSTROPHE_NAME.fullmatch(name)
    joined = re.sub("[ -]", "", name).lower()
    if len(parts) > 1 and len(joined) > 6 and joined[2:].isdecimal():
        yield Term(joined, joined, 0, len(name), EXTRA)
    if name[0] == ".":
        yield Term(dotted := fold(name[: parts[0].end()]), dotted, 0, parts[0].end())
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        start, word = part.start(), part["word"]
        if after and not spoken:
            yield from _join_parts(name, part, after, stemmer)
        if part["sign"]:
            yield Term(signed := fold(part[0]), signed, start, part.end())
        if not word:
            yield from _split_number(part[0], start)
        elif word in "vV" and after and after.start() == part.end() and after["number"]:
            continue
        elif not (spoken and start and word.lower() in _ENCLITICS):
            yield from _split_word(word, start, stemmer)


def _join_parts(
    name: str, part: re.Match[str], after: re.Match[str], stemmer: str
) -> Iterator[Term]:
    """Yield two parts as one word (10-20 as 10.20), EXTRA if by a hyphen, blank or apostrophe."""
    between, both = name[part.end() : after.start()], part[0] + after[0]
    if between and part["word"] and after["word"]:
        if both.isdecimal():
            both = f"{part[0]}.{after[0]}"
        role = EXTRA if between in f" -‐‑{_APOSTROPHES}" else ""
        yield Term(stem(both, stemmer), fold(both), part.start(), after.end(), role)


def _split_number(number: str, offset: int) -> Iterator[Term]:
    """Yield a number without thousands separators, a version and its prefixes, or a day's parts."""
    groups = re.findall(r"\d+", number)
    values = [".".join(groups[:count]) for count in range(1, len(groups[:MOST_VERSION_PARTS]) + 1)]
    if thousands := _THOUSANDS.fullmatch(number):
        whole = re.sub(r"\D", "", thousands[1])
        versions = values[:0:-1] if number.count(".") == len(groups) - 1 else []
        values = [whole, f"{whole}.{thousands[3]}"][: 2 if thousands[3] else 1]
        roles = [*([""] * len(values)), SPELLING, EXTRA, EXTRA]
        values += versions  # since it may be a part of an address (192.168)
    else:
        roles = [MAJOR, "", *[EXTRA] * len(groups)]
        values += [group for group in groups[1:] if len(group) > LONGEST_PART]
        if [*map(len, groups[2:])] == [4] and "," not in number:  # a day: 12.03.2019
            values, roles = groups, []
        if "," in number:
            values, roles = groups + values[1:] * (len(groups) == 2), []
    for value, role in zip_longest(map(fold, values), roles[: len(values)], fillvalue=""):
        yield Term(value, value, offset, offset + len(number), role)


def _split_word(word: str, start: int, stemmer: str) -> Iterator[Term]:
    is_whole = re.fullmatch(r"[^\WA-Z\d_]+|[A-Za-z]\d+[A-Za-z]", word)  # as k8s
    humps = [] if is_whole else [*_HUMP.finditer(word)]
    end = start + len(word)
    role = "" if len(humps) < 2 else WHOLE if word.isalpha() else EXTRA
    yield Term(stem(word, stemmer), fold(word), start, end, role)
    if not word.isascii():
        lower = unicodedata.normalize("NFC", word).lower()
        if (spelled := lower.translate(_TWO_LETTERS)) != lower:
            yield Term(stem(spelled, "en"), fold(spelled), start, end, SPELLING)
    for hump in humps if len(humps) > 1 else ():
        place, part = start + hump.start(), hump[0]
        if part not in "vV" and not (hump.start() and part in ("st", "nd", "rd", "th")):
            yield Term(stem(part, stemmer), fold(part), place, place + len(part))


def to_simplified(text: str) -> str:
    """Replace every Traditional character by its commonest Simplified one."""
    return text if text.isascii() else text.translate(_read_simplified())


@cache
def _read_simplified() -> dict[int, int]:
    return str.maketrans(*read_rows("traditional_to_simplified.txt"))


_BASE_LETTER = re.compile(r"LATIN SMALL LETTER ([A-Z]) WITH ")
_SAME_LETTERS = {ord(row[0]): row[2:] for row in read_rows("same_letters.txt")}
"""Replacements of letters that NFD does not decompose, from Lucene's ASCIIFoldingFilter,
ArabicNormalizer and HindiNormalizer, and EquivalentUnifiedIdeograph.txt."""


class _Folding(dict[int, int | str]):
    """Searched form of a code point of NFD text: base letter, digit, or `""` for some marks."""

    def __missing__(self, code: int) -> int | str:
        letter = chr(code)
        order = unicodedata.combining(letter)
        if base := _BASE_LETTER.match(unicodedata.name(letter, "")):
            letter = base[1].lower()
        elif order in {1, *range(10, 37)} or order >= 200 or code == 0x93C:
            letter = ""  # optional: accents, points of Hebrew and Arabic, Devanagari's nukta
        elif letter.isdecimal():
            letter = str(unicodedata.decimal(letter))
        return self.setdefault(code, letter)


@cache
def _folding() -> _Folding:
    return _Folding({**_read_simplified(), **_SAME_LETTERS})


def normalize_text(text: str) -> str:
    """Fold case, width, accents, letters' forms, Chinese script; remove invisible characters."""
    if text.isascii():
        return text.lower()
    compatible = unicodedata.normalize("NFKC", _INVISIBLE_CHARACTERS.sub("", text)).casefold()
    bare = unicodedata.normalize("NFD", compatible).translate(_folding())
    return unicodedata.normalize("NFC", bare)


_INVISIBLE_CHARACTERS = re.compile(f"[{_INVISIBLE}]")


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """Return the searched form of a word: its first LONGEST_TERM characters, normalized.

    Spaces are removed, since some compatibility forms (`ﷺ`) are phrases or begin with one.
    """
    return "".join(normalize_text(_INVISIBLE_CHARACTERS.sub("", word)[:LONGEST_TERM]).split())


@lru_cache(maxsize=131072)
def stem(word: str, stemmer: str) -> str:
    """Return the folded stem of a word by a Snowball stemmer (`languages.stemmer_of`).

    Accents are folded last, since endings such as Portuguese -ção need them. A word that ends in a
    digit is not stemmed, which saves time on pages of hashes and numbers. A stemmer of another
    script leaves ASCII words to the English one.
    """
    lower = unicodedata.normalize(
        "NFKC", _INVISIBLE_CHARACTERS.sub("", word)[:LONGEST_TERM]
    ).lower()
    if stemmer in NOT_LATIN and lower.isascii():
        stemmer = "en"
    elif stemmer == "ar":  # write the article and the ending as Snowball knows them
        lower = re.sub("ه$", "ة", re.sub("^[وف]?(?:[بك]?ال|لل)(?=...)", "ال", lower))
    return fold(lower if lower[-1:].isdecimal() else _snowball(lower, stemmer))


_THREAD = threading.local()
"""Stemmers by name, per thread: a stemmer keeps its current word, so threads cannot share one."""


def _snowball(word: str, stemmer: str) -> str:
    stemmers = _THREAD.__dict__
    if stemmer not in stemmers:
        from Stemmer import Stemmer  # late: an ingest that changes nothing does not need it

        stemmers[stemmer] = Stemmer(stemmer, 0)
    return str(stemmers[stemmer].stemWord(word))


_NOT_IN_NAMES = re.compile(rf"[^\w{_MARKS}+#]|_")


def name_key(text: str) -> str:
    """Return a key that all spellings of a name share: letters, digits, + and #.

    Width, case, accents, spaces, punctuation and the script of Chinese do not count.
    """
    return _NOT_IN_NAMES.sub("", normalize_text(text))


def split_name(name: str) -> set[str]:
    """Return the folded words of a person's name."""
    return {fold(word) for word in re.findall(r"[^\W_]+", name)}


def spell_words(text: str) -> str:
    """Return normalized words between blanks, so that a phrase is found as a substring."""
    words = re.findall(rf"[{_UNSPACED}]|{_WORD_LETTERS}", normalize_text(text))
    return f" {' '.join(words)} "
