"""Series: which posts of a blog are the parts of one longer text, and in what order.

Authors say so in the front matter, by numbers in titles (`Part 2`, `第二篇`, `(2)`, `2/3`, `Day 3`)
or in the names of files that lie together (`01-intro.md`), and by links from part to part. A number
without such a sign names a release, a year or a quantity as often as a part. So is what stands
before a colon in several titles as often a column of the blog as a series: it counts for three
posts, or two that link to each other. Titles that differ by their month alone are a report that
comes again.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from blog_search_mcp.index.relations.addresses import ResolvedLink
from blog_search_mcp.index.relations.paths import parse_path
from blog_search_mcp.index.types import Post, Series, SeriesPart

LEAST_REPORT = 5
"""Characters that a title has beside its month, at least, to say what is reported."""
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
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_PERIOD = re.compile(
    rf"\b(?:(?:early|mid|late|end of)[ -]\d{{4}}"
    rf"|{_MONTH}(?:\s*(?:&|and|/|-)\s*{_MONTH})?(?:,?\s+\d{{4}})?)(?!\w)"
    r"|\d{4}\s*年\s*\d{1,2}\s*月[份号號]?",
    re.IGNORECASE,
)
_EDGES = " -:,|[(【#"
_PART = re.compile(
    rf"\bpart (?:\d|{'|'.join(_WORDS)})\b|\b(?:in|of|to) (?:this|the|our) series\b"
    r"|\b(?:first|second|third|fourth|fifth) (?:part|post|article|instal?lment)\b",
    re.IGNORECASE,
)
"""Words on a link that leads to another part of the same series."""

_Key = tuple[str, ...]


class _Sign(NamedTuple):
    """A number in a title or in a file's name."""

    key: _Key
    """What the parts of one series have alike; what is `marked` counts on the whole blog."""
    name: str
    """Of the series, as the title has it; `""` where it has none."""
    number: int


class _Blog:
    """The posts of a blog, joined to groups; two series that authors name stay two."""

    def __init__(self, posts: Mapping[int, Post]) -> None:
        self.posts = posts
        self.titles = {number: _clean(post.title) for number, post in posts.items()}
        self.signs: dict[int, _Sign] = {}
        """By post, the surest that joined it to others."""
        self.groups: dict[int, set[int]] = {}

    def join(self, members: Sequence[int]) -> None:
        for other in members[1:]:
            one, two = (self.groups.setdefault(each, {each}) for each in (members[0], other))
            names = {_fold(self.posts[number].series) for number in one | two} - {""}
            if one is not two and len(names) < 2:
                one |= two
                self.groups |= dict.fromkeys(two, one)

    def group_by(self, key: Callable[[int], str]) -> dict[_Key, list[int]]:
        """Group posts by their language and a key; those whose key is empty are left out."""
        groups: defaultdict[_Key, list[int]] = defaultdict(list)
        for number, post in self.posts.items():
            if value := _fold(key(number)):
                groups[post.language, value].append(number)
        return groups


def find_series(
    posts: Mapping[int, Post], links: Mapping[int, Sequence[ResolvedLink]]
) -> list[Series]:
    """Find the series of a blog: `posts` are all by id, `links` those of each that has any.

    A post is in one series at most. Sorted by the first part's source.
    """
    blog = _Blog(posts)
    for members in blog.group_by(lambda number: posts[number].series).values():
        blog.join(members)
    _join_numbered(blog)
    own: dict[int, list[tuple[str, int, int]]] = {}
    for number in sorted(links):
        for link, target in links[number]:
            to = target.post if target else number
            if to != number and posts[to].language == posts[number].language:
                own.setdefault(number, []).append((link.words, link.line, to))
    _join_alike(blog, {number: {to for _, _, to in each} for number, each in own.items()})
    _join_linked(blog, own)
    groups = {id(group): group for group in blog.groups.values()}.values()
    series = [_order(blog, group) for group in groups if len(group) > 1]
    return sorted(series, key=lambda each: posts[each.parts[0].post].source)


def _join_numbered(blog: _Blog) -> None:
    """Join posts by their numbers, the surest signs first."""
    signs: defaultdict[_Key, dict[int, _Sign]] = defaultdict(dict)
    for number, post in blog.posts.items():
        for sign in _signs_of(post, blog.titles[number]):
            signs[sign.key].setdefault(number, sign)
    titles = blog.group_by(lambda number: blog.titles[number])
    for key, members in sorted(signs.items(), key=lambda item: (item[0][0] != "marked", item[0])):
        numbers = {sign.number for sign in members.values()}
        is_marked = key[0] == "marked"
        opening = titles.get(key[1:], [])[-1:] if is_marked and 1 not in numbers else []
        is_run = len(members) == len(numbers) > 2 and min(numbers) <= 1
        is_run = is_run and max(numbers) < 2 * len(numbers)
        if opening or (len(numbers) > 1 if is_marked else is_run):
            blog.signs = members | blog.signs
            blog.join([*opening, *members])


