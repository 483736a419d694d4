"""Take a request for posts apart: of "find the posts I wrote about caching", what they are about.

The words that ask for posts are in hardly any post, or in all, and do not tell which is meant. So
what is searched for is the subject: what stands between an opening that names posts or their
writing and leads on ("about"), and an ending that names them. Both consist of known words alone
(`index/data/request_words.txt`). Each word is written as the letter of its kind, so that a pattern
over letters tells where an opening ends and where an ending begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from blog_search_mcp.index.analysis.languages import CJK, function_words
from blog_search_mcp.index.analysis.tokenizer import to_simplified

_WORDS = Path(__file__).parents[1] / "data" / "request_words.txt"

SUBJECT, FILLER, SEPARATOR, COLON = "x", "f", ",", ":"

KINDS = {
    "filler": FILLER,
    "polite": SEPARATOR,
    "ending": "e",
    "short writing": "v",
    "writing": "V",
    "posts": "N",
    "after posts": "o",
    "leading": "C",
    "asking": "Q",
    "subject": SUBJECT,
}
"""By the kind of a word in the table, its letter; of a word with several, the last here. Fillers
may stand anywhere in a request, "ending" ones begin an ending too; "leading" words lead on to the
subject, those "after posts" where they follow the noun, "short writing" likewise; what is "asking"
(how, why) asks for more than posts, and "subject" words begin with others of the table."""


@dataclass(frozen=True, slots=True)
class _Grammar:
    """How some languages ask for posts, as patterns over the letters of kinds."""

    openings: tuple[re.Pattern[str], ...]
    """The longest match at the start is the opening."""
    ending: re.Pattern[str]
    """Of a query with an opening."""
    lone_ending: re.Pattern[str]
    """Of a query without one."""


_LATIN = _Grammar(
    openings=(
        re.compile(r"[^xQ]*([NV]f?C|Nf{0,2}o)"),  # any posts about
        re.compile(r"[^xQ]*N[^xQ]*[V:]"),  # the post that explains
        re.compile(r"[^xQ]*[Co](?=.*V[fe,]*$)"),  # was habe ich zu ... geschrieben
    ),
    ending=re.compile(r"[,:][^x]*$|[eCo][^x]*[NV][^x]*$|V[fe,]*$|[eo][fe]+,*$"),
    lone_ending=re.compile(r"[,:][^x]*[NV][^x]*$"),
)
_CHINESE = _Grammar(
    openings=(
        re.compile(r"[^xQ]*C"),  # 關於
        re.compile(r"[^xQ]+V([fe]*N)?"),  # 我寫過一篇
        re.compile(r"[^xQ]*N[fe]{0,2}v"),  # 哪篇文章有講
        re.compile(r"[^xQ]+N,"),  # 我那篇, and a space
    ),
    ending=re.compile(r"[e,:][^x]*[NVv][^x]*$|[Ne,]+$"),
    lone_ending=re.compile(r"[,:][^x]*[NV][^x]*$|e[^x]*N[^x]*$"),
)
_JAPANESE = _Grammar(
    openings=(
        re.compile(r"[^x]*N[fe,]+"),  # ブログで
        re.compile(r"[^x]*V(f*Ne)?"),  # 以前書いた
    ),
    ending=re.compile(r"C[^x]*$|[e,:][^x]*[NV][^x]*$"),
    lone_ending=re.compile(r"C[^x]*$|[e,:][^x]*N[^x]*$|,V[^x]*$"),
)
_GRAMMARS = {"": _LATIN, "zh": _CHINESE, "ja": _JAPANESE}

_PIECE = re.compile(
    rf"(?P<run>[{CJK}々ー]+)|(?P<word>[^\W_{CJK}々ー]+(?:['’-][^\W_{CJK}々ー]+)*)|(?P<sign>[^\w\s])"
)
_EAST_ASIAN = re.compile(f"[{CJK}]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_QUOTES = '"“”„‚«»「」『』《》'
_SEPARATORS = frozenset(f",;–—-，、；。.!！?？{_QUOTES}")
_SIGNS = {":": COLON, "：": COLON, **dict.fromkeys(_SEPARATORS, SEPARATOR)}


@dataclass(frozen=True, slots=True)
class _Unit:
    """A word or sign of a query, by its characters' places, and the letter of its kind."""

    start: int
    end: int
    kind: str


def find_subject(query: str) -> str:
    """Return what a query asks for posts about, or the query itself if it is no such request."""
    language = ""
    if _EAST_ASIAN.search(query):
        language = "ja" if _KANA.search(query) else "zh"
    grammar, units = _GRAMMARS[language], list(_split_units(query, language))
    kinds = "".join(unit.kind for unit in units)
    matches = (opening.match(kinds) for opening in grammar.openings)
    first = max((match.end() for match in matches if match), default=0)
    if first:
        ending = grammar.ending.search(kinds, first)
    else:
        ending = grammar.lone_ending.search(kinds) if "Q" not in kinds else None
        first = len(kinds) - len(kinds.lstrip("fN,")) if ending else 0
    last = ending.start() if ending else len(units)
    if (first, last) == (0, len(units)) or SUBJECT not in kinds[first:last]:
        return query
    return query[units[first].start : units[last - 1].end].strip(f" {_QUOTES}")


def _split_units(query: str, language: str) -> Iterator[_Unit]:
    for piece in _PIECE.finditer(query):
        start, end = piece.span()
        if language and start and query[start - 1].isspace():
            yield _Unit(start, start, SEPARATOR)
        if piece["run"]:
            yield from _split_run(piece[0], start, language)
        elif piece["sign"]:
            yield _Unit(start, end, _SIGNS.get(piece[0], SUBJECT))
        else:
            word = piece[0].lower().replace("’", "'")
            is_number = word.isdecimal()
            yield _Unit(start, end, FILLER if is_number else _kinds_of("").get(word, SUBJECT))


def _split_run(run: str, start: int, language: str) -> Iterator[_Unit]:
    """Split a run without spaces into the longest words of the table, else single characters."""
    known = _kinds_of(language)
    longest = max(map(len, known))
    text, place = to_simplified(run) if language == "zh" else run, 0
    while place < len(run):
        ends = range(min(place + longest, len(run)), place + 1, -1)
        end = next((end for end in ends if text[place:end] in known), place + 1)
        yield _Unit(start + place, start + end, known.get(text[place:end], SUBJECT))
        place = end


@cache
def _kinds_of(language: str) -> Mapping[str, str]:
    """By word, the letter of its kind: in a language, or in those with spaces between words."""
    languages = (language,) if language else ("en", "de")
    found = dict.fromkeys(_function_words(language), FILLER)
    rows = [row.split("\t") for row in _WORDS.read_text(encoding="utf-8").splitlines()]
    for kind, letter in KINDS.items():
        for code, name, words in rows:
            if name == kind and code in languages:
                found |= dict.fromkeys(words.split(), letter)
    return found


def _function_words(language: str) -> Iterable[str]:
    """Fillers of every request: in Japanese any hiragana, in Chinese none but the table's."""
    if language == "ja":
        return map(chr, range(0x3041, 0x3097))
    return () if language else function_words("en") | function_words("de")
