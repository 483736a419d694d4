"""Series: which posts of a blog are the parts of one longer text, and in what order.

Authors say so in the front matter, by numbers in titles (`Part 2`, `第二篇`, `(2)`, `2/3`, `Day 3`)
or in the names of files that lie together (`01-intro.md`), and by links from part to part. A number
without such a sign names a release, a year or a quantity as often as a part. So is what stands
before a colon in several titles as often a column of the blog as a series: it counts for three
posts, or two that link to each other.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import permutations
from typing import NamedTuple

from blog_search_mcp.index.relations.addresses import ResolvedLink
from blog_search_mcp.index.relations.paths import parse_path
from blog_search_mcp.index.types import Post, Series, SeriesPart

LAST = 999
"""The number of a last part that is named by a word, such as 下."""

_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_ROMANS = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"]
_HAN = "一二三四五六七八九"
_NUMBERS = {
    **{word: value for words in (_WORDS, _ROMANS, _HAN) for value, word in enumerate(words, 1)},
    **dict(zip("上前中下后後", (1, 1, 2, LAST, LAST, LAST), strict=True)),
}
_NUMBER = rf"(?P<n>\d{{1,3}}|[ivx]{{1,5}}|[{_HAN}十]{{1,3}}|{'|'.join(_WORDS)})"
_MARKERS = tuple(
    re.compile(pattern.replace("NUMBER", _NUMBER), re.IGNORECASE)
    for pattern in (
        r"\b(?:part|pt|teil|partie|parte|deel|del|часть|episode|chapter|kapitel|chapitre"
        r"|lesson|day|week|vol|no|パート)\.?\s*#?NUMBER(?![\w.]*\d)\b",
        r"[第제]\s*NUMBER\s*(?:部分|[篇章部回講讲節节天集課课話话期弹彈週周日卷步편부장회])",
        r"[(\[【]\s*(?:part\s*)?NUMBER\s*(?:(?:/|of)\s*\d{1,3}\s*)?[)\]】]",
        r"(?<![\d./])(?P<n>\d{1,3})\s*(?:/|of)\s*\d{1,3}(?![\d./])",
        r"#(?P<n>\d{1,3})\b(?![.\d])",
        r"[(\[【]?(?P<n>[上中下前后後])(?:[篇編编集][)\]】]?|[)\]】])(?=$|[:\-])",
    )
)
_CHAPTER = re.compile(r"^(?P<chapter>\d{1,2})\.(?P<n>\d{1,2})(?=[\s:-])")
_COUNTED = re.compile(r"^(?P<n>\d{1,3})(?![\w.])")
_CLAUSE = re.compile(r"^(.{4,60}?)\s*(?::\s| - | \| )(?=.)")
_PART = re.compile(
    rf"\bpart (?:\d|{'|'.join(_WORDS)})\b|\b(?:in|of|to) (?:this|the|our) series\b"
    r"|\b(?:first|second|third|fourth|fifth) (?:part|post|article|instal?lment)\b",
    re.IGNORECASE,
)
"""Words on a link that leads to another part of the same series."""

_EDGES = " -:,|[(【#)]】"


class _Sign(NamedTuple):
    """What a post says of being a part."""

    kind: str
    """Of _KINDS."""
    key: tuple[str, ...]
    """What the parts of one series in one language have alike."""
    name: str
    """Of the series, as the title or the folder has it; `""` where that has none."""
    number: int | None = None


_KINDS = ("marked", "chapter", "file", "clause", "series")
"""The surest first, but for the author's word, which joins what has no number too."""


def find_series(
    posts: Mapping[int, Post], links: Mapping[int, Sequence[ResolvedLink]]
) -> list[Series]:
    """Find the series of a blog: `posts` are all by id, `links` those of each that has any.

    A post is in one series at most, and two that authors name stay two. Sorted by the first part's
    source.
    """
    signs: defaultdict[tuple[str, ...], dict[int, _Sign]] = defaultdict(dict)
    whole: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, post in posts.items():
        whole[post.language, _fold(_clean(post.title))].append(number)
        for sign in _signs_of(post):
            signs[sign.kind, post.language, *sign.key].setdefault(number, sign)
    linked = [
        ((number, target.post), link.words)
        for number, of_post in sorted(links.items())
        for link, target in of_post
        if target and posts[target.post].language == posts[number].language
    ]
    pairs = {pair for pair, _ in linked}
    groups, surest = dict[int, set[int]](), dict[int, _Sign]()
    for key, members in sorted(signs.items(), key=lambda it: (_KINDS.index(it[0][0]), it[0])):
        opening = whole.get(key[1:], []) if key[0] in ("marked", "clause") else []
        if joined := _find_parts(key[0], members, opening, pairs):
            surest = members | surest
            _join(groups, posts, joined)
    for pair, words in linked:
        if _PART.search(words):
            _join(groups, posts, pair)
    apart = {id(group): group for group in groups.values()}.values()
    series = [_order(posts, group, surest) for group in apart if len(group) > 1]
    return sorted(series, key=lambda one: one.parts[0].source)