def _signs_of(post: Post, title: str) -> Iterator[_Sign]:
    """Yield what a post says of its number, by a mark, as a chapter, and by its file."""
    path = parse_path(post.source)
    place = (post.language, path.folder)
    if match := next(filter(None, (marker.search(title) for marker in _MARKERS)), None):
        name = title[: match.start()].strip(_EDGES)
        stem = _fold(name)
        key = ("marked", post.language, stem) if stem else ("alone", *place)
        yield _Sign(key, name if stem else "", _to_number(match["n"]))
    if chapter := _CHAPTER.match(title):
        yield _Sign(("chapter", *place, chapter["chapter"]), "", int(chapter["n"]))
    if counted := _COUNTED.match(path.undated.replace("_", "-")):
        yield _Sign(("file", *place), "", int(counted["n"]))


def _join_alike(blog: _Blog, linked: Mapping[int, Set[int]]) -> None:
    """Join posts whose titles begin with the same clause, or are the same but for a month."""
    whole = blog.group_by(blog.titles.__getitem__)
    for clause, members in blog.group_by(lambda n: _clause_of(blog.titles[n])).items():
        group = [*members, *whole.get(clause, ())]
        if len(group) > 2 or not all(linked.get(n, set()).isdisjoint(group) for n in group):
            blog.join(group)
    for members in blog.group_by(lambda number: _undated(blog.titles[number])).values():
        if len(members) > 2:
            blog.join(members)


def _join_linked(blog: _Blog, own: Mapping[int, Sequence[tuple[str, int, int]]]) -> None:
    """Join posts by links that speak of a part, and those each of which lists all the others."""
    lists: defaultdict[frozenset[int], set[int]] = defaultdict(set)
    for number, links in own.items():
        listed, last = [{number}], 0
        for words, line, to in links:
            if _PART.search(words):
                blog.join((number, to))
            if not 0 < line - last <= 2:
                listed.append({number})
            listed[-1].add(to)
            last = line
        for members in map(frozenset, listed):
            lists[members].add(number)
    for members, listing in lists.items():
        if len(members) > 2 and members == listing:
            blog.join(sorted(members))


def _order(blog: _Blog, group: set[int]) -> Series:
    """Order by the author's numbers, else by date; posts without a number come by their date."""
    posts = blog.posts
    numbers = {n: blog.signs[n].number for n in group if n in blog.signs}
    numbers |= {n: part for n in group if (part := posts[n].part) is not None}
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
    return Series(_name(blog, ordered), parts)


def _name(blog: _Blog, ordered: Sequence[int]) -> str:
    """Name a series as its author does, else by what its titles share, its folder or its start."""
    titles = [blog.titles[n] for n in ordered]
    clauses, reports = {*map(_clause_of, titles)} - {""}, {*map(_undated, titles)}
    folder, *others = {parse_path(blog.posts[n].source).folder for n in ordered}
    folder = re.sub(r"^\d+[-_. ]+", "", folder.rpartition("/")[2]).replace("-", " ")
    names = (
        *(blog.posts[n].series for n in ordered),
        *(blog.signs[n].name for n in ordered if n in blog.signs),
        *(each for each in sorted(clauses) if all(t.startswith(each) for t in titles)),
        min(reports) if len(reports) == 1 else "",
        "" if others else folder,
    )
    return next(filter(None, names), blog.posts[ordered[0]].title)


def _to_number(text: str) -> int:
    """Read digits, a Roman or Chinese numeral, or an English word."""
    tens, ten, ones = text.casefold().rpartition("十")
    if ten:
        return _NUMBERS.get(tens, 1) * 10 + _NUMBERS.get(ones, 0)
    return int(ones) if ones.isdecimal() else _NUMBERS.get(ones, LAST)


def _clause_of(title: str) -> str:
    """Return what stands before the colon of a title, `""` for a single word."""
    clause = _CLAUSE.match(title)
    return clause[1] if clause and len(clause[1].split()) > 1 else ""


def _undated(title: str) -> str:
    """Return a title without its month, empty if it has none or is hardly more."""
    rest = _PERIOD.sub(" ", title, count=1)
    words = rest.strip(_EDGES + ")]】").split()
    return " ".join(words) if rest != title and len("".join(words)) > LEAST_REPORT else ""


def _clean(text: str) -> str:
    """Fold wide characters and dashes; a title's case stays."""
    return re.sub(r"[\u2010-\u2015]", "-", unicodedata.normalize("NFKC", text)).strip()


def _fold(text: str) -> str:
    """Keep the words of a stem."""
    return " ".join(re.findall(r"\w+", text.casefold()))