def _signs_of(post: Post) -> Iterator[_Sign]:
    """Yield every sign of a post; the number in a title by the first of _MARKERS that has one."""
    title, path = _clean(post.title), parse_path(post.source)
    folder = re.sub(r"^\d+[-_. ]+", "", path.folder.rpartition("/")[2]).replace("-", " ")
    if match := next(filter(None, (marker.search(title) for marker in _MARKERS)), None):
        number, name = _to_number(match["n"]), title[: match.start()].strip(_EDGES)
        if stem := _fold(name):
            yield _Sign("marked", (stem,), name, number)
        else:
            yield _Sign("chapter", (path.folder, ""), folder, number)
    if chapter := _CHAPTER.match(title):
        yield _Sign("chapter", (path.folder, chapter["chapter"]), folder, int(chapter["n"]))
    if counted := _COUNTED.match(path.undated.replace("_", "-")):
        yield _Sign("file", (path.folder,), folder, int(counted["n"]))
    clause = _CLAUSE.match(title)
    if clause and len(clause[1].split()) > 1:
        yield _Sign("clause", (_fold(clause[1]),), clause[1])
    if post.series:
        yield _Sign("series", (_fold(post.series),), post.series, post.part)


def _find_parts(
    kind: str, members: Mapping[int, _Sign], opening: Sequence[int], linked: Set[tuple[int, int]]
) -> Sequence[int]:
    """Return the parts of a series if posts with one sign, and of its very name, make one."""
    numbers = {sign.number for sign in members.values() if sign.number is not None}
    group = [*opening, *members]
    is_series = True
    if kind == "marked":
        group = [*opening[-1:], *members] if 1 not in numbers else [*members]
        is_series = len(numbers) > 1 or len(group) > len(members)
    elif kind in ("chapter", "file"):
        is_full = len(members) == len(numbers) > 2
        is_series = is_full and min(numbers) <= 1 and max(numbers) < 2 * len(numbers)
    elif kind == "clause":
        is_series = len(group) > 2 or not linked.isdisjoint(permutations(group, 2))
    return group if is_series else ()


def _join(groups: dict[int, set[int]], posts: Mapping[int, Post], members: Sequence[int]) -> None:
    for other in members[1:]:
        one, two = (groups.setdefault(post, {post}) for post in (members[0], other))
        names = {_fold(posts[number].series) for number in one | two} - {""}
        if one is not two and len(names) < 2:
            one |= two
            groups |= dict.fromkeys(two, one)


def _order(posts: Mapping[int, Post], group: Set[int], signs: Mapping[int, _Sign]) -> Series:
    """Order by the author's numbers, else by date; posts without a number come by their date.

    The name is the author's, else that of a sign, else the first title.
    """
    counted = {n: posts[n].part or (signs[n].number if n in signs else None) for n in group}
    numbers = {n: number for n, number in counted.items() if number is not None}
    if len(numbers) < len(group) - 1 or len(set(numbers.values())) < len(numbers):
        numbers = {}
    first = 1 if numbers else 0
    ordered = sorted(
        group, key=lambda n: (numbers.get(n, first), posts[n].date or "", posts[n].source)
    )
    parts = tuple(
        SeriesPart(n, posts[n].source, place if numbers.get(n, LAST) == LAST else numbers[n])
        for place, n in enumerate(ordered, 1)
    )
    names = (*(posts[n].series for n in ordered), *(signs[n].name for n in ordered if n in signs))
    return Series(next(filter(None, names), posts[ordered[0]].title), parts)


def _to_number(text: str) -> int:
    """Read digits, a Roman or Chinese numeral, or an English word."""
    tens, ten, ones = text.casefold().rpartition("十")
    if ten:
        return _NUMBERS.get(tens, 1) * 10 + _NUMBERS.get(ones, 0)
    return int(ones) if ones.isdecimal() else _NUMBERS.get(ones, LAST)


def _clean(text: str) -> str:
    """Fold wide characters and dashes; a title's case stays."""
    return re.sub(r"[\u2010-\u2015]", "-", unicodedata.normalize("NFKC", text)).strip()


def _fold(text: str) -> str:
    """Keep the words of a stem."""
    return " ".join(re.findall(r"\w+", text.casefold()))
